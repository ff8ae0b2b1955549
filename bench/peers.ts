/**
 * `npm run bench -- peers`: sealed submissions accepted per second next to what PocketBase, a general backend on SQLite,
 * takes of the same bodies into a collection with the same members, rounds alternating. As it comes, PocketBase doesn't wait
 * for the disk at a commit; Sealpost does, and so does a second PocketBase. Needs Go, which builds PocketBase from its module.
 */
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { generateKeyPair } from "@sealpost/sdk";
import { findFreePort } from "../packages/server/src/testing/postgres-server.ts";
import type { LoadResult } from "./load.ts";
import { describeMachine, median, readCpu } from "./machine.ts";
import { runLoadProcess } from "./processes.ts";
import { startSealpost, type Target } from "./sealpost-target.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    clients: { type: "string", default: "1,16,64,256" },
  },
});
const run = promisify(execFile);
const moduleFolder = join(import.meta.dirname, "peers/pocketbase");

if (spawnSync("go", ["version"]).status === 0) await compare();
else process.stdout.write("NOT MEASURED: PocketBase is built by Go, which is not installed here.\n");

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-bench-"));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const { publicKey } = await generateKeyPair();
    const bodyPath = join(folder, "body.json");
    const program = join(folder, "program");
    await run("go", ["build", "-o", program, "."], { cwd: moduleFolder });
    const targets: Peer[] = [];
    const add = (target: Peer) => {
      targets.push(target);
      closers.push(target.stop);
    };
    add({ ...(await startSealpost("SQLite", { folder, bodyPath, publicKey })), status: 201 });
    for (const isDurable of [false, true]) add(await startPocketBase(program, folder, isDurable));
    await measure(targets, bodyPath);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

interface Peer extends Target {
  /** The status of an answer to a submission that was stored. */
  readonly status: number;
}

async function measure(targets: readonly Peer[], bodyPath: string): Promise<void> {
  process.stdout.write(`${describeMachine()}\nmedians of ${options.rounds} alternating rounds\n\n`);
  process.stdout.write(
    "| clients | server | requests/s | p50 ms | p99 ms | CPU µs | Sealpost ÷ it |\n|---|---|---|---|---|---|---|\n",
  );
  for (const clients of options.clients.split(",").map(Number)) {
    const results = targets.map(() => [] as (LoadResult & { readonly cpu: number })[]);
    // The first round warms up.
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const [index, { url, pid, status }] of targets.entries()) {
        const before = readCpu(pid);
        const result = await runLoadProcess(url, bodyPath, clients, Number(options.seconds), { status });
        if (round > 0) results[index]?.push({ ...result, cpu: (readCpu(pid) - before) / result.answered });
      }
    }
    const [ours = []] = results;
    for (const [index, theirs] of results.entries()) {
      const cell = (member: "perSecond" | "p50" | "p99" | "cpu", digits: number) =>
        median(theirs.map((result) => result[member])).toFixed(digits);
      const quotient = median(theirs.map(({ perSecond }, round) => (ours[round]?.perSecond ?? Number.NaN) / perSecond));
      process.stdout.write(
        `| ${clients} | ${targets[index]?.name} | ${cell("perSecond", 0)} | ${cell("p50", 2)} | ${cell("p99", 2)} | ${cell("cpu", 0)} | ${quotient.toFixed(1)} |\n`,
      );
    }
  }
}

/** One collection that anybody may add to, with the members of a submission; its ids are ours, and it has an index for the list. */
async function startPocketBase(program: string, parent: string, isDurable: boolean): Promise<Peer> {
  const folder = join(parent, isDurable ? "pocketbase-full" : "pocketbase");
  const environment = { ...process.env, SYNCHRONOUS: isDurable ? "FULL" : "NORMAL" };
  const [email, password] = ["bench@example.com", "correct horse battery"];
  await run(program, ["superuser", "upsert", email, password, "--dir", folder], { env: environment });
  const origin = `http://127.0.0.1:${await findFreePort()}`;
  const child = spawn(program, ["serve", "--http", new URL(origin).host, "--dir", folder], {
    env: environment,
    stdio: "ignore",
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (
    !(await fetch(`${origin}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error("PocketBase did not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const ask = async (path: string, token: string, body: object) => {
    const headers = { "content-type": "application/json", authorization: token };
    const response = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`PocketBase: ${await response.text()}`);
    return response.json();
  };
  const { token } = await ask("/api/collections/_superusers/auth-with-password", "", { identity: email, password });
  const id = { name: "id", type: "text", primaryKey: true, required: true, system: true, min: 1, max: 40 };
  await ask("/api/collections", token, {
    name: "submissions",
    type: "base",
    createRule: "",
    fields: [
      { ...id, pattern: "^[a-z0-9_]+$", autogeneratePattern: "[a-z0-9]{15}" },
      { name: "payload", type: "json", required: true },
      { name: "keyVersion", type: "number", required: true },
      { name: "timestamp", type: "number", required: true },
      { name: "created", type: "autodate", onCreate: true },
    ],
    indexes: ["CREATE INDEX submissions_list ON submissions (created, id)"],
  });
  return {
    name: `PocketBase, ${isDurable ? "each commit on the disk" : "as it comes"}`,
    // The answer with the id alone, as ours has it.
    url: `${origin}/api/collections/submissions/records?fields=id`,
    pid: child.pid ?? Number.NaN,
    status: 200,
    async stop() {
      child.kill();
      await gone;
    },
  };
}
