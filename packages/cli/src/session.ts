import { ApiError, parseApiError, readText } from "@sealpost/sdk";

/** How long a session token is used again: well below the 15 minutes that it lives. */
const tokenReuseMilliseconds = 5 * 60_000;
const timeoutMilliseconds = 30_000;
/** Answers about sessions are a few names and tokens. */
const answerBytesMax = 1024 * 1024;

/**
 * Signs in and gives the session's cookie as `name=value`. `findCode` is called when the account has a second factor; a code of
 * six digits is the authenticator app's, anything else a backup code. Rejects with an `ApiError` when the server refuses.
 */
export async function signIn(
  url: string,
  email: string,
  password: string,
  findCode: () => Promise<string>,
): Promise<string> {
  const response = await request(url, "POST", "/api/auth/sign-in/email", { body: { email, password } });
  const answer = await readJson(response);
  const isCodeNeeded = typeof answer === "object" && answer !== null && "twoFactorRedirect" in answer;
  return findCookie(
    isCodeNeeded ? await sendCode(url, findCookie(response, "second_factor"), await findCode()) : response,
    "session",
  );
}

function sendCode(url: string, challenge: string, typed: string): Promise<Response> {
  const code = typed.replaceAll(/\s/g, "").toLowerCase();
  const path = /^[0-9]{6}$/.test(code) ? "verify-totp" : "verify-backup-code";
  return request(url, "POST", `/api/auth/two-factor/${path}`, { cookie: challenge, body: { code } });
}

function findCookie({ headers }: Response, name: "session" | "second_factor"): string {
  const cookie = headers.getSetCookie().find((value) => new RegExp(`^[\\w-]*_${name}=[^;]`).test(value));
  if (cookie === undefined)
    throw new ApiError("The server opened no session", { status: 200, code: "unexpected_answer" });
  return cookie.split(";", 1)[0] ?? "";
}

/** Another value of the same cookie, as `name=value`. A server that ends the session sets it to nothing. */
function findRenewed({ headers }: Response, cookie: string): string | undefined {
  const [name = ""] = cookie.split("=", 1);
  const all = headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  return all.find((set) => set.startsWith(`${name}=`) && set.length > name.length + 1 && set !== cookie);
}

export async function signOut(url: string, cookie: string): Promise<void> {
  await request(url, "POST", "/api/auth/sign-out", { cookie, body: {} });
}

/**
 * Gives a session token (JWT) of the session of `cookie`, a fresh one every few minutes. `keepRenewed` is called with the cookie that takes
 * the place of this one: a server whose secret was rotated signs it with the new secret, and refuses the former one in the end.
 */
export function createSessionTokens(
  url: string,
  cookie: string,
  now: () => number,
  keepRenewed: (cookie: string) => Promise<void> = async () => {},
): () => Promise<string> {
  let current: { readonly token: string; readonly askedAt: number } | undefined;
  let newest = cookie;
  return async () => {
    const askedAt = now();
    // A computer's clock that was set back says nothing about the token's age.
    const age = current === undefined ? Number.NaN : askedAt - current.askedAt;
    if (current !== undefined && age >= 0 && age < tokenReuseMilliseconds) return current.token;
    const response = await request(url, "GET", "/api/auth/token", { cookie: newest });
    const renewed = findRenewed(response, newest);
    if (renewed !== undefined) {
      newest = renewed;
      await keepRenewed(renewed);
    }
    const answer = await readJson(response);
    if (typeof answer !== "object" || answer === null || !("token" in answer) || typeof answer.token !== "string")
      throw new ApiError("The server gave no session token", { status: 200, code: "unexpected_answer" });
    current = { token: answer.token, askedAt };
    return answer.token;
  };
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await readText(response, answerBytesMax));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { status } = response;
    throw new ApiError("The server's answer is not JSON: is this the address of a Sealpost instance?", {
      status,
      code: "unexpected_answer",
    });
  }
}

interface SessionRequest {
  readonly cookie?: string;
  readonly body?: object;
}

async function request(url: string, method: string, path: string, { cookie, body }: SessionRequest): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    headers: {
      // The server takes a session cookie only from its own pages, which this program stands in for.
      origin: new URL(url).origin,
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (!response.ok) throw parseApiError(response, await readText(response, answerBytesMax), Date.now());
  return response;
}
