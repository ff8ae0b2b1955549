/**
 * `npm run bench -- start`: from the start of the process until it says that it is ready, on an empty folder and on the one
 * that it leaves, next to a bare `node:http` server in the same round; and its resident memory when nobody has asked
 * anything, at its highest under load, and after it; the built service and its sources. Rounds alternate between the servers. PostgreSQL is started for it;
 * its own memory is not counted.
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createClient, generateKeyPair } from "@sealpost/sdk";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { describeMachine, median, readResidentBytes } from "./machine.ts";
import {
  createDatabase,
  createEnvironment,
  type DatabaseName,
  parseDatabaseName,
  runLoadProcess,
  startServer,
  writeBody,
} from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    idle: { type: "string", default: "5" },
    seconds: { type: "string", default: "10" },
    clients: { type: "string", default: "64" },
    databases: { type: "string", default: "SQLite,PostgreSQL" },
  },
});
const [rounds, clients, seconds] = [Number(options.rounds), Number(options.clients), Number(options.seconds)];
const idleMilliseconds = Number(options.idle) * 1000;
const databases = options.databases.split(",").map(parseDatabaseName);
const folder = mkdtempSync(join(tmpdir(), "sealpost-start-"));
const body = join(folder, "body.json");
const { publicKey } = await generateKeyPair();
const server = databases.includes("PostgreSQL") ? await startPostgresServer({ durable: true }) : undefined;

/** Milliseconds and MiB. */
interface Figures {
  readonly empty: number;
  readonly existing: number;
  readonly idle: number;
  readonly load: number;
  readonly after: number;
}
const columns = ["empty", "existing", "idle", "load", "after"] as const;

try {
  const results = new Map<string, Figures[]>();
  // The first round warms up: everything is read from the disk once.
  for (let round = 0; round <= rounds; round++) {
    const keep = (name: string, figures: Figures) => {
      if (round > 0) results.set(name, [...(results.get(name) ?? []), figures]);
    };
    // First the service: the bare server is sent the body that it leaves.
    for (const database of databases) {
      keep(`sources, ${database}`, await measureService(database, round, false));
      keep(`built, ${database}`, await measureService(database, round, true));
    }
    keep("bare node:http", await measureBare());
  }
  const bare = results.get("bare node:http") ?? [];
  print(`${describeMachine()}\nmedians of ${rounds} alternating rounds; load of ${clients} clients for ${seconds} s\n`);
  print("| server | ready, empty folder, ms | existing, ms | of bare | idle MiB | under load, MiB | after it, MiB |");
  print("|---|---|---|---|---|---|---|");
  for (const [name, figures] of [...results].toReversed()) {
    const [empty, existing, idle, load, after] = columns.map((column) => cell(figures.map((each) => each[column])));
    const ratio = median(figures.map((each, index) => each.existing / (bare[index]?.existing ?? Number.NaN)));
    print(`| ${name} | ${empty} | ${existing} | ${ratio.toFixed(1)} | ${idle} | ${load} | ${after} |`);
  }
} finally {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measureService(database: DatabaseName, round: number, isBuilt: boolean): Promise<Figures> {
  const data = join(folder, `${database}-${round}-${isBuilt}`);
  mkdirSync(data);
  const isOnServer = server !== undefined && database === "PostgreSQL";
  const environment = createEnvironment(
    data,
    isOnServer ? await createDatabase(server.url, `start_${round}_${isBuilt}`) : undefined,
  );
  const [first, empty] = await timed(() => startServiceProcess(environment, [], { isBuilt }));
  let memory: Pick<Figures, "idle" | "load" | "after">;
  try {
    memory = await measureMemory(first.child.pid, async () => {
      const client = createClient({ baseUrl: first.url, token: await signUpForToken(first) });
      const form = await client.forms.create({ name: "Bench", publicKey });
      await writeBody(body, form.id, publicKey);
      return `${first.url.replace("localhost", "127.0.0.1")}/api/forms/${form.id}/submissions`;
    });
    // As an operator stops it: the next start finds nothing to mend.
    const gone = once(first.child, "exit");
    first.child.kill("SIGTERM");
    await gone;
  } catch (error) {
    await first.kill();
    throw error;
  }
  const [second, existing] = await timed(() => startServiceProcess(environment, [], { isBuilt }));
  await second.kill();
  rmSync(data, { recursive: true, force: true });
  return { empty, existing, ...memory };
}

/** Has no folder: started twice all the same, so that each figure is next to one of its kind. */
async function measureBare(): Promise<Figures> {
  const [first, empty] = await timed(() => startServer("bare.ts"));
  const memory = await measureMemory(first.pid, async () => `${first.url}/`).finally(() => first.stop());
  const [second, existing] = await timed(() => startServer("bare.ts"));
  await second.stop();
  return { empty, existing, ...memory };
}

async function measureMemory(pid = Number.NaN, prepare: () => Promise<string>) {
  await wait(idleMilliseconds);
  const idle = readResidentBytes(pid);
  const url = await prepare();
  let load = 0;
  const watch = setInterval(() => {
    load = Math.max(load, readResidentBytes(pid));
  }, 100);
  try {
    await runLoadProcess(url, body, clients, seconds);
  } finally {
    clearInterval(watch);
  }
  await wait(idleMilliseconds);
  const mebibytes = (bytes: number) => bytes / 2 ** 20;
  return { idle: mebibytes(idle), load: mebibytes(load), after: mebibytes(readResidentBytes(pid)) };
}

async function timed<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  const started = performance.now();
  return [await work(), performance.now() - started];
}

function cell(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
