import { Client, type ClientBase, type ClientConfig } from "pg";
import { findKept, type KeptStatement } from "./prepared-statements.ts";

/** State that the connections of a pool have in common. */
export interface PoolTraits {
  /** Whether statements may keep their names: a pooler gives each transaction another connection to the server. */
  hasNames: boolean;
  /** Statements that say for each transaction what its connection does not: a pooler gives the settings of a connection to nobody. */
  readonly transactionSettings: Set<string>;
  /** Monotone, in milliseconds. */
  readonly now: () => number;
  /** Called once, when it turns out that they may not. */
  readonly onNamesLost: () => void;
}

/**
 * 25006: the server accepts no writes. 26000, 42P05: a prepared statement is not there, or is already; a pooler is between,
 * and older than PgBouncer 1.21.
 */
const readOnly = "25006";
const lostNames: readonly unknown[] = ["26000", "42P05"];

/** The function of PostgreSQL that warns; its words depend on the server's language (syncrep.c). */
const standbyWait = "SyncRepWaitForLSN";
const resolutionUnknown = "08007";

const unusable = new WeakSet<Client>();

/** Whether the connection must not be used again. */
export function isUnusable(client: Client): boolean {
  return unusable.has(client);
}

/** How long a transaction may stand still: whose process hangs would hold up everybody who waits for its rows. The server ends it. */
export const idleInTransactionMilliseconds = 15_000;
const beginsTransaction = /^(begin|start transaction)\b/;
const limitTransaction = `set local idle_in_transaction_session_timeout = ${idleInTransactionMilliseconds}`;
/** An answer comes after its commit is on the disk (contract, section 8.3), also where that is switched off for the server or the user. */
const commitToDisk = "set local synchronous_commit = on";

/**
 * Reads whether the server ends transactions of this connection that stand still, as poolers pass that setting on to none, or refuse it; and
 * whether it answers before a commit is on its disk.
 */
export async function noteSettings(client: Pick<ClientBase, "query">, traits: PoolTraits): Promise<void> {
  const { rows } = await client.query<{ readonly limit: string; readonly commit: string }>(
    "select current_setting('idle_in_transaction_session_timeout') as limit, current_setting('synchronous_commit') as commit",
  );
  if (rows[0]?.limit === "0") traits.transactionSettings.add(limitTransaction);
  if (rows[0]?.commit === "off") traits.transactionSettings.add(commitToDisk);
}

/** How old the plan of a search may become, in milliseconds. */
export const planMilliseconds = 1000;

/** The parts of pg's connection that hold which statements it has prepared; its types leave them out. */
interface Statements {
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

/** The class of a pool's connections: gives statements that are kept prepared their names, for which Kysely has no place. */
export function createClientClass(traits: PoolTraits): typeof Client {
  return class PreparingClient extends Client {
    readonly #plannedAt = new Map<string, number>();
    #isCorked = false;
    #isUnconfirmed = false;

    constructor(config?: string | ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...parameters: unknown[]) => unknown; // whatever overload is called
      const queryByName = (text: unknown, ...rest: unknown[]) => {
        const kept = traits.hasNames && typeof text === "string" ? findKept(text) : undefined;
        this.#gather();
        if (kept?.isSearch) this.#forgetOld(kept);
        const result = query(kept === undefined ? withSettings(text) : { name: kept.name, text }, ...rest);
        return result instanceof Promise
          ? result.then(this.#requireConfirmed).catch((error: unknown) => fail(this, error))
          : result;
      };
      this.query = queryByName as Client["query"]; // every overload takes an object in the place of the text
      this.on("notice", ({ routine }) => {
        if (routine === standbyWait) this.#isUnconfirmed = true;
      });
    }

    /** A commit whose wait for a synchronous standby was cancelled succeeds, with a warning before its end. Answers come in the order of the statements. */
    readonly #requireConfirmed = <Result>(result: Result): Result => {
      if (!this.#isUnconfirmed) return result;
      this.#isUnconfirmed = false;
      throw Object.assign(new Error("The wait of a commit for its standby was cancelled"), {
        severity: "ERROR",
        code: resolutionUnknown,
      });
    };

    /** All statements of one turn are written at once: one system call, and the server wakes up once. */
    #gather(): void {
      if (this.#isCorked) return;
      this.#isCorked = true;
      const { stream } = this.connection;
      stream.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }

    /** Closes a search that was planned too long ago: the query that follows prepares it again. */
    #forgetOld({ name }: KeptStatement): void {
      const now = traits.now();
      const plannedAt = this.#plannedAt.get(name);
      if (plannedAt !== undefined && now - plannedAt < planMilliseconds) return;
      this.#plannedAt.set(name, now);
      if (plannedAt === undefined) return;
      // Between what was written before and what is next. Unlike `deallocate` it is allowed in a transaction that has failed,
      // poolers that keep names understand it, and closing what is not there is no error (PostgreSQL, protocol flow, "Close").
      this.connection.close({ type: "S", name }, false);
      const { parsedStatements, submittedNamedStatements } = this.connection as unknown as Statements; // see above
      delete parsedStatements[name];
      delete submittedNamedStatements[name];
    }
  };

  /** All go as one: nothing that fails in between leaves a transaction without its settings, and none costs a round trip. */
  function withSettings(text: unknown): unknown {
    const isBeginning = typeof text === "string" && beginsTransaction.test(text);
    return isBeginning ? [text, ...traits.transactionSettings].join("; ") : text;
  }

  function fail(client: Client, error: unknown): never {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (lostNames.includes(code) && traits.hasNames) {
      traits.hasNames = false;
      traits.onNamesLost();
    }
    if (code === readOnly || lostNames.includes(code)) unusable.add(client);
    throw error;
  }
}
