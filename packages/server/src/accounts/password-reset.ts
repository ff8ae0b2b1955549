import type { AccountId } from "@sealpost/wire";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import type { AccountStore } from "./account-store.ts";

export interface PasswordResetDependencies {
  readonly accounts: AccountStore;
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * What follows when a password was set by a mailed link: all that the one before has opened or begun is over, and so are
 * the other links. The lock on codes stays: the mailbox is not the second factor, and who holds it gets no more guesses.
 */
export function createPasswordReset({ accounts, database, clock }: PasswordResetDependencies) {
  return async (accountId: AccountId): Promise<void> => {
    await database.transaction().execute(async (transaction) => {
      await accounts.endSessions(transaction, accountId);
      await accounts.endPending(transaction, accountId);
    });
    // Behind it: an entry that can't be written must not keep a thief's session open.
    const [actor, occurredAt] = [{ type: "nobody" } as const, clock.now()];
    await recordAction(database, { accountId, actor, action: "password.reset_by_mail", occurredAt });
  };
}
