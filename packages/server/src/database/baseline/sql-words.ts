import type { DatabaseKind } from "../kind.ts";

/** The words of the baseline that the two databases spell differently. Integers and text are the same. */
export interface SqlWords {
  readonly bytes: string;
  /** The type of a text whose order matters: by bytes, as in code, whatever the database's language is. */
  readonly byBytes: string;
  /** The sign-in library's times. */
  readonly date: string;
  readonly no: string;
  /** The type of a submission's sequence where another table has it: on SQLite, it has to be `integer` to number the rows. */
  readonly sequence: string;
  /**
   * A column that counts up on its own, and the end of its table, which makes it the key: on SQLite the column is the key, and on
   * PostgreSQL each key of a submission's tables ends with the form (docs/decisions/0020-keys-with-the-form.md).
   */
  readonly counter: string;
  counterKey(table: string, column: string): string;
  /** A key that counts up in a table that no copy has. */
  readonly counterOnly: string;
  /** The same end of a key whose column has a type of its own. */
  readonly withForm: string;
}

export function wordsOf(kind: DatabaseKind): SqlWords {
  return kind === "postgres" ? postgresWords : sqliteWords;
}

const sqliteWords: SqlWords = {
  bytes: "blob",
  byBytes: "",
  date: "date",
  no: "0",
  sequence: "integer",
  counter: "integer primary key autoincrement",
  counterKey: () => "",
  counterOnly: "integer primary key",
  withForm: "",
};

const postgresWords: SqlWords = {
  bytes: "bytea",
  byBytes: ' collate "C"',
  date: "timestamptz",
  no: "false",
  sequence: "bigint",
  counter: "bigserial",
  counterKey: (table, column) => `, constraint ${table}_primary primary key (${column}, form_id)`,
  counterOnly: "bigserial primary key",
  withForm: ", form_id",
};
