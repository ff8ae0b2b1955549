import { type AccountId, isId } from "@sealpost/wire";
import type { FastifyReply, FastifyRequest } from "fastify";
import { findPasswordError, findRevocationError, findSameError } from "../authentication/account-input.ts";
import { type Auth, type InvitedTo, invitedHeader } from "../authentication/auth.ts";
import { codeOfRefusal, type OwnWords, toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import { type Body, classifyResponse, toWebRequest } from "../authentication/better-auth-request.ts";
import { findCommonPasswordError } from "../authentication/common-passwords.ts";
import type { KnownBrowsers } from "../authentication/known-browsers.ts";
import type { Database } from "../database/database.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { isRead } from "../http/is-read.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { PasswordQueue } from "../rate-limits/password-queue.ts";
import { tooMany } from "../rate-limits/rate-limit-hooks.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import type { AccountActions } from "./account-actions.ts";
import type { AccountStore } from "./account-store.ts";
import { passedThrough } from "./passed-through.ts";

export interface PassingDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly accountActions: AccountActions;
  readonly database: Database;
  readonly knownBrowsers: KnownBrowsers;
  readonly passwordQueue: PasswordQueue;
  readonly rateLimits: Pick<RateLimits, "countPasswordOf">;
  readonly address: OwnAddress;
}

/** How requests reach the sign-in library, and its answers the client. */
export function createPassing({
  auth,
  accounts,
  accountActions,
  database,
  knownBrowsers,
  passwordQueue,
  rateLimits,
  address,
}: PassingDependencies) {
  return { pass, findLine };

  /** Hands the request to the library and its answer back, in our shape of errors; the audit log records what happened. */
  async function pass(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    body: Body,
    {
      words = {},
      invitedTo,
      explain = async () => undefined,
    }: {
      readonly words?: OwnWords | undefined;
      readonly invitedTo?: InvitedTo | undefined;
      /** The problem that the library's code stands for, where that depends on what is stored. */
      readonly explain?: ((code: string) => Promise<Problem | undefined>) | undefined;
    } = {},
    then: (answer: unknown) => Promise<void> = async () => {},
  ): Promise<void> {
    const { origin, cookie } = request.headers;
    if (origin !== undefined && !address.isOwn(origin))
      throw new Problem("forbidden", "This request came from another site");
    // For requests that change something, the library itself checks the origin.
    if (isRead(request) && path !== "/jwks" && cookie !== undefined && !isFromOwnPage(request, address))
      throw new Problem("unauthorized", "Invalid or missing authentication");
    if (path !== "/jwks") await accountActions.endOver(request);
    const { revokeApiKeys, ...rest } = body;
    if (path === "/change-password")
      refuseInvalid({
        newPassword:
          findPasswordError(body.newPassword) ??
          findSameError(body) ??
          (await findCommonPasswordError(body.newPassword, await accountActions.findOwnWords(request))),
        revokeApiKeys: findRevocationError(revokeApiKeys),
      });
    // The library would leave them open by default: everybody who may know the old password is signed out with it.
    const asked = path === "/change-password" ? { ...rest, revokeOtherSessions: true } : body;
    const ask = async () => {
      await accountActions.confirm(request, path, body);
      const call = await accountActions.begin(request, path, body);
      const passed = toWebRequest(request, path, asked, address);
      if (invitedTo !== undefined) passed.headers.set(invitedHeader, invitedTo);
      const answer = async () => {
        const response = await auth.handler(passed.clone());
        const text = await response.text();
        if (response.status >= 400) return { response, text };
        const parsed: unknown = text === "" ? null : JSON.parse(text);
        const answer = path === "/get-session" ? await addPlan(parsed) : parsed;
        const cookies = response.headers.getSetCookie();
        const added = await call.succeeded(answer, cookies);
        await then(answer);
        const isOurs = answer !== parsed || Object.keys(added).length > 0;
        return { response, text: isOurs ? JSON.stringify({ ...Object(answer), ...added }) : text, answer };
      };
      const classify = ({ response }: { readonly response: Response }) => classifyResponse(response);
      return {
        call,
        ...(isRead(request) ? await answer() : await runAsUnit(database, answer, { first: call.first, classify })),
      };
    };
    const { call, response, text, answer } = asksForPassword(path)
      ? await passwordQueue.run(await findLine(request, path, body), ask, request.ip)
      : await ask();
    if (response.status >= 400) {
      await call.failed(response.status);
      throw (await explain(codeOfRefusal(text))) ?? toBetterAuthProblem(response.status, text, words);
    }
    reply.status(response.status).header("content-type", "application/json; charset=utf-8");
    for (const line of response.headers.getSetCookie()) reply.header("set-cookie", line);
    // Nothing of the account stays in the browser, remembered keys least of all. A refusal has no such header: the page of another site could ask for it.
    // A page of ours that has deleted what has to go says so, and keeps what it needs to recognize older lists by.
    if (path === "/sign-out")
      reply.header("clear-site-data", request.headers["sealpost-forgotten"] === "1" ? '"cache"' : '"cache", "storage"');
    const email = makesKnown.includes(path) ? findEmail(answer) : undefined;
    const known = email && (await knownBrowsers.remember(request.headers.cookie, email));
    if (known !== undefined) reply.header("set-cookie", known);
    await reply.send(text === "" ? "null" : text);
  }

  /** The plan of the organization with the person's id, if there is one. */
  async function addPlan(answer: unknown): Promise<unknown> {
    const user: unknown = Object(answer).user;
    const id = findAccountId(user);
    const plan = id && (await accounts.findPlan(id));
    return plan === undefined ? answer : { ...Object(answer), user: { ...Object(user), plan } };
  }

  /**
   * The account that knows the browser, or whose session asks. Throws when its passwords of this minute are used up;
   * those of sign-ins, and who has no session, are counted with the request (`installRateLimits`).
   */
  async function findLine(request: FastifyRequest, path: string, { email }: Body): Promise<AccountId | "stranger"> {
    if (path === "/sign-up/email") return "stranger";
    if (path === "/sign-in/email") {
      const browser = typeof email === "string" ? await knownBrowsers.find(request.headers.cookie, email) : undefined;
      return browser?.accountId ?? "stranger";
    }
    const session = await accountActions.findSession(request);
    if (session === undefined) return "stranger";
    const quota = await rateLimits.countPasswordOf(session);
    if (quota?.isFirstExceeded) await accountActions.passwordsLimited(session);
    if (quota?.isExceeded) throw tooMany(quota);
    return session.accountId;
  }
}

/** Then a password is hashed: to make an account, to compare it, or to set another. */
function asksForPassword(path: string): boolean {
  return path === "/sign-up/email" || passedThrough.some(([, known, rate]) => known === path && rate === "sign_in");
}

/** Their answers make the browser known. A new password ends every known browser, but not the one in which it was set. */
const makesKnown = [
  "/sign-up/email",
  "/sign-in/email",
  "/change-password",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
];

/** The address in an answer that opened a session: after the password alone, where a code is needed too, nobody is signed in yet. */
function findEmail(answer: unknown): string | undefined {
  const user = typeof answer === "object" && answer !== null && "user" in answer ? answer.user : undefined;
  return typeof user === "object" && user !== null && "email" in user && typeof user.email === "string"
    ? user.email
    : undefined;
}

/** The id of the person in an answer of the library; `undefined` where there is nobody. */
export function findAccountId(user: unknown): AccountId | undefined {
  const id = typeof user === "object" && user !== null && "id" in user ? user.id : undefined;
  return isId("account", id) ? id : undefined;
}
