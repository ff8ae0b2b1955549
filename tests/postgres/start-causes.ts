import { once } from "node:events";
import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Database } from "../../packages/server/src/database/database.ts";
import type { DatabaseProxy } from "./database-proxy.ts";

/** The surroundings of a service, which a test spoils and mends. */
export interface Surroundings {
  readonly folder: string;
  readonly port: number;
  /** The service's way to its database. */
  readonly proxy: DatabaseProxy;
  /** The same database, on a way that stays open. */
  readonly database: Database;
}

/** A reason for a start to fail. */
export interface Cause {
  readonly name: string;
  begin(surroundings: Surroundings): Promise<unknown>;
  end(surroundings: Surroundings): Promise<unknown>;
  /** The start does not fail, but waits. */
  readonly isSilent?: true;
  /** It needs a database that was started on before. */
  readonly isOfKnownInstance?: true;
  /** It can't come up while the service holds the port. */
  readonly isFirstStartAlone?: true;
}

export const validToken = "a-token-of-more-than-20-characters";
const newerMigration = "9999-newer";
let listener: Server | undefined;

export const makeSecret = (byte: number) => Buffer.alloc(32, byte).toString("base64");
export const secretFile = (folder: string) => join(folder, "secret");
export const tokenFile = (folder: string) => join(folder, "metrics-token");
export const crashFile = (folder: string) => join(folder, "crash");

export const causes: readonly Cause[] = [
  {
    name: "PostgreSQL is off",
    begin: ({ proxy }) => proxy.refuse(),
    end: ({ proxy }) => proxy.pass(),
  },
  {
    name: "PostgreSQL takes connections and does not answer",
    isSilent: true,
    begin: ({ proxy }) => proxy.mute(),
    end: ({ proxy }) => proxy.pass(),
  },
  {
    name: "the secret is another one",
    isOfKnownInstance: true,
    begin: async ({ folder }) => writeFileSync(secretFile(folder), makeSecret(8)),
    end: async ({ folder }) => writeFileSync(secretFile(folder), makeSecret(7)),
  },
  {
    name: "the port is in use",
    isFirstStartAlone: true,
    async begin({ port }) {
      listener = createServer().listen(port, "127.0.0.1");
      await once(listener, "listening");
    },
    async end() {
      if (listener === undefined) return;
      const closed = once(listener, "close");
      listener.close();
      await closed;
    },
  },
  {
    name: "the file of the secret is unusable",
    async begin({ folder }) {
      renameSync(secretFile(folder), `${secretFile(folder)}.away`);
      mkdirSync(secretFile(folder));
    },
    async end({ folder }) {
      rmdirSync(secretFile(folder));
      renameSync(`${secretFile(folder)}.away`, secretFile(folder));
    },
  },
  {
    name: "a setting is wrong",
    begin: async ({ folder }) => writeFileSync(tokenFile(folder), "short"),
    end: async ({ folder }) => writeFileSync(tokenFile(folder), validToken),
  },
  {
    name: "the database is of a newer version",
    begin: ({ database }) =>
      withMigrations(database).insertInto("kysely_migration").values({ name: newerMigration, timestamp: "" }).execute(),
    end: ({ database }) =>
      withMigrations(database).deleteFrom("kysely_migration").where("name", "=", newerMigration).execute(),
  },
  {
    name: "the start crashes",
    begin: async ({ folder }) => writeFileSync(crashFile(folder), ""),
    end: async ({ folder }) => rmSync(crashFile(folder)),
  },
];

/** The database, typed with kysely's own table. */
function withMigrations(database: Database) {
  return database.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
}

/** For `NODE_OPTIONS`: an error in the midst of the start of the process that serves, while the file is there. */
export function crashWhile(file: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(`
    import cluster from "node:cluster";
    import { existsSync } from "node:fs";
    const isParent = cluster.isPrimary && /--processes [^1]/.test(process.argv.join(" "));
    if (!isParent && existsSync(${JSON.stringify(file)})) setTimeout(() => { throw new Error("crash"); }, 10);
  `)}`;
}
