/**
 * `npm run bench -- growth`: what a request, a submission and a transaction of deliveries cost with 10,000, 100,000 and 1,000,000
 * submissions and as many deliveries due (`--most 5000000` adds more), as a ratio to the cost at 10,000. Each size has a service and a
 * database of its own, so that all tables and indexes have that size and no other; rounds alternate between the sizes.
 * `--forms 1000` spreads them over so many forms. `--minutes 20` bounds the time: two thirds are for writing, and what is not written
 * by then is left out and said. `--database PostgreSQL` starts one for it, which waits for the disk at each commit. `--citus URL` takes a
 * Citus cluster instead, by the URL of its coordinator, where the user may create databases.
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
    forms: { type: "string", default: "1" },
    minutes: { type: "string", default: "60" },
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "20" },
  },
});
const databaseName = parseDatabaseName(options.database);
const most = Number(options.most);
const forms = Number(options.forms);
const rounds = Number(options.rounds);
const milliseconds = Number(options.minutes) * 60_000;
const started = performance.now();
const sizes = [...new Set([10_000, 100_000, 1_000_000, most])].filter((size) => size <= most);
const folder = mkdtempSync(join(tmpdir(), "sealpost-growth-"));
const server = databaseName === "PostgreSQL" ? await startPostgresServer({ durable: true }) : undefined;
const services: GrownService[] = [];
const ofCluster: ClusterDatabase[] = [];
const print = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const { publicKey } = await generateKeyPair();
  print(`${describeMachine()}, ${options.citus === undefined ? databaseName : "Citus"}`);
  const writtenBy = started + (milliseconds * 2) / 3;
  for (const count of sizes) {
    if (services.length > 0 && performance.now() > writtenBy) {
      print(`${count.toLocaleString("en")} left out: the time was over`);
      break;
    }
    const databaseUrl = await createEmptyDatabase(`growth_${count}`);
    const service = await startGrownService({
      ...{ folder: join(folder, String(count)), count, forms, publicKey, databaseUrl },
      ...{ requests: Number(options.requests), endsAt: writtenBy },
    });
    services.push(service);
    const written = `${service.count.toLocaleString("en")} submissions over ${forms.toLocaleString("en")} forms and as many deliveries`;
    const cut = service.count < count ? `, not ${count.toLocaleString("en")}: the time was over` : "";
    print(`${written} written in ${service.fillSeconds.toFixed(0)} s${cut}`);
  }
  await measure();
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

async function measure(): Promise<void> {
  const names = services.map(({ count }) => count.toLocaleString("en"));
  const [base = ""] = names;
  const kinds = Object.keys(services[0]?.measures ?? {});
  print(`milliseconds, medians of alternating rounds, and the median of the rounds' ratios to ${base}\n`);
  const quotients = names.slice(1).map((name) => `${name} ÷ ${base}`);
  print(`| ${["", "rounds", ...names, ...quotients].join(" | ")} |`);
  print(`|---${"|---".repeat(names.length * 2)}|`);
  for (const [index, what] of kinds.entries()) {
    const contenders = services.map(({ measures }, size) => ({
      name: names[size] ?? "",
      measure: () => measures[what]?.() ?? Promise.reject(new Error(`Nothing measures ${what}`)),
    }));
    const now = performance.now();
    const endsAt = now + (started + milliseconds - now) / (kinds.length - index);
    const figures = await runAlternating(rounds, contenders, endsAt);
    const costs = names.map((name) => median(figures.get(name) ?? []).toFixed(2));
    const ratios = names.slice(1).map((name) => medianRatio(figures.get(name), figures.get(base)).toFixed(2));
    print(`| ${[what, figures.get(base)?.length, ...costs, ...ratios].join(" | ")} |`);
  }
}
