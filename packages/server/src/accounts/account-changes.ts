import type { AccountId } from "@sealpost/wire";
import { staleSession } from "../access/access.ts";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import type { AuditAction, AuditTarget } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountSession, AccountStore } from "./account-store.ts";
import { endInvitationsOf } from "./ended-invitation-store.ts";
import { endLinkedIdentities } from "./identity-store.ts";
import { endPasskeys } from "./passkey-store.ts";

export interface AccountChangeDependencies {
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly clock: Clock;
}

export interface KnownPassword {
  readonly accountId: AccountId;
  readonly email: string;
  readonly hash: string;
}

/**
 * The effects of the sign-in library's actions in the database: entries of the audit log, emails, sessions and keys that end. They
 * are in the library's transaction, in which the person's rights are locked.
 */
export function createAccountChanges({
  accounts,
  apiKeys,
  sendSecurityMail,
  database,
  clock,
}: AccountChangeDependencies) {
  return { tell, changePassword, turnOn, useUp, holdTo };

  /** Tells the audit log what a session did; nothing of one that is not there. */
  async function tell(
    who: AccountSession | string | undefined,
    action: AuditAction,
    target?: AuditTarget | undefined,
  ): Promise<void> {
    const session = typeof who === "string" ? await accounts.findSessionByToken(who) : who;
    if (session === undefined) return;
    const { accountId, id } = session;
    await recordAction(database, {
      accountId,
      actor: { type: "session", id, personId: accountId },
      action,
      occurredAt: clock.now(),
      target,
    });
  }

  /** All that the password before has begun or made is over, but for the passkey of this session. How many API keys were revoked. */
  async function changePassword(
    { accountId, id }: AccountSession,
    { revokes, ownPasskey }: { readonly revokes: boolean; readonly ownPasskey: string | undefined },
  ): Promise<number> {
    const by = { accountId, actor: { type: "session", id, personId: accountId }, occurredAt: clock.now() } as const;
    return database.transaction().execute(async (transaction) => {
      await accounts.endPending(transaction, accountId);
      await endInvitationsOf(transaction, accountId, by);
      if (revokes) await endLinkedIdentities(transaction, accountId, by);
      if (revokes) await endPasskeys(transaction, accountId, by, ownPasskey);
      const count = revokes ? await revokeApiKeys(transaction, apiKeys, accountId, by) : 0;
      await recordAction(transaction, { ...by, action: "password.changed" });
      await sendSecurityMail(transaction, { accountId, event: "password_changed", occurredAt: by.occurredAt, count });
      return count;
    });
  }

  /** Sessions that the password alone has opened end; this browser got another one. */
  async function turnOn({ accountId, id }: AccountSession, token: string | undefined): Promise<void> {
    const by = { accountId, actor: { type: "session", id, personId: accountId }, occurredAt: clock.now() } as const;
    await database.transaction().execute(async (transaction) => {
      await accounts.endSessions(transaction, accountId, token);
      await accounts.endPending(transaction, accountId);
      await endInvitationsOf(transaction, accountId, by);
      await accounts.noteSecondFactor(transaction, accountId, by.occurredAt);
      await recordAction(transaction, { ...by, action: "second_factor.enabled" });
      const event = "second_factor_enabled";
      await sendSecurityMail(transaction, { accountId, event, occurredAt: by.occurredAt });
    });
  }

  /**
   * Who watches somebody type a code must not be able to sign in with it as well, also where it was typed to turn the second
   * factor on (RFC 6238, section 5.2). The library does not look after that.
   */
  async function useUp(asking: AccountSession | undefined, token: string | undefined, code: unknown): Promise<void> {
    const signedIn = asking === undefined && token !== undefined ? await accounts.findSessionByToken(token) : undefined;
    const session = asking ?? signedIn;
    if (session === undefined || typeof code !== "string") return;
    if (await accounts.useCode(session.accountId, code, clock.now())) return;
    if (signedIn === undefined) throw new Problem("forbidden", "This code was used before: enter the next one");
    throw new Problem("forbidden", "This code was used before: sign in again, with the next one");
  }

  /**
   * A sign-in by the password before, which was being checked while another was set, must not outlive it; nor one by the
   * password alone that was being checked while the second factor was turned on.
   */
  async function holdTo({ email, hash }: KnownPassword, token: string | undefined): Promise<void> {
    const session = token === undefined ? undefined : await accounts.findSessionByToken(token);
    if ((await accounts.findPasswordAccount(email))?.passwordHash !== hash)
      throw new Problem("unauthorized", "Email address or password is wrong");
    if (session !== undefined && (await accounts.hasSecondFactor(session.accountId))) throw staleSession();
  }
}
