import { Client, type ClientConfig } from "pg";
import { nameOf } from "./prepared-statements.ts";

/** State that the connections of a pool have in common. */
export interface PoolTraits {
  /** Whether statements may keep their names: a pooler gives each transaction another connection to the server. */
  hasNames: boolean;
  /** Called once, when it turns out that they may not. */
  readonly onNamesLost: () => void;
}

/**
 * 25006: the server accepts no writes. 26000, 42P05: a prepared statement is not there, or is already; a pooler is between,
 * and older than PgBouncer 1.21.
 */
const readOnly = "25006";
const lostNames: readonly unknown[] = ["26000", "42P05"];

const unusable = new WeakSet<Client>();

/** Whether the connection must not be used again. */
export function isUnusable(client: Client): boolean {
  return unusable.has(client);
}

/** The class of a pool's connections: gives statements that are kept prepared their names, for which Kysely has no place. */
export function createClientClass(traits: PoolTraits): typeof Client {
  return class PreparingClient extends Client {
    constructor(config?: string | ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...parameters: unknown[]) => unknown; // whatever overload is called
      const queryByName = (text: unknown, ...rest: unknown[]) => {
        const name = traits.hasNames && typeof text === "string" ? nameOf(text) : undefined;
        const result = query(name === undefined ? text : { name, text }, ...rest);
        return result instanceof Promise ? result.catch((error: unknown) => fail(this, error)) : result;
      };
      this.query = queryByName as Client["query"]; // every overload takes an object in the place of the text
    }
  };

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
