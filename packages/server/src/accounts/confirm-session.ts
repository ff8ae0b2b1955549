import { recordRepeated } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountSession, AccountStore } from "./account-store.ts";

export interface ConfirmSessionDependencies {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, "findBySession" | "setAuthenticatedAt">;
  readonly clock: Clock;
}

export interface Confirmation {
  /** Anything else that is written about it. */
  readonly note?: () => Promise<void>;
  /** When the proof was given; now, unless it says otherwise. */
  readonly provenAt?: number;
  /** Thrown where the session has ended since, in place of a 401. */
  readonly refusal?: Error;
}

/**
 * Makes a session as good as a new sign-in, for somebody who has just proved to be its person: the session and its entry in the audit log,
 * or neither.
 */
export function confirmSession(
  { database, accounts, clock }: ConfirmSessionDependencies,
  { id, accountId }: Pick<AccountSession, "id" | "accountId">,
  { note, provenAt, refusal }: Confirmation = {},
): Promise<void> {
  return runAsUnit(
    database,
    async () => {
      await note?.();
      const occurredAt = clock.now();
      await accounts.setAuthenticatedAt(id, Math.min(provenAt ?? occurredAt, occurredAt));
      const actor = { type: "session", id, personId: accountId } as const;
      await recordRepeated(database, { accountId, actor, action: "session.confirmed", occurredAt });
    },
    {
      async first(transaction) {
        await lockRightsOf(transaction, accountId);
        if ((await accounts.findBySession(id, clock.now(), transaction)) === undefined)
          throw refusal ?? new Problem("unauthorized", "Invalid or missing authentication");
      },
    },
  );
}
