/** A placeholder for a statement's parameters on SQLite: the statement is run once for each row. */
export class RowBatch {
  readonly rows: readonly (readonly unknown[])[];
  readonly #written: boolean[] = [];

  constructor(rows: readonly (readonly unknown[])[]) {
    this.rows = rows;
  }

  /** Called for each row in turn with whether it changed anything. */
  record(isWritten: boolean): void {
    this.#written.push(isWritten);
  }

  isWritten(index: number): boolean {
    return this.#written[index] === true;
  }
}
