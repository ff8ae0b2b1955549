import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { findNameError, findPasswordError } from "../authentication/account-input.ts";
import { notCreated, type OwnWords, taken, toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import { parseBody, pick } from "../authentication/better-auth-request.ts";
import { findCommonPasswordError } from "../authentication/common-passwords.ts";
import { notAnAddress } from "../authentication/email-address.ts";
import type { SignUpMode } from "../config/config.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import { findAddressError } from "../mail/recipient.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountStateStore } from "./account-state-store.ts";
import { isAddressReserved } from "./address-move-store.ts";
import { createPassing, findAccountId, type PassingDependencies } from "./pass-to-better-auth.ts";
import { passedThrough } from "./passed-through.ts";
import { decideSignUp, type SignUpInvitations } from "./sign-up.ts";

export interface AccountRouteDependencies extends PassingDependencies {
  readonly accountStates: AccountStateStore;
  readonly signUpInvitations: SignUpInvitations;
  /** Emails the link to verify the address, unless there were too many. `undefined` when emails can't be sent. */
  readonly sendVerification: ((accountId: AccountId) => Promise<boolean>) | undefined;
  readonly signUp: SignUpMode;
  readonly setupToken: string;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

export function createAccountRoutes({
  accounts,
  accountStates,
  accountActions,
  signUpInvitations,
  sendVerification,
  database,
  passwordQueue,
  address,
  signUp,
  setupToken,
  hasRoom,
  clock,
  ...others
}: AccountRouteDependencies) {
  const { findLine, pass } = createPassing({ accounts, accountActions, database, passwordQueue, address, ...others });

  return async (app: FastifyInstance): Promise<void> => {
    for (const [method, path, rate, members] of passedThrough) {
      app.route({
        method,
        url: `/api/auth${path}`,
        config: { access: "public", rate },
        schema: { hide: true },
        handler: (request, reply) => {
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
        await passwordQueue.run(line, () => accountActions.freshen(request, body), request.ip);
        return { status: true };
      },
    });
    app.route({
      method: "POST",
      url: "/api/auth/two-factor/keep-backup-codes",
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        if (!isFromOwnPage(request, address)) throw new Problem("unauthorized", "Invalid or missing authentication");
        await accountActions.endOver(request);
        await accountActions.keepBackupCodes(request, pick(parseBody(request.body), ["proposal"]));
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
        hasAccounts: await accounts.hasAny(),
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
      email: findAddressError(email),
      password: findPasswordError(password) ?? (await findCommonPasswordError(password, [email, name])),
    });
    if (typeof email === "string" && (await isAddressReserved(database, email))) throw addressTaken();
    // Who has the set-up token runs this server, and sees at once that there is no room.
    if (decision !== "allowed_by_token") await requireRoom(hasRoom);
    const given = { name: typeof name === "string" ? name.trim() : "", email, password };
    // The library's validation can only refuse the address.
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
      if (await isAddressReserved(database, String(email))) throw addressTaken();
      // Who has the set-up token runs this server.
      const isProven = decision === "allowed_by_token" || used?.provesAddress === true;
      // The inviter sees the link, and could take anybody's address with it.
      if (!isProven && invitedTo === "organization" && sendVerification !== undefined)
        await accountStates.needVerification(database, accountId);
      // It may have ended since it was checked. Then there is no account either.
      await used?.accept(accountId);
      if (isProven)
        return void (await database
          .transaction()
          .execute((transaction) => accountStates.markVerified(transaction, accountId)));
      if (await accountStates.isVerificationNeeded(accountId)) await sendVerification?.(accountId);
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
}

function closed(): Problem {
  return new Problem("forbidden", "Sign-up is closed on this instance");
}

function addressTaken(): Problem {
  return toBetterAuthProblem(422, JSON.stringify({ code: taken }), {});
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
  const id = findAccountId(Object(answer).user);
  if (id === undefined) throw new Error("A sign-up made no account");
  return id;
}
