import { AsyncLocalStorage } from "node:async_hooks";
import { StatementSync } from "node:sqlite";
import { Client } from "pg";
import { testDatabaseKind } from "./test-database.ts";

export interface StatementCuts {
  /**
   * Does `work`, and loses the database where something would last for the time with this number, counted from 0: before it commits,
   * or before it writes outside a transaction. Whatever else is done in the process is not concerned.
   */
  during<Result>(index: number, work: () => Promise<Result>): Promise<Result>;
  /** Does `work`, and loses the database at its statement with this number, whatever it asks; the next one is answered. Says whether it had so many. */
  atStatement<Result>(
    index: number,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly isCut: boolean }>;
}

/**
 * Loses the database in this process in the middle of what is done. On PostgreSQL its connection breaks; SQLite says that it can't
 * write. Call it before the service starts: a connection of PostgreSQL knows how it asks from its beginning.
 */
export function createStatementCuts(t: { after(work: () => void): void }): StatementCuts {
  const countdowns = new AsyncLocalStorage<{ left: number; readonly counts: "lasting" | "every" }>();
  const inTransaction = new WeakSet<object>();
  const isCut = (connection: object, text: string) => {
    const [verb = ""] = /^[a-z]+/.exec(text.trim().toLowerCase()) ?? [];
    if (verb === "begin") inTransaction.add(connection);
    const lasts = verb === "commit" || (writes.includes(verb) && !inTransaction.has(connection));
    if (verb === "commit" || verb === "rollback") inTransaction.delete(connection);
    const countdown = countdowns.getStore();
    const counts = lasts || (countdown?.counts === "every" && verb !== "begin" && verb !== "rollback");
    return counts && countdown !== undefined && countdown.left-- === 0;
  };
  t.after(testDatabaseKind === "sqlite" ? cutSqlite(isCut) : cutPostgres(isCut));
  return {
    during: (index, work) => countdowns.run({ left: index, counts: "lasting" }, work),
    async atStatement(index, work) {
      const countdown = { left: index, counts: "every" as const };
      const result = await countdowns.run(countdown, work);
      return { result, isCut: countdown.left < 0 };
    },
  };
}

const writes = ["insert", "update", "delete", "with"];
type IsCut = (connection: object, text: string) => boolean;

function cutSqlite(isCut: IsCut): () => void {
  const { run, all } = StatementSync.prototype;
  const cutting = <Method extends typeof run | typeof all>(method: Method) =>
    function (this: StatementSync, ...asked: Parameters<Method>) {
      // A service has one connection. SQLITE_IOERR.
      if (isCut(StatementSync, this.sourceSQL))
        throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
      return Reflect.apply(method, this, asked);
    } as Method; // with its parameters and result
  Object.assign(StatementSync.prototype, { run: cutting(run), all: cutting(all) });
  return () => Object.assign(StatementSync.prototype, { run, all });
}

function cutPostgres(isCut: IsCut): () => void {
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...asked: unknown[]) {
    const [first] = asked;
    const text = typeof first === "string" ? first : (first as { readonly text?: string } | undefined)?.text; // pg's other forms
    // The driver's own, not in its types.
    const { stream } = (this as unknown as { readonly connection: { readonly stream: { destroy(): void } } })
      .connection;
    if (text !== undefined && isCut(this, text)) stream.destroy();
    return Reflect.apply(query, this, asked);
  } as typeof query; // whatever overload is called
  return () => {
    Client.prototype.query = query;
  };
}
