import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isLoopback, type OwnAddress } from "../address.ts";
import type { SignUpMode } from "../config.ts";
import { Problem } from "../problem.ts";
import type { AccountStore } from "./account-store.ts";
import { type Auth, passwordLengthMax, passwordLengthMin } from "./auth.ts";
import { decideSignUp } from "./sign-up.ts";

/**
 * The library's routes that are open to the outside, each with its rate and the members that its body may have: whatever
 * else a body holds is dropped (`callbackURL` would make the library answer with a redirect). Every other one of its
 * paths is 404.
 */
const passedThrough = [
  ["POST", "/sign-in/email", "sign_in", ["email", "password", "rememberMe"]],
  ["POST", "/sign-out", "api", []],
  ["GET", "/get-session", "api", []],
  ["GET", "/token", "api", []],
  ["GET", "/jwks", "api", []],
  // Asks for the password before, so it can be used to guess it.
  ["POST", "/change-password", "sign_in", ["currentPassword", "newPassword", "revokeOtherSessions"]],
  ["GET", "/list-sessions", "api", []],
  ["POST", "/revoke-session", "api", ["token"]],
  ["POST", "/revoke-other-sessions", "api", []],
] as const;

export interface AccountRouteDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly address: OwnAddress;
  readonly signUp: SignUpMode;
  readonly setupToken: string;
}

const nameLengthMax = 100;

type Body = Readonly<Record<string, unknown>>;

export function createAccountRoutes({ auth, accounts, address, signUp, setupToken }: AccountRouteDependencies) {
  return async (app: FastifyInstance): Promise<void> => {
    for (const [method, path, rate, members] of passedThrough) {
      app.route({
        method,
        url: `/api/auth${path}`,
        config: { access: "public", rate },
        schema: { hide: true },
        handler: (request, reply) => {
          // Nothing of the account stays in the browser, remembered keys least of all.
          if (path === "/sign-out") reply.header("clear-site-data", '"cache", "storage"');
          return pass(request, reply, pick(parseBody(request.body), members));
        },
      });
    }
    app.route({
      method: "POST",
      url: "/api/auth/sign-up/email",
      config: { access: "public", rate: "sign_in" },
      schema: { hide: true },
      handler: handleSignUp,
    });
  };

  async function handleSignUp(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = parseBody(request.body);
    const givenToken = body.setupToken;
    const decision = decideSignUp({
      mode: signUp,
      accounts: await accounts.count(),
      setupToken,
      givenToken: typeof givenToken === "string" ? givenToken : undefined,
      isLoopback: address.isLoopbackOnly && isLoopback(request.hostname) && !isForwarded(request),
    });
    if (decision === "closed") throw new Problem("forbidden", "Sign-up is closed on this instance");
    if (decision === "setup_token_needed") {
      throw new Problem(
        "forbidden",
        "The first account needs the setupToken from the set-up address that the service printed when it started",
      );
    }
    const { name = "", email, password } = body;
    // Control characters and halves of surrogate pairs would come out of the database as something else, or not go in.
    if (typeof name === "string" && (name.length > nameLengthMax || !name.isWellFormed() || /\p{Cc}/u.test(name)))
      throw new Problem("bad_request", `The name must be text of at most ${nameLengthMax} characters`);
    if (typeof email !== "string" || typeof password !== "string")
      throw new Problem("bad_request", "E-mail address and password are needed, as texts");
    // Of texts, the library's validation can only refuse the address.
    await pass(request, reply, { name, email, password }, { VALIDATION_ERROR: notAnAddress });
  }

  /** Hands the request to the library and its answer back, in our shape of errors. */
  async function pass(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Body,
    ownMessages: Messages = {},
  ): Promise<void> {
    const { origin } = request.headers;
    if (origin !== undefined && !address.isOwn(origin))
      throw new Problem("forbidden", "This request came from another site");
    const response = await auth.handler(toWebRequest(request, body));
    const text = await response.text();
    // When the database is away the library says 401, or 500, or that signing out succeeded. Nobody must believe it.
    if (response.status >= 400 || request.method !== "GET") await accounts.probe();
    if (response.status >= 400) throw toProblem(response.status, text, { ...messages, ...ownMessages });
    reply.status(response.status).header("content-type", "application/json; charset=utf-8");
    for (const cookie of response.headers.getSetCookie()) reply.header("set-cookie", cookie);
    await reply.send(text === "" ? "null" : text);
  }
}

function toWebRequest(request: FastifyRequest, body: Body): Request {
  const headers = new Headers();
  // Nothing else of what the client sent reaches the library, so it can keep none of it.
  for (const name of ["cookie", "origin", "host", "authorization"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const url = new URL(request.url, `${request.protocol}://${request.host}`);
  url.search = "";
  if (request.method === "GET") return new Request(url, { headers });
  headers.set("content-type", "application/json");
  return new Request(url, { method: request.method, headers, body: JSON.stringify(body) });
}

function parseBody(body: unknown): Body {
  if (body === undefined || body === null) return {};
  if (typeof body !== "object" || Array.isArray(body)) throw new Problem("bad_request", "Invalid request");
  return { ...body };
}

function pick(body: Body, members: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));
}

function isForwarded(request: FastifyRequest): boolean {
  return Object.keys(request.headers).some(
    (name) => name === "forwarded" || name.startsWith("x-forwarded-") || name === "via" || name === "x-real-ip",
  );
}

type Messages = Readonly<Record<string, string>>;

const notAnAddress = "This is not an e-mail address";

/** The library's codes that a person can do something about, in our words. */
const messages: Messages = {
  INVALID_EMAIL_OR_PASSWORD: "E-mail address or password is wrong",
  INVALID_PASSWORD: "The password is wrong",
  PASSWORD_TOO_SHORT: `The password must have at least ${passwordLengthMin} characters`,
  PASSWORD_TOO_LONG: `The password must have at most ${passwordLengthMax} characters`,
  INVALID_EMAIL: notAnAddress,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "There is an account with this e-mail address already",
  FAILED_TO_CREATE_USER: "Sign-up is closed on this instance",
  VALIDATION_ERROR: "E-mail address and password are needed, as texts",
};

function toProblem(status: number, text: string, texts: Messages): Problem {
  const code = parseCode(text);
  const message = texts[code];
  if (code === "FAILED_TO_CREATE_USER") return new Problem("forbidden", message ?? code);
  if (code === "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL") return new Problem("conflict", message ?? code);
  if (status === 401) return new Problem("unauthorized", message ?? "Invalid or missing authentication");
  if (status === 403) return new Problem("forbidden", message ?? "This request came from another site");
  if (status === 429)
    return new Problem("rate_limited", "Too many requests. Please try again later.", { retryAfter: 60 });
  if (status < 500) return new Problem("bad_request", message ?? "Invalid request");
  return new Problem("internal_error", "Something went wrong on our side", {
    cause: new Error(`sign-in library: ${status} ${code}`),
  });
}

function parseCode(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "code" in body && typeof body.code === "string"
      ? body.code
      : "";
  } catch {
    return "";
  }
}
