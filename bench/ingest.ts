/**
 * `npm run bench:ingest`: sealed submissions accepted per second, next to an empty Fastify route and a bare `node:http`
 * server in the same run, rounds alternating. Each server and the load run in processes of their own. Afterwards every
 * 201 is counted again by the list and the statistics.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";
import { createClient, generateKeyPair } from "@sealpost/receiver";
import { createId, type FormId, seal } from "@sealpost/wire";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import type { LoadResult } from "./load.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    clients: { type: "string", default: "1,16,64,256" },
  },
});
const rounds = Number(options.rounds);
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "sealpost-bench-"));
const children: ChildProcess[] = [];

try {
  const service = await startServiceProcess({
    SEALPOST_DATA: join(folder, "data"),
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
  });
  children.push(service.child);
  const client = createClient({ baseUrl: service.url, token: await signUpForToken(service.url) });
  const { publicKey } = await generateKeyPair();
  const { id } = await client.forms.create({ name: "Bench", publicKey });
  const body = await createBody(id as FormId, publicKey); // the service makes nothing else
  writeFileSync(join(folder, "body.json"), body);
  process.stdout.write(
    `${describeMachine()}\nsealed body of ${Buffer.byteLength(body)} bytes, ${rounds} rounds of ${options.seconds} s each\n\n`,
  );

  const servers = {
    "bare node:http": `${await startServer("bare.ts")}/`,
    "empty Fastify route": `${await startServer("empty-fastify.ts")}/`,
    "Sealpost, SQLite": `${service.url.replace("localhost", "127.0.0.1")}/api/forms/${id}/submissions`,
  } as const;
  const ours = "Sealpost, SQLite";
  let accepted = 0;
  process.stdout.write(
    "| clients | server | requests/s | p50 ms | p99 ms | of bare | of empty route |\n|---|---|---|---|---|---|---|\n",
  );
  for (const clients of options.clients.split(",")) {
    const results: Record<string, LoadResult[]> = {};
    for (let round = 0; round <= rounds; round++) {
      for (const [name, url] of Object.entries(servers)) {
        const result = await load(url, clients);
        if (name === ours) accepted += result.statuses["201"] ?? 0;
        const others = Object.keys(result.statuses).filter((status) => status !== "201");
        if (others.length > 0) throw new Error(`${name} answered ${JSON.stringify(result.statuses)}`);
        // The first round warms up.
        if (round > 0) results[name] = [...(results[name] ?? []), result];
      }
    }
    const ratio = (name: string, base: string) =>
      median(
        (results[name] ?? []).map(
          ({ perSecond }, index) => perSecond / (results[base]?.[index]?.perSecond ?? Number.NaN),
        ),
      );
    for (const name of Object.keys(servers)) {
      const pick = (member: "perSecond" | "p50" | "p99") =>
        median((results[name] ?? []).map((result) => result[member]));
      process.stdout.write(
        `| ${clients} | ${name} | ${pick("perSecond").toFixed(0)} | ${pick("p50").toFixed(2)} | ${pick("p99").toFixed(2)} | ${ratio(name, "bare node:http").toFixed(2)} | ${ratio(name, "empty Fastify route").toFixed(2)} |\n`,
      );
    }
  }
  const { total } = await client.submissions.list(id, { limit: 1 });
  const { stats } = await client.forms.stats(id);
  process.stdout.write(`\n${accepted} answered with 201, ${total} listed, ${stats.totalSubmissions} counted\n`);
  if (total !== accepted || stats.totalSubmissions !== accepted) throw new Error("The counts differ");
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

async function createBody(formId: FormId, publicKey: Parameters<typeof seal>[2]): Promise<string> {
  const submissionId = createId("submission");
  const payload = await seal(
    { email: "person@example.com", message: "x".repeat(500) },
    { formId, keyVersion: 1, submissionId },
    publicKey,
  );
  return JSON.stringify({ id: "{{submission}}", keyVersion: 1, payload, timestamp: 1_700_000_000_000 });
}

async function startServer(file: string): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "servers", file)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`${file} did not start`);
}

async function load(url: string, connections: string): Promise<LoadResult> {
  const { stdout } = await run(process.execPath, [
    "--conditions=@sealpost/source",
    join(import.meta.dirname, "load.ts"),
    ...[
      "--url",
      url,
      "--body",
      join(folder, "body.json"),
      "--connections",
      connections,
      "--seconds",
      options.seconds,
      "--json",
    ],
  ]);
  return JSON.parse(stdout) as LoadResult; // printed by load.ts
}
