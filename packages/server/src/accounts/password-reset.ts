import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { OnPasswordReset } from "../authentication/auth.ts";
import type { Database } from "../database/database.ts";
import { lockProof } from "../database/membership.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountStateStore } from "./account-state-store.ts";
import type { AccountStore } from "./account-store.ts";
import { endInvitationsOf } from "./ended-invitation-store.ts";
import { endLinkedIdentities } from "./identity-store.ts";
import { endPasskeys } from "./passkey-store.ts";

export interface PasswordResetDependencies {
  readonly accounts: AccountStore;
  readonly accountStates: AccountStateStore;
  readonly apiKeys: ApiKeyStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * What follows when a password was set by a mailed link: all that the one before has opened, begun or made is over, and so
 * are the other links. Who got the mail has verified the address. The lock on codes stays: the mailbox is not the second
 * factor, and who holds it gets no more guesses. In the transaction of the library, in which the person's rights are locked.
 */
export function createPasswordReset(dependencies: PasswordResetDependencies): OnPasswordReset {
  const { accounts, accountStates, apiKeys, sendSecurityMail, database, clock } = dependencies;
  return async (accountId, keepsApiKeys) => {
    const by = { accountId, actor: { type: "nobody" }, occurredAt: clock.now() } as const;
    // Then the person who made the account is a stranger to who has the address.
    const isUnproven = await accountStates.isVerificationNeeded(accountId);
    await database.transaction().execute(async (transaction) => {
      await lockProof(transaction, accountId);
      await accounts.endSessions(transaction, accountId);
      await accounts.endPending(transaction, accountId);
      await endInvitationsOf(transaction, accountId, by);
      await accountStates.markVerified(transaction, accountId);
      if (isUnproven) await endLinkedIdentities(transaction, accountId, by, "all");
      else if (!keepsApiKeys) await endLinkedIdentities(transaction, accountId, by);
      if (isUnproven || !keepsApiKeys) await endPasskeys(transaction, accountId, by);
      const count = keepsApiKeys ? 0 : await revokeApiKeys(transaction, apiKeys, accountId, by);
      await recordAction(transaction, { ...by, action: "password.reset_by_mail" });
      await sendSecurityMail(transaction, { accountId, event: "password_reset", occurredAt: by.occurredAt, count });
    });
  };
}
