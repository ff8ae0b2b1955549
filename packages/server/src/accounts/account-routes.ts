import { type AccountId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  findNameError,
  findPasswordError,
  findRevocationError,
  findSameError,
} from "../authentication/account-input.ts";
import { type Auth, type InvitedTo, invitedHeader } from "../authentication/auth.ts";
import {
  codeOfRefusal,
  notAnAddress,
  notCreated,
  type OwnWords,
  taken,
  toBetterAuthProblem,
} from "../authentication/better-auth-error.ts";
import { type Body, classifyResponse, parseBody, pick, toWebRequest } from "../authentication/better-auth-request.ts";
import { findCommonPasswordError } from "../authentication/common-passwords.ts";
import type { KnownBrowsers } from "../authentication/known-browsers.ts";
import type { SignUpMode } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { isRead } from "../http/is-read.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { PasswordQueue } from "../rate-limits/password-queue.ts";
import { tooMany } from "../rate-limits/rate-limit-hooks.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountActions } from "./account-actions.ts";
import type { AccountStateStore } from "./account-state-store.ts";
import type { AccountStore } from "./account-store.ts";
import { isAddressReserved } from "./address-move-store.ts";
import { passedThrough } from "./passed-through.ts";
import { decideSignUp, type SignUpInvitations } from "./sign-up.ts";

export interface AccountRouteDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly accountStates: AccountStateStore;
  readonly accountActions: AccountActions;
  readonly signUpInvitations: SignUpInvitations;
  /** Emails the link to verify the address, unless there were too many. `undefined` when emails can't be sent. */
  readonly sendVerification: ((accountId: AccountId) => Promise<boolean>) | undefined;
  readonly database: Database;
  readonly knownBrowsers: KnownBrowsers;
  readonly passwordQueue: PasswordQueue;
  readonly rateLimits: Pick<RateLimits, "countPasswordOf">;
  readonly address: OwnAddress;
  readonly signUp: SignUpMode;
  readonly setupToken: string;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

