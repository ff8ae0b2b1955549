import { isDatabaseUnreachable } from "./errors.ts";

/** The work of some rows failed, and that of all others was done. Its cause is the first of the failures. */
export class FailedRowsError extends Error {
  readonly rows: readonly string[];

  constructor(rows: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = cause instanceof Error ? cause.name : typeof cause;
    this.rows = rows;
  }
}

export interface FailedRows {
  /** Keeps a failure until all others have had their turn. Throws it where the database can't be reached, as `addFailure` does. */
  add(row: string, error: unknown): void;
  /** Throws what was kept, if anything was, and forgets it. */
  throwAny(): void;
}

/** So many are named; the rest fail again at the next run, and are named once these are mended. */
const namedMax = 100;

export function createFailedRows(): FailedRows {
  let rows: string[] = [];
  let first: unknown;
  return {
    add(row, error) {
      if (isDatabaseUnreachable(error)) throw error;
      if (rows.length === 0) first = error;
      if (rows.length < namedMax) rows.push(row);
    },
    throwAny() {
      if (rows.length === 0) return;
      const failed = new FailedRowsError(rows, first);
      rows = [];
      throw failed;
    },
  };
}

/** Bounds what is remembered of what was logged; then it is logged once more. */
const reportedMax = 10_000;

/** Logs what fails in the background: that of a row once, however often it is tried. No message: it may hold what somebody wrote. */
export function createReport(
  log: { error(details: object, message: string): void },
  name: string,
): (error: unknown) => void {
  const reported = new Set<string>();
  function reportOne(error: unknown): void {
    const errorName = error instanceof Error ? error.name : typeof error;
    if (!(error instanceof FailedRowsError)) {
      log.error({ name: errorName }, name);
      return;
    }
    const rows = error.rows.filter((row) => !reported.has(row));
    if (rows.length === 0) return;
    if (reported.size > reportedMax) reported.clear();
    for (const row of rows) reported.add(row);
    log.error({ name: errorName, rows }, name);
  }
  return (error) => {
    for (const one of error instanceof AggregateError ? error.errors : [error]) reportOne(one);
  };
}
