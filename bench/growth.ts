/**
 * `npm run bench -- growth`: what a request, a submission and a claim cost with 10,000, 100,000 and 1,000,000 submissions
 * and as many deliveries due (`--most 5000000` adds more), as a ratio to the cost at 10,000. Each size has a service and a
 * database of its own, so that all tables and indexes have that size and no other; rounds alternate between the sizes.
 * `--database PostgreSQL` starts one for it, which waits for the disk at each commit. `--citus URL` takes a Citus cluster instead, by
 * the URL of its coordinator, where the user may create databases.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateKeyPair } from "@sealpost/sdk";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { medianRatio, runAlternating } from "./alternating.ts";
import { type ClusterDatabase, createClusterDatabase } from "./cluster.ts";
import { type GrownService, startGrownService } from "./grown-service.ts";
import { describeMachine, median } from "./machine.ts";
import { createDatabase, parseDatabaseName } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "SQLite" },
    citus: { type: "string" },
    most: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "20" },
  },
});
const databaseName = parseDatabaseName(options.database);
const most = Number(options.most);
const rounds = Number(options.rounds);
const sizes = [...new Set([10_000, 100_000, 1_000_000, most])].filter((size) => size <= most);
const folder = mkdtempSync(join(tmpdir(), "sealpost-growth-"));
const server = databaseName === "PostgreSQL" ? await startPostgresServer({ durable: true }) : undefined;
const services: GrownService[] = [];
const ofCluster: ClusterDatabase[] = [];
const print = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const { publicKey } = await generateKeyPair();
  print(`${describeMachine()}, ${options.citus === undefined ? databaseName : "Citus"}`);
  for (const size of sizes) {
    const url = await createEmptyDatabase(`growth_${size}`);
    const service = await startGrownService(join(folder, String(size)), size, publicKey, url, Number(options.requests));
    services.push(service);
    print(`${size.toLocaleString("en")} submissions and deliveries written in ${service.fillSeconds.toFixed(0)} s`);
  }
  print(`milliseconds, medians of ${rounds} alternating rounds, and the median of the rounds' ratios to 10,000\n`);
  const names = sizes.map((size) => size.toLocaleString("en"));
  print(`| | ${names.join(" | ")} | ${names.slice(1).join(" ÷ 10,000 | ")} ÷ 10,000 |`);
  print(`|---${"|---".repeat(sizes.length * 2 - 1)}|`);
  for (const what of Object.keys(services[0]?.measures ?? {})) {
    const contenders = services.map(({ measures }, index) => ({
      name: names[index] ?? "",
      measure: () => measures[what]?.() ?? Promise.reject(new Error(`Nothing measures ${what}`)),
    }));
    const figures = await runAlternating(rounds, contenders);
    const costs = names.map((name) => median(figures.get(name) ?? []).toFixed(2));
    const ratios = names.slice(1).map((name) => medianRatio(figures.get(name), figures.get(names[0] ?? "")).toFixed(2));
    print(`| ${[what, ...costs, ...ratios].join(" | ")} |`);
  }
} finally {
  for (const service of services) await service.stop();
  for (const database of ofCluster) await database.remove();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** The address of a database; `undefined` for SQLite. */
async function createEmptyDatabase(name: string): Promise<string | undefined> {
  if (options.citus === undefined) return server && createDatabase(server.url, name);
  const database = await createClusterDatabase(options.citus, name);
  ofCluster.push(database);
  return database.url;
}
