import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { createDatabaseFile } from "./database-file.ts";
import { throwOfDatabase } from "./errors.ts";
import { rememberErrors } from "./errors-of-database.ts";
import { unicodeLower } from "./lower-case.ts";
import { RowBatch } from "./row-batch.ts";

/** How long a statement waits for another process that writes. */
export const busyMilliseconds = 5000;

const preparedMax = 500;

/**
 * FULL: a commit is on the disk when it returns, which is what a 201 promises. WAL: readers don't stop the writer.
 * 64 MiB of pages in memory: with SQLite's 2 MB the service accepted 6,200 submissions a second where it then accepted 11,100
 * (64 clients, 2 cores, 2026-11-21). Pages of 8 KiB hold five sealed submissions and SQLite's 4 KiB two: a tenth more a second;
 * a file keeps the pages that it was made with. 10 MB of log before it is copied into the file, for which a commit waits: with 40 MB
 * the slowest of a hundred requests took up to 100 ms at 256 clients, with 10 MB 50 ms, for at most a twentieth fewer a second.
 * What is deleted is overwritten with zeros, and leaves the log too (`truncateLog`).
 */
const pragmas = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = ${busyMilliseconds};
  PRAGMA wal_autocheckpoint = 1250;
  PRAGMA cache_size = -65536;
  PRAGMA secure_delete = ON;
  PRAGMA trusted_schema = OFF;
`;

/**
 * Kysely's own SQLite dialect over Node's `node:sqlite`. Statements are kept prepared by their text, because preparing
 * costs more than most of our queries do.
 */
export function createSqliteDialect(file: string): Dialect {
  createDatabaseFile(file); // SQLite itself would let everybody read it; its other files follow this one's mode
  return createDialect(open(file));
}

/** An empty database that is gone when it is closed. */
export function createMemoryDialect(): Dialect {
  return createDialect(open(":memory:"));
}

function createDialect(database: DatabaseSync): Dialect {
  database.function(unicodeLower, { deterministic: true }, (text) =>
    typeof text === "string" ? text.toLowerCase() : null,
  );
  return rememberErrors(new TransactionalSqliteDialect({ database: adapt(database) }));
}

function open(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file);
    database.exec(pragmas);
    return database;
  } catch (error) {
    return throwOfDatabase(error);
  }
}

/** SQLite's data definition is transactional; Kysely's adapter says no, and would leave a failed migration half done. */
class TransactionalSqliteDialect extends SqliteDialect {
  override createAdapter() {
    return new TransactionalSqliteAdapter();
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      // A full disk rolls back by itself, and rolling back again would fail and hide what happened.
      if (text === "rollback" && !database.isTransaction) return nothingToDo;
      // Kysely's `begin` would wait for nobody if another process (an account command, say) began to write first.
      const sql = text === "begin" ? "begin immediate" : text;
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (prepared.size >= preparedMax) prepared.clear();
      const statement = adaptStatement(database.prepare(sql));
      prepared.set(sql, statement);
      return statement;
    },
  };
}

const nothingToDo: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

function adaptStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]; // Kysely compiles nothing else; node:sqlite refuses the rest
  function runRows(batch: RowBatch) {
    let changes = 0;
    for (const row of batch.rows) {
      const written = Number(statement.run(...values(row)).changes);
      batch.record(written > 0);
      changes += written;
    }
    return { changes, lastInsertRowid: 0 };
  }
  return {
    reader: statement.columns().length > 0,
    all(parameters) {
      const [batch] = parameters;
      return batch instanceof RowBatch
        ? batch.rows.flatMap((row) => statement.all(...values(row)))
        : statement.all(...values(parameters));
    },
    run(parameters) {
      const [batch] = parameters;
      return batch instanceof RowBatch ? runRows(batch) : statement.run(...values(parameters));
    },
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
