/**
 * `npm run bench -- ingest`: sealed submissions accepted per second, next to an empty Fastify route and a bare `node:http`
 * server in the same run, rounds alternating. Each server and the load run in processes of their own. Afterwards every
 * 201 is counted again by the list and the statistics. PostgreSQL is started for it, and waits for the disk at each
 * commit as it does by default.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateKeyPair } from "@sealpost/sdk";
import { type LoadResult, parseLoadClient } from "./load.ts";
import { describeMachine, median, readCpu, readResidentBytes } from "./machine.ts";
import { parseDatabaseName, runLoadProcess, startServer } from "./processes.ts";
import { type SealpostTarget, startSealpost, type Target } from "./sealpost-target.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    clients: { type: "string", default: "1,16,64,256" },
    databases: { type: "string", default: "SQLite,PostgreSQL" },
    /** The URL of a Citus coordinator, where the user may create databases: the same on a database of that cluster. */
    citus: { type: "string" },
    /** The load generator: `node` costs about twice what the servers do, and so makes them look more alike. */
    client: { type: "string", default: "sockets" },
    /** Instead: this many minutes at `--rate` submissions a second, and what becomes of the memory. */
    soak: { type: "string" },
    rate: { type: "string", default: "2000" },
  },
});
const loadClient = parseLoadClient(options.client);
const folder = mkdtempSync(join(tmpdir(), "sealpost-bench-"));
const bodyPath = join(folder, "body.json");
const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

try {
  const { publicKey } = await generateKeyPair();
  const ours: SealpostTarget[] = [];
  for (const database of options.databases.split(",").map(parseDatabaseName)) {
    const target = await startSealpost(database, { folder, bodyPath, publicKey });
    closers.push(target.stop);
    ours.push(target);
  }
  if (options.citus !== undefined) {
    const target = await startSealpost("Citus", { folder, bodyPath, publicKey, clusterUrl: options.citus });
    closers.push(target.stop);
    ours.push(target);
  }
  process.stdout.write(`${describeMachine()}\nsealed body of ${statSync(bodyPath).size} bytes\n`);
  if (options.soak === undefined) await compare(ours);
  else for (const target of ours) await soak(target, Number(options.soak));
  process.stdout.write("\n");
  for (const { name, accepted, count } of ours) {
    const [listed, counted] = await count();
    process.stdout.write(`${name}: ${accepted} answered with 201, ${listed} listed, ${counted} counted\n`);
    if (listed !== accepted || counted !== accepted) throw new Error("The counts differ");
  }
} finally {
  for (const close of closers.toReversed()) await close();
}

async function compare(ours: readonly SealpostTarget[]): Promise<void> {
  const rounds = Number(options.rounds);
  const bare: Target = { name: "bare node:http", ...(await startServer("bare.ts")) };
  closers.push(bare.stop);
  const empty: Target = { name: "empty Fastify route", ...(await startServer("empty-fastify.ts")) };
  closers.push(empty.stop);
  process.stdout.write(`medians of ${rounds} alternating rounds of ${options.seconds} s each\n\n`);
  process.stdout.write(
    "| clients | server | requests/s | p50 ms | p99 ms | CPU µs | of bare | of empty route |\n|---|---|---|---|---|---|---|---|\n",
  );
  for (const clients of options.clients.split(",")) {
    const results = new Map<Target, (LoadResult & { readonly cpu: number })[]>();
    for (let round = 0; round <= rounds; round++) {
      for (const target of [bare, empty, ...ours]) {
        const cpuBefore = readCpu(target.pid);
        const result = await runLoadProcess(target.url, bodyPath, Number(clients), Number(options.seconds), {
          client: loadClient,
        });
        const cpu = (readCpu(target.pid) - cpuBefore) / result.answered;
        const accepting = ours.find((each) => each === target);
        if (accepting !== undefined) accepting.accepted += result.answered;
        // The first round warms up.
        if (round > 0) results.set(target, [...(results.get(target) ?? []), { ...result, cpu }]);
      }
    }
    const all = (target: Target, member: "perSecond" | "p50" | "p99" | "cpu") =>
      (results.get(target) ?? []).map((result) => result[member]);
    const ratio = (target: Target, base: Target) =>
      median(all(target, "perSecond").map((each, index) => each / (all(base, "perSecond")[index] ?? Number.NaN)));
    for (const target of [bare, empty, ...ours]) {
      const cell = (member: "perSecond" | "p50" | "p99" | "cpu", digits: number) =>
        median(all(target, member)).toFixed(digits);
      process.stdout.write(
        `| ${clients} | ${target.name} | ${cell("perSecond", 0)} | ${cell("p50", 2)} | ${cell("p99", 2)} | ${cell("cpu", 0)} | ${ratio(target, bare).toFixed(2)} | ${ratio(target, empty).toFixed(2)} |\n`,
      );
    }
  }
}

/** Resident memory while submissions come at a steady rate, minute by minute. */
async function soak(target: SealpostTarget, minutes: number): Promise<void> {
  process.stdout.write(`\n${target.name} at ${options.rate} submissions a second\n\n`);
  process.stdout.write("| minute | requests/s | p50 ms | p99 ms | resident MiB |\n|---|---|---|---|---|\n");
  for (let minute = 1; minute <= minutes; minute++) {
    const result = await runLoadProcess(target.url, bodyPath, 64, 60, { rate: Number(options.rate) });
    target.accepted += result.answered;
    const resident = Math.round(readResidentBytes(target.pid) / 2 ** 20);
    process.stdout.write(
      `| ${minute} | ${result.perSecond.toFixed(0)} | ${result.p50.toFixed(2)} | ${result.p99.toFixed(2)} | ${resident} |\n`,
    );
  }
}
