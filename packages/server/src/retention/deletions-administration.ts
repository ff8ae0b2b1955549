import type { Config } from "../config/config.ts";
import { withDatabase } from "../instance/with-database.ts";
import { keepOrganizations, keepPersons } from "./called-off-store.ts";
import { describeEnd, noneCalledOff } from "./held-back.ts";
import { endHoldingBack, findHeldBack, holdBack } from "./held-back-store.ts";

/** A sentence about the wait. */
export function readWait(config: Config, now: number): Promise<string> {
  return withDatabase(config, async (database) => {
    const held = await findHeldBack(database, now);
    if (held === undefined) return "What is too old is deleted: nothing is held back";
    return `Nothing is deleted for its age before ${describeEnd(held)}: the database was set back to ${new Date(held.since).toISOString()}`;
  });
}

export interface WaitOptions {
  readonly days: number;
  /** Call off deletions of accounts and organizations. */
  readonly callsOff: boolean;
  readonly now: number;
}

/** Begins the wait, or gives the one under way another length. */
export function wait(config: Config, { days, callsOff, now }: WaitOptions): Promise<string> {
  return withDatabase(config, (database) =>
    database.transaction().execute(async (transaction) => {
      const held = await findHeldBack(transaction, now);
      const before = held?.calledOff ?? noneCalledOff;
      const organizations = callsOff ? await keepOrganizations(transaction) : [];
      const persons = callsOff ? await keepPersons(transaction) : [];
      const calledOff = {
        organizations: [...before.organizations, ...organizations],
        persons: [...before.persons, ...persons],
      };
      // Deletions that were asked for after a restore are not held back by more days.
      await holdBack(transaction, { since: held?.since ?? now, days, calledOff });
      const count = organizations.length + persons.length;
      const ended = callsOff ? `. Deletions of accounts and organizations that are called off: ${count}` : "";
      return `Nothing is deleted for its age for ${days} days from the next look of the service${ended}`;
    }),
  );
}

export function resume(config: Config): Promise<string> {
  return withDatabase(config, async (database) =>
    (await endHoldingBack(database))
      ? "What is too old is deleted from now on"
      : "What is too old is deleted: nothing was held back",
  );
}
