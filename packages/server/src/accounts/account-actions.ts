import type { AccountId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { AuditAction, AuditTarget } from "../audit-log/audit-entry.ts";
import { recordRepeated } from "../audit-log/audit-log-store.ts";
import type { CountedActions, CountedOccurrence } from "../audit-log/counted-actions.ts";
import type { Auth } from "../authentication/auth.ts";
import { type Body, createOwnHeaders } from "../authentication/better-auth-request.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import type { PersonMail } from "../mail/security-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import { type AccountChangeDependencies, createAccountChanges, type KnownPassword } from "./account-changes.ts";
import type { AccountSession } from "./account-store.ts";
import { createAsking } from "./asking.ts";
import type { BackupCodes } from "./backup-code-store.ts";
import { confirmSession } from "./confirm-session.ts";
import { codesLocked, createCountedCodes } from "./counted-codes.ts";
import { createOwnerCheck } from "./owner-check.ts";
import type { PasskeyStore } from "./passkey-store.ts";
import type { SessionStore } from "./session-store.ts";
import { findSessionToken, parseSignedIn } from "./signed-in-answer.ts";

/** A request to the sign-in library that is on its way, as far as the audit log must know. */
export interface AccountCall {
  /** The first thing in its transaction: nothing else is done for the person meanwhile, nor in a session that has ended. */
  first(transaction: DatabaseTransaction): Promise<void>;
  /**
   * Writes what happened, in the transaction of what the library did. Throws when it can't, when a code was used before, or when
   * the password was replaced meanwhile: then nothing has happened. Gives members to add to the answer.
   */
  succeeded(answer: unknown, cookies: readonly string[]): Promise<object>;
  /** With the status of the library's answer: 401 for a wrong password or code. */
  failed(status: number): Promise<void>;
}

export interface AccountActions {
  /** Tells the account with this email address, if there is one, that too many sign-ins were tried. */
  signInsLimited(email: string): Promise<void>;
  /** Tells the account that too many passwords were tried within a session. */
  passwordsLimited(session: AccountSession): Promise<void>;
  /** Public facts about the person, which strangers try first as a password. */
  findOwnWords(request: FastifyRequest): Promise<readonly string[]>;
  /** Ends the session of the cookie if one of the operator's limits has passed, which the library does not know. */
  endOver(request: FastifyRequest): Promise<void>;
  /** Who asks by a session cookie that is valid now. */
  findSession(request: FastifyRequest): Promise<AccountSession | undefined>;
  /** Ends the session that a new sign-in in the same browser has replaced: nobody could end it there any more. */
  endFormer(former: AccountSession | undefined): Promise<void>;
  /**
   * Throws unless who asks for this path has proved to be the owner, as far as it wants that: by a code with the request, or
   * by a sign-in of the last hour.
   */
  confirm(request: FastifyRequest, path: string, body: Body): Promise<void>;
  /** Makes a session as good as a new sign-in, for who enters what a sign-in asks for. Throws otherwise. */
  freshen(request: FastifyRequest, body: Body): Promise<void>;
  /** Makes new backup codes count, which their owner has seen. Throws otherwise. */
  keepBackupCodes(request: FastifyRequest, body: Body): Promise<void>;
  /** Looks at who asks, before the library changes it. */
  begin(request: FastifyRequest, path: string, body: Body): Promise<AccountCall>;
}

export interface AccountActionDependencies extends AccountChangeDependencies {
  readonly auth: Auth;
  readonly address: OwnAddress;
  readonly countedActions: CountedActions;
  readonly backupCodes: BackupCodes;
  readonly sessions: Pick<SessionStore, "endIfOver">;
  readonly passkeys: Pick<PasskeyStore, "list" | "findOfSession" | "confirmSession" | "isFactorRequired">;
}

/** Actions of a session by a path of the library. Those that sign in are below. */
const sessionActions: Readonly<Record<string, AuditAction>> = {
  "/sign-out": "session.ended",
  "/revoke-session": "session.revoked",
  "/revoke-other-sessions": "session.others_revoked",
  "/two-factor/enable": "second_factor.begun",
  "/two-factor/disable": "second_factor.disabled",
};
const codePaths = ["/two-factor/verify-totp", "/two-factor/verify-backup-code"];
/** Those of the actions above that somebody else may have done: they are also notified by email. */
const mailedActions: Readonly<Record<string, PersonMail["event"]>> = {
  "/two-factor/disable": "second_factor_disabled",
};
/** Members that would let somebody in without the app. */
const newCodesPath = "/two-factor/generate-backup-codes";
const confirmedPaths = ["/two-factor/disable", newCodesPath];
const signInPaths = ["/sign-up/email", "/sign-in/email", ...codePaths];

/**
 * What happens through the sign-in library, and what follows from it, is one transaction (`runAsUnit`): the library's rows, what
 * ends with them, the entry in the audit log and the email.
 */
export function createAccountActions(dependencies: AccountActionDependencies): AccountActions {
  const {
    auth,
    address,
    accounts,
    sessions,
    passkeys,
    sendSecurityMail,
    database,
    clock,
    countedActions,
    backupCodes,
  } = dependencies;
  const codes = createCountedCodes(dependencies);
  const asks = createAsking(dependencies);
  const { findSession } = asks;
  const check = createOwnerCheck({ ...dependencies, codes });
  const { tell, changePassword, turnOn, useUp, holdTo } = createAccountChanges(dependencies);
  const actionOf = (path: string) => (Object.hasOwn(sessionActions, path) ? sessionActions[path] : undefined);

  return {
    async endOver({ headers: { cookie } }) {
      if (cookie === undefined) return;
      // Or the answer that renews the cookie would be this one, which nobody gets.
      const query = { disableRefresh: true };
      const found = await auth.api.getSession({ headers: createOwnHeaders(address, cookie), query });
      if (found !== null) await sessions.endIfOver(found.session.id, clock.now());
    },
    findSession,
    endFormer,
    async findOwnWords({ headers: { cookie } }) {
      if (cookie === undefined) return [];
      const found = await auth.api.getSession({ headers: createOwnHeaders(address, cookie) });
      return found === null ? [] : [found.user.email, found.user.name];
    },
    async signInsLimited(email) {
      const accountId = await accounts.findByEmail(email.trim());
      if (accountId === undefined) return;
      const [actor, occurredAt] = [{ type: "nobody" } as const, clock.now()];
      await recordRepeated(database, { accountId, actor, action: "sign_in.limited", occurredAt });
    },
    async passwordsLimited({ accountId, id }) {
      const [actor, occurredAt] = [{ type: "session", id, personId: accountId } as const, clock.now()];
      await recordRepeated(database, { accountId, actor, action: "password.limited", occurredAt });
    },
    async confirm(request, path, body) {
      // `verify-totp` too: the app's secret may be older than the passkey, or the rule.
      if (["/two-factor/enable", "/change-password", "/two-factor/verify-totp"].includes(path))
        await asks.requireProven(request, path);
      if (path === "/two-factor/verify-totp") return asks.requireFreshSetUp(request);
      if (!confirmedPaths.includes(path)) return;
      const asking = await findSession(request);
      // Not left to the library: it must not be asked by a session that was not looked at.
      if (asking === undefined) throw new Problem("unauthorized", "Invalid or missing authentication");
      if (asking.hasSecondFactor) await check.passwordAndCode(request, asking, body);
    },
    async freshen(request, body) {
      const asking = await findSession(request);
      if (asking === undefined) throw new Problem("unauthorized", "Invalid or missing authentication");
      if (asking.hasSecondFactor) await check.passwordAndCode(request, asking, body);
      else {
        await asks.requirePasskeyAgain(asking);
        await check.password(request, body);
      }
      // It is allowed below the disk's floor, and never refused: with it an owner ends what somebody else set up.
      await confirmSession(dependencies, asking);
    },
    async keepBackupCodes(request, { proposal }) {
      const asking = await findSession(request);
      if (asking === undefined) {
        await accounts.probe();
        throw new Problem("unauthorized", "Invalid or missing authentication");
      }
      await backupCodes.keep(asking, proposal);
    },
    async begin(request, path, body) {
      const isRecorded =
        actionOf(path) !== undefined || ["/change-password", newCodesPath, ...codePaths].includes(path);
      const asking = isRecorded ? await findSession(request) : undefined;
      const target = path === "/revoke-session" ? await findOwn(asking, body.token) : undefined;
      const challenged =
        codePaths.includes(path) && asking === undefined ? await asks.requireChallenged(request) : undefined;
      // Within a session too: with a stolen one, codes could be tried without end.
      const trying = codePaths.includes(path) ? (challenged ?? asking?.accountId) : undefined;
      const tried = trying !== undefined && (await codes.take(trying)) ? trying : undefined;
      if (challenged !== undefined && tried === undefined) throw codesLocked();
      const before = asking && (await accounts.findBySession(asking.id, clock.now()));
      const isChange = path === "/change-password" && asking !== undefined;
      const ownPasskey = isChange ? await passkeys.findOfSession(asking.id) : undefined;
      const signingIn = path === "/sign-in/email" ? await findPassword(body.email) : undefined;
      const former = path === "/sign-in/email" ? await findSession(request) : undefined;
      const concerned = asking?.accountId ?? challenged ?? signingIn?.accountId;
      let codesBefore: string | undefined;
      return {
        async first(transaction) {
          if (concerned !== undefined) await lockRightsOf(transaction, concerned);
          if (asking === undefined || path === "/sign-out") return;
          if ((await accounts.findBySession(asking.id, clock.now(), transaction)) === undefined)
            throw new Problem("unauthorized", "Invalid or missing authentication");
          if (path === newCodesPath) codesBefore = await backupCodes.find(transaction, asking.accountId);
        },
        async succeeded(answer, cookies) {
          if (codesBefore !== undefined && asking !== undefined)
            return { proposal: await backupCodes.propose(asking.accountId, codesBefore) };
          if (tried !== undefined) await codes.unlock(tried);
          if (signingIn !== undefined) await holdTo(signingIn, parseSignedIn(answer));
          if (path === "/change-password" && asking !== undefined) {
            // The password alone is no sign-in to this account: the session that it made is as fresh as the one before.
            const made = await findSignedIn(answer);
            const isBoth = asking.hasSecondFactor || ownPasskey !== undefined;
            if (isBoth && made !== undefined && before !== undefined)
              await accounts.setAuthenticatedAt(made.id, before.authenticatedAt);
            const revokes = body.revokeApiKeys !== false;
            const apiKeysRevoked = await changePassword(asking, { revokes, ownPasskey });
            if (ownPasskey !== undefined && made !== undefined) await passkeys.confirmSession(made.id, ownPasskey);
            return { apiKeysRevoked };
          }
          if (path === "/two-factor/enable" && asking?.hasSecondFactor === false)
            await accounts.setAuthenticatedAt(asking.id, clock.now());
          if (path === "/two-factor/verify-backup-code")
            await tell(asking ?? parseSignedIn(answer), "second_factor.backup_code_used");
          if (path === "/two-factor/verify-totp") await useUp(asking, parseSignedIn(answer), body.code);
          if (path === "/two-factor/verify-totp" && asking !== undefined && !asking.hasSecondFactor)
            await turnOn(asking, findSessionToken(cookies));
          if (path === "/sign-up/email") await tell(parseSignedIn(answer), "account.created");
          if (signInPaths.includes(path) && asking === undefined) await tell(parseSignedIn(answer), "session.started");
          await endFormer(former);
          const action = actionOf(path);
          if (action === undefined || (path === "/revoke-session" && target === undefined)) return {};
          if (path === "/two-factor/disable" && asking?.hasSecondFactor !== true) return {};
          await tell(asking, action, target);
          const event = mailedActions[path];
          if (event !== undefined && asking !== undefined)
            await sendSecurityMail(database, { accountId: asking.accountId, event, occurredAt: clock.now() });
          return {};
        },
        async failed(status) {
          if (signingIn !== undefined) noteFailed(signingIn.email);
          if (tried === undefined) return;
          const by = asking && ({ type: "session", id: asking.id, personId: asking.accountId } as const);
          if (status === 401) await codes.noteWrong(tried, by ?? { type: "nobody" });
          else await codes.giveBack(tried);
        },
      };
    },
  };

  async function endFormer(former: AccountSession | undefined): Promise<void> {
    if (former === undefined) return;
    await accounts.endSession(former.id);
    await tell(former, "session.ended");
  }

  function noteFailed(email: string): void {
    countedActions.noteLater(async () => {
      const accountId = await accounts.findByEmail(email);
      return accountId && failedSignIn(accountId);
    });
  }

  async function findSignedIn(answer: unknown): Promise<AccountSession | undefined> {
    const token = parseSignedIn(answer);
    return token === undefined ? undefined : accounts.findSessionByToken(token);
  }

  async function findPassword(email: unknown): Promise<KnownPassword | undefined> {
    if (typeof email !== "string") return undefined;
    const account = await accounts.findPasswordAccount(email);
    return account && { email, accountId: account.id, hash: account.passwordHash };
  }

  async function findOwn(asking: AccountSession | undefined, token: unknown): Promise<AuditTarget | undefined> {
    if (asking === undefined || typeof token !== "string") return undefined;
    const session = await accounts.findSessionByToken(token);
    return session?.accountId === asking.accountId ? { type: "session", id: session.id } : undefined;
  }
}

function failedSignIn(accountId: AccountId): CountedOccurrence {
  return { accountId, actor: { type: "nobody" }, action: "sign_in.failed", counts: { passwords: 1 } };
}
