import { ApiError } from "@sealpost/sdk";
import { noteSignInPassword } from "../browser/seen-password.ts";
import { learnServiceTime } from "./service-clock.ts";

/** The endpoints of accounts and sessions under /api/auth, which belong to the sign-in library and are no part of the API. */
export interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    /** The plan of the organization with the person's id, if there is one. */
    readonly plan?: string;
    /** Whether signing in needs a code as well. */
    readonly twoFactorEnabled?: boolean | null;
    readonly emailVerified?: boolean;
    /** Since when the person is an operator of the instance. */
    readonly operatorSince?: number | null;
    /** `needed` before the account makes anything; `trusted` where the owner may still be asked, once. */
    readonly verification?: "needed" | "trusted" | "declined";
    /** When the account is deleted for good, if that was asked for. */
    readonly leavesAt?: number | null;
  };
  /** Tells this browser's session from the others. */
  readonly session: { readonly id: string; readonly token: string };
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Credentials that are typed again before something that must not be done at an unattended screen. */
export interface Confirmation {
  readonly password: string;
  /** The code from the app, or a backup code; empty where no code is asked for. */
  readonly code: string;
}

/** After a right password: signed in, or a code is needed as well. */
export interface SignInAnswer {
  readonly twoFactorRedirect?: boolean;
}

export const sessionApi = {
  /** The session of this browser, or null when there is none. */
  find: (): Promise<Session | null> => request("GET", "get-session"),
  signIn: (credentials: Credentials): Promise<SignInAnswer> =>
    accepted(credentials.password, request("POST", "sign-in/email", credentials)),
  signUp: (
    account: Credentials & { readonly name: string; readonly setupToken?: string; readonly invitation?: string },
  ): Promise<unknown> => accepted(account.password, request("POST", "sign-up/email", account)),
  /** `isForgotten`: this page has deleted what has to go, so that the service does not have the browser delete everything. */
  signOut: (isForgotten: boolean): Promise<unknown> =>
    send("POST", "/api/auth/sign-out", {}, isForgotten ? { "sealpost-forgotten": "1" } : {}),
  changePassword: (change: {
    readonly currentPassword: string;
    readonly newPassword: string;
    readonly revokeApiKeys: boolean;
  }): Promise<{ readonly apiKeysRevoked?: number }> =>
    accepted(change.newPassword, request("POST", "change-password", { ...change, revokeOtherSessions: true })),
  /** The code of the app: completes a sign-in, or the setting up. */
  verifyCode: (code: string): Promise<unknown> => request("POST", "two-factor/verify-totp", { code: asIssued(code) }),
  verifyBackupCode: (code: string): Promise<unknown> =>
    request("POST", "two-factor/verify-backup-code", { code: asIssued(code) }),
  /** The secret for the app, and the backup codes. Nothing changes before its first code was verified. */
  enableSecondFactor: ({
    password,
  }: Confirmation): Promise<{ readonly totpURI: string; readonly backupCodes: readonly string[] }> =>
    request("POST", "two-factor/enable", { password }),
  disableSecondFactor: (confirmation: Confirmation): Promise<unknown> =>
    request("POST", "two-factor/disable", toBody(confirmation)),
  /** New backup codes, and what makes them count. Until then those before do. */
  proposeBackupCodes: (
    confirmation: Confirmation,
  ): Promise<{ readonly backupCodes: readonly string[]; readonly proposal: string }> =>
    request("POST", "two-factor/generate-backup-codes", toBody(confirmation)),
  keepBackupCodes: (proposal: string): Promise<unknown> =>
    request("POST", "two-factor/keep-backup-codes", { proposal }),
  /** Has a link to verify the account's address mailed. */
  sendVerification: (): Promise<unknown> => request("POST", "verification/send", {}),
  /** Nobody is asked again to verify an address that need not be. */
  skipVerification: (): Promise<unknown> => request("POST", "verification/skip", {}),
  verifyEmail: (token: string): Promise<unknown> => request("POST", "verification/confirm", { token }),
  /** Makes the session of this browser as good as a new sign-in. */
  freshen: ({ password, code }: Confirmation): Promise<unknown> =>
    accepted(password, request("POST", "freshen-session", code === "" ? { password } : toBody({ password, code }))),
  /** The links in emails about a move to another address. */
  confirmAddress: (token: string): Promise<{ readonly status: "moved" | "waiting" }> =>
    request("POST", "address/confirm", { token }),
  refuseAddress: (token: string): Promise<{ readonly status: "refused" | "undone" }> =>
    request("POST", "address/refuse", { token }),
  /** Has a link to set a new password mailed; answered alike whether or not there is such an account. */
  requestReset: (email: string): Promise<unknown> => request("POST", "request-password-reset", { email }),
  resetPassword: (reset: {
    readonly token: string;
    readonly newPassword: string;
    readonly revokeApiKeys: boolean;
  }): Promise<unknown> => request("POST", "reset-password", reset),
};

/** The password was right, or is from now on. */
async function accepted<Answer>(password: string, asking: Promise<Answer>): Promise<Answer> {
  const answer = await asking;
  noteSignInPassword(password);
  return answer;
}

function toBody({ password, code }: Confirmation) {
  return { password, code: asIssued(code) };
}

/** The code of the app, or a backup code with its hyphen, in whatever groups it was typed. */
function asIssued(code: string): string {
  const characters = code.toLowerCase().replaceAll(/[\s-]/g, "");
  return characters.replace(/^(.{5})(.{5})$/, "$1-$2");
}

const timeoutMilliseconds = 30_000;

/** A request below /api/auth. */
export function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  return send(method, `/api/auth/${path}`, body);
}

/** The same below any path: for what the dashboard alone asks for, and the published API does not have. */
export async function send<Answer>(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  learnServiceTime(response.headers);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer; // what the library answers on success
  throw toApiError(response, answer);
}

function toApiError({ status, headers }: Response, answer: unknown): ApiError {
  const { error, message, details, detailCodes, retryAfter, code } = (
    typeof answer === "object" && answer !== null ? answer : {}
  ) as Record<string, unknown>; // an object; each member is checked below
  return new ApiError(typeof message === "string" ? message : `The server answered ${status}`, {
    status,
    code: typeof error === "string" ? (error as ApiError["code"]) : "unexpected_answer", // one of the server's closed set
    details: parseDetails(details),
    detailCodes: parseDetails(detailCodes),
    retryAfter: typeof retryAfter === "number" ? retryAfter : undefined,
    reason: typeof code === "string" ? code : undefined,
    requestId: headers.get("x-request-id") ?? undefined,
  });
}

function parseDetails(details: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(Object(details)).flatMap(([path, message]) =>
      typeof message === "string" ? [[path, message]] : [],
    ),
  );
}
