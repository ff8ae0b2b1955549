import { openPostgres } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { onServer } from "./on-server.ts";

/** How tests make databases on a server, each a copy of an empty one that was migrated once. */
export interface TestDatabases {
  /** It is complete once it has this name. */
  createTemplate(url: string, name: string): Promise<void>;
  copy(url: string, name: string, template: string): Promise<void>;
  drop(url: string, name: string): Promise<void>;
}

export const serverDatabases: TestDatabases = {
  createTemplate: (url, name) =>
    onServer({ url }, async (client) => {
      await client.query(`drop database if exists "${name}_new" with (force)`);
      await client.query(`create database "${name}_new"`);
      const database = openPostgres(nameDatabase(url, `${name}_new`));
      await migrate(database);
      await database.destroy();
      await client.query(`alter database "${name}_new" rename to "${name}"`);
    }),
  copy: (url, name, template) =>
    onServer({ url }, async (client) => void (await client.query(printCopy(name, template)))),
  drop: (url, name) => onServer({ url }, async (client) => void (await client.query(printDrop(name)))),
};

/** The other way, by the journal, takes twice the time. */
export function printCopy(name: string, template: string): string {
  return `create database "${name}" template "${template}" strategy file_copy`;
}

export function printDrop(name: string): string {
  return `drop database if exists "${name}" with (force)`;
}

export function nameDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
