/** The processes of the benchmarks of the whole service: the service on either database, other servers, and the load. */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { createId, type FormId, type PublicKey, seal } from "@sealpost/wire";
import { sql } from "kysely";
import { openPostgres } from "../packages/server/src/database/database.ts";
import type { LoadOptions, LoadResult } from "./load.ts";

export type DatabaseName = "SQLite" | "PostgreSQL";

export function parseDatabaseName(name: string): DatabaseName {
  if (name === "SQLite" || name === "PostgreSQL") return name;
  throw new Error(`${name}: the databases are SQLite and PostgreSQL`);
}

/** A service that listens on any port, takes whatever comes, and knows its secret from here. */
export function createEnvironment(folder: string, databaseUrl?: string): Record<string, string> {
  return {
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
    SEALPOST_SECRET: randomBytes(32).toString("base64"),
    ...(databaseUrl !== undefined && { SEALPOST_DATABASE_URL: databaseUrl }),
  };
}

/** Gives the address of a new, empty database on this PostgreSQL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const database = openPostgres(serverUrl);
  await sql`create database ${sql.id(name)}`.execute(database);
  await database.destroy();
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** One of the servers in `servers/`, as a process of its own. Resolves once it listens. */
export async function startServer(file: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "servers", file)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /ready at (\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    gone.then(() => reject(new Error(`${file} did not start`)));
  });
  return {
    url,
    pid: child.pid ?? Number.NaN,
    async stop() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Writes what `load.ts` posts: a sealed body of 2 KB with a place for the id of each submission. */
export async function writeBody(path: string, formId: string, publicKey: PublicKey): Promise<void> {
  const submissionId = createId("submission");
  const payload = await seal(
    { email: "person@example.com", message: "x".repeat(500) },
    { formId: formId as FormId, keyVersion: 1, submissionId }, // the service makes nothing else
    publicKey,
  );
  writeFileSync(path, JSON.stringify({ id: "{{submission}}", keyVersion: 1, payload, timestamp: 1_700_000_000_000 }));
}

/** Runs `load.ts` as a process of its own, to one URL or several in turn, and throws unless everything was answered with `status`. */
export async function runLoadProcess(
  urls: string | readonly string[],
  bodyPath: string,
  connections: number,
  seconds: number,
  { rate, client, status = 201 }: Pick<LoadOptions, "rate" | "client"> & { readonly status?: number } = {},
): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@sealpost/source",
    join(import.meta.dirname, "load.ts"),
    ...[urls].flat().map((url) => `--url=${url}`),
    ...["--body", bodyPath, "--connections", String(connections), "--seconds", String(seconds), "--json"],
    ...(rate === undefined ? [] : ["--rate", String(rate)]),
    ...(client === undefined ? [] : ["--client", client]),
  ]);
  const result: LoadResult = JSON.parse(stdout); // printed by load.ts
  if (result.statuses[status] !== result.answered)
    throw new Error(`${[urls].flat()[0]} answered ${JSON.stringify(result.statuses)}`);
  return result;
}