export function createAccountRoutes({
  auth,
  accounts,
  accountStates,
  accountActions,
  signUpInvitations,
  sendVerification,
  database,
  knownBrowsers,
  passwordQueue,
  rateLimits,
  address,
  signUp,
  setupToken,
  hasRoom,
  clock,
}: AccountRouteDependencies) {
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
          const words = ownWords[members.join()];
          return pass(request, reply, path, pick(parseBody(request.body), members), { words });
        },
      });
    }
    app.route({
      method: "POST",
      url: "/api/auth/freshen-session",
      config: { access: "public", rate: "sign_in" },
      schema: { hide: true },
      handler: async (request) => {
        if (!isFromOwnPage(request, address)) throw new Problem("unauthorized", "Invalid or missing authentication");
        await accountActions.endOver(request);
        const body = pick(parseBody(request.body), ["password", "code"]);
        const line = await findLine(request, "/freshen-session", body);
        await passwordQueue.run(line, () => accountActions.freshen(request, body));
        return { status: true };
      },
    });
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
    const { setupToken: givenToken, invitation } = body;
    if (invitation !== undefined) await checkInvitation(invitation, body.email);
    const decide = async () =>
      decideSignUp({
        mode: signUp,
        accounts: await accounts.count(),
        setupToken,
        givenToken: typeof givenToken === "string" ? givenToken : undefined,
        isInvited: invitation !== undefined,
      });
    const decision = await decide();
    if (decision === "closed") throw closed();
    if (decision === "setup_token_needed") {
      throw new Problem(
        "forbidden",
        "Open the whole set-up address that the server printed when it started: only with its token (setupToken) can the first account be made",
      );
    }
    const { name, email, password } = body;
    refuseInvalid({
      name: name === undefined ? undefined : findNameError(name),
      email: typeof email === "string" && /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : notAnAddress,
      password: findPasswordError(password) ?? (await findCommonPasswordError(password, [email, name])),
    });
    if (typeof email === "string" && (await isAddressReserved(database, email, clock.now()))) throw addressTaken();
    // Who has the set-up token runs this server, and sees at once that there is no room.
    if (decision !== "allowed_by_token") await requireRoom(hasRoom);
    const given = { name: typeof name === "string" ? name.trim() : "", email, password };
    // Of texts, the library's validation can only refuse the address.
    const words: OwnWords = { messages: { VALIDATION_ERROR: notAnAddress }, fields: { VALIDATION_ERROR: "email" } };
    const used =
      typeof invitation === "string" && typeof email === "string"
        ? await signUpInvitations.use(invitation, email)
        : undefined;
    const invitedTo = used && (used.hasOwnOrganization ? "instance" : "organization");
    // Another sign-up was faster, while this one was on its way: it is answered as if it had come after.
    const explain = async (code: string) => {
      if (code !== notCreated && code !== taken) return undefined;
      if ((await decide()) === "closed") return closed();
      return (await accounts.findByEmail(String(email))) === undefined ? undefined : addressTaken();
    };
    await pass(request, reply, "/sign-up/email", given, { words, invitedTo, explain }, async (answer) => {
      const accountId = parseNewAccount(answer);
      // It may have been moved away from while the password was hashed. Looked at once the row is written, which waits for a move under way.
      if (await isAddressReserved(database, String(email), clock.now())) throw addressTaken();
      // It may have ended since it was checked. Then there is no account either.
      await used?.accept(accountId);
      // Who has the set-up token runs this server.
      if (decision === "allowed_by_token" || used?.provesAddress) await accountStates.markVerified(database, accountId);
      else if (await accountStates.isVerificationNeeded(accountId)) await sendVerification?.(accountId);
    });
  }

  async function checkInvitation(token: unknown, email: unknown): Promise<void> {
    if (typeof token !== "string" || typeof email !== "string")
      return refuseInvalid({
        invitation: typeof token === "string" ? undefined : "Must be a string",
        email: typeof email === "string" ? undefined : notAnAddress,
      });
    await signUpInvitations.check(token, email);
  }

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
    // Of what changes something the library itself wants to know the origin.
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
      const passed = toWebRequest(request, asked, address);
      if (invitedTo !== undefined) passed.headers.set(invitedHeader, invitedTo);
      const answer = async () => {
        const response = await auth.handler(passed);
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
      ? await passwordQueue.run(await findLine(request, path, body), ask)
      : await ask();
    // When the database is away the library says 401, or 500, or that signing out succeeded. Nobody must believe it.
    if (response.status >= 400 || !isRead(request)) await accounts.probe();
    if (response.status >= 400) {
      await call.failed(response.status);
      throw (await explain(codeOfRefusal(text))) ?? toBetterAuthProblem(response.status, text, words);
    }
    reply.status(response.status).header("content-type", "application/json; charset=utf-8");
    for (const line of response.headers.getSetCookie()) reply.header("set-cookie", line);
    const email = makesKnown.includes(path) ? findEmail(answer) : undefined;
    const known = email && (await knownBrowsers.remember(request.headers.cookie, email));
    if (known !== undefined) reply.header("set-cookie", known);
    await reply.send(text === "" ? "null" : text);
  }

  /** The plan of the organization with the person's id, if there is one. */
  async function addPlan(answer: unknown): Promise<unknown> {
    const user: unknown = Object(answer).user;
    const id = idOf(user);
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

function closed(): Problem {
  return new Problem("forbidden", "Sign-up is closed on this instance");
}

function addressTaken(): Problem {
  return toBetterAuthProblem(422, JSON.stringify({ code: taken }), {});
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

const passwordWords: OwnWords = {
  messages: { VALIDATION_ERROR: "The password is needed, as text" },
  fields: { VALIDATION_ERROR: "password", INVALID_PASSWORD: "password" },
};

/** The messages for a refused body, and its invalid member, by the members that a route lets through. */
const ownWords: Readonly<Record<string, OwnWords>> = {
  password: passwordWords,
  "password,code": passwordWords,
  code: { messages: { VALIDATION_ERROR: "The code is needed, as text" }, fields: { VALIDATION_ERROR: "code" } },
  "currentPassword,newPassword,revokeApiKeys": {
    messages: { VALIDATION_ERROR: "The password until now is needed, as text" },
    fields: { VALIDATION_ERROR: "currentPassword", INVALID_PASSWORD: "currentPassword" },
  },
};

function parseNewAccount(answer: unknown): AccountId {
  const id = idOf(Object(answer).user);
  if (id === undefined) throw new Error("A sign-up made no account");
  return id;
}

function idOf(user: unknown): AccountId | undefined {
  const id = typeof user === "object" && user !== null && "id" in user ? user.id : undefined;
  return isId("account", id) ? id : undefined;
}
