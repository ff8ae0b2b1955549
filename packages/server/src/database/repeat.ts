import { isDeadlock } from "./errors.ts";

const attemptsMax = 10;

/**
 * Runs a transaction again that the database rolled back because it and another one waited for each other: a migration, say, that
 * takes locks on tables in another order, or on another server first.
 */
export async function repeatAfterDeadlock<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isDeadlock(error) || attempt === attemptsMax) throw error;
    }
  }
}
