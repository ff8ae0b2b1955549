import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordRepeated } from "../audit-log/audit-log-store.ts";
import type { CountedActions } from "../audit-log/counted-actions.ts";
import { toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import type { Database } from "../database/database.ts";
import type { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountStore } from "./account-store.ts";

export interface CountedCodesDependencies {
  readonly accounts: Pick<AccountStore, "takeTry" | "giveBackTry" | "isLocked" | "unlock">;
  readonly countedActions: CountedActions;
  readonly database: Database;
  readonly clock: Clock;
}

/** Codes of a second factor are counted before they are compared, wherever one is asked for: at a sign-in, and within a session. */
export interface CountedCodes {
  /** Throws while no code is taken. False where there is no second factor, nor one that was begun. */
  take(accountId: AccountId): Promise<boolean>;
  /** For a wrong one: the audit log counts it, and says that codes are locked where this was one too many. */
  noteWrong(accountId: AccountId, actor: AuditActor): Promise<void>;
  /** For one that was not compared after all. */
  giveBack(accountId: AccountId): Promise<void>;
  /** For a right one: the count begins again. */
  unlock(accountId: AccountId): Promise<void>;
}

export function createCountedCodes({
  accounts,
  countedActions,
  database,
  clock,
}: CountedCodesDependencies): CountedCodes {
  return {
    async take(accountId) {
      if (await accounts.takeTry(accountId, clock.now())) return true;
      if (await accounts.isLocked(accountId, clock.now())) throw codesLocked();
      return false;
    },
    async noteWrong(accountId, actor) {
      countedActions.note({ accountId, actor, action: "sign_in.failed", counts: { codes: 1 } });
      const occurredAt = clock.now();
      if (await accounts.isLocked(accountId, occurredAt))
        await recordRepeated(database, { accountId, actor, action: "second_factor.locked", occurredAt });
    },
    giveBack: (accountId) => accounts.giveBackTry(accountId),
    unlock: (accountId) => accounts.unlock(accountId),
  };
}

export function codesLocked(): Problem {
  return toBetterAuthProblem(429, JSON.stringify({ code: "ACCOUNT_TEMPORARILY_LOCKED" }), {});
}
