import { isDatabaseUnreachable } from "./errors.ts";
import { createFailedRows, type FailedRows } from "./failed-rows.ts";

export interface RowsApart<Id extends string, Row, Context> {
  /** Removes a batch of the rows of `id` in one transaction. False: nothing can be done for now. */
  readonly work: (id: Id, context: Context) => Promise<boolean>;
  /** Rows after `after`, or from the first one, in one order; at most `max`. */
  readonly find: (id: Id, context: Context, after: Row | undefined, max: number) => Promise<readonly Row[]>;
  /** Removes these in one transaction. False: nothing can be done for now. */
  readonly remove: (id: Id, context: Context, rows: readonly Row[]) => Promise<boolean>;
  readonly nameOf: (row: Row) => string;
}

/** Rows of one look for those that can't be removed: a transaction for each, if there is one among them. */
const batchApart = 100;

interface Walk<Row> {
  readonly failed: FailedRows;
  after: Row | undefined;
  isWorking: boolean;
}

/**
 * The same work, past rows that the database refuses to remove: after a batch that failed, each step goes through some of the rows, and a
 * `FailedRowsError` with those that stay is thrown once all others are gone.
 */
export function createRowsApart<Id extends string, Row, Context>({
  work,
  find,
  remove,
  nameOf,
}: RowsApart<Id, Row, Context>): (id: Id, context: Context) => Promise<boolean> {
  /** The walk through each with a batch that failed. */
  const walks = new Map<Id, Walk<Row>>();

  return async (id, context) => {
    const walk = walks.get(id) ?? { failed: createFailedRows(), after: undefined, isWorking: false };
    if (!walks.has(id))
      try {
        return await work(id, context);
      } catch (error) {
        if (isDatabaseUnreachable(error)) throw error;
        walks.set(id, walk);
      }
    const rows = await find(id, context, walk.after, batchApart);
    if (rows.length > 0 && (await removeEach(id, context, rows, walk.failed))) walk.isWorking = true;
    walk.after = rows.at(-1);
    if (rows.length > 0) return true;
    walks.delete(id);
    walk.failed.throwAny();
    return walk.isWorking;
  };

  /** Whether it has removed any: all in one transaction, or each in its own. */
  async function removeEach(id: Id, context: Context, rows: readonly Row[], failed: FailedRows): Promise<boolean> {
    try {
      return await remove(id, context, rows);
    } catch (error) {
      if (isDatabaseUnreachable(error)) throw error;
    }
    let isAny = false;
    for (const row of rows)
      try {
        if (await remove(id, context, [row])) isAny = true;
      } catch (error) {
        failed.add(nameOf(row), error);
      }
    return isAny;
  }
}
