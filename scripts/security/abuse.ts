/**
 * Fifty addresses abuse a service of its own, as strangers may who know a form's id: large bodies, floods of small ones,
 * names repeated thousands of times, slow bodies. Meanwhile honest visitors send one small submission each. A finding is a minute in which none
 * of these was accepted, and a disk use beyond the form's quota. SEALPOST_ABUSE_SECONDS sets its length, 600 by default.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@sealpost/sdk";
import { type ServiceProcess, startServiceProcess } from "../../tests/support/service-process.ts";
import { signUpForToken } from "../../tests/support/sign-up.ts";
import type { Report } from "./report.ts";

const mebibyte = 1_048_576;
/** Half of the free plan, and what SQLite's pages and its log take in addition. */
const diskBytesMax = 512 * mebibyte * 1.15 + 64 * mebibyte;
const honestEveryMilliseconds = 12_000;
const minuteMilliseconds = 60_000;
const attackers = { large: 25, flood: 12, repeat: 6, slow: 7 } as const;
const slowSocketsOfAddress = 20;

type Post = (path: string, address: string, body: string, type?: string) => Promise<number>;

export async function checkAbuse(seconds = Number(process.env.SEALPOST_ABUSE_SECONDS ?? 600)): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-abuse-"));
  const service = await startServiceProcess({
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_QUOTAS: "on",
    SEALPOST_LOG_LEVEL: "silent",
    SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128",
  });
  try {
    const { url } = service;
    const setupToken = await readSetupToken(service);
    const client = createClient({ baseUrl: url, token: await signUpForToken({ url, setupToken }) });
    const { id: form } = await client.forms.create({ name: "Abused", settings: { encryption: false } });
    const statuses = new Map<number, number>();
    const post: Post = async (path, address, body, type = "application/json") => {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": type, "x-forwarded-for": address },
        body,
        signal: AbortSignal.timeout(10_000),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const end = performance.now() + seconds * 1000;
    const abuse = startAbuse(form, Number(new URL(url).port), end, async (...request) => {
      const status = await post(...request).catch(() => 0);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status;
    });
    const honest = await visitHonestly(form, end, post);
    await abuse;
    const diskBytes = sizeOf(folder);
    const { total } = await client.submissions.list(form, { limit: 1 });
    const findings = honest.minutes.flatMap((accepted, minute) =>
      accepted > 0 ? [] : [`minute ${minute + 1}: no honest submission was accepted`],
    );
    if (diskBytes > diskBytesMax)
      findings.push(`${toMebibytes(diskBytes)} MiB on the disk, ${toMebibytes(diskBytesMax)} are the bound`);
    const answers = [...statuses]
      .sort(([left], [right]) => left - right)
      .map(([status, count]) => `${status || "none"}: ${count}`);
    return {
      summary:
        `${seconds} s, ${honest.accepted} of ${honest.sent} honest submissions accepted, the slowest in ${honest.slowest} ms; ` +
        `abusers were answered ${answers.join(", ")}; ${total} stored, ${toMebibytes(diskBytes)} MiB on the disk, ` +
        `${memoryOf(service.child.pid)} MB of memory at most`,
      findings,
    };
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Behind a proxy the first account needs it; the start prints it a moment after it is ready. */
async function readSetupToken({ output }: ServiceProcess): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const token = /[?&]token=([\w-]+)/.exec(output())?.[1];
    if (token !== undefined) return token;
    await wait(50);
  }
  throw new Error("The service printed no set-up address");
}

/** Each visitor has an address of their own, as visitors have. */
async function visitHonestly(form: string, end: number, post: Post) {
  const began = performance.now();
  const minutes: number[] = [];
  let sent = 0;
  let accepted = 0;
  let slowest = 0;
  while (performance.now() < end) {
    const before = performance.now();
    const minute = Math.floor((before - began) / minuteMilliseconds);
    const address = `203.0.${Math.floor(sent / 250)}.${1 + (sent % 250)}`;
    sent += 1;
    const status = await post(`/api/forms/${form}/submissions`, address, toPayload("hello")).catch(() => 0);
    slowest = Math.max(slowest, Math.round(performance.now() - before));
    if (status === 201) accepted += 1;
    minutes[minute] = (minutes[minute] ?? 0) + Number(status === 201);
    await wait(Math.max(0, Math.min(honestEveryMilliseconds, end - performance.now())));
  }
  return { minutes, sent, accepted, slowest };
}

async function startAbuse(form: string, port: number, end: number, post: Post): Promise<void> {
  const path = `/api/forms/${form}/submissions`;
  const large = toPayload("x".repeat(1_000_000));
  const repeated = "a=1&".repeat(20_000);
  let address = 0;
  const addresses = (count: number) => Array.from({ length: count }, () => `198.51.100.${++address}`);
  const repeat = async (everyMilliseconds: number, request: () => Promise<unknown>) => {
    while (performance.now() < end) {
      const before = performance.now();
      await request();
      await wait(Math.max(0, Math.min(everyMilliseconds - (performance.now() - before), end - performance.now())));
    }
  };
  await Promise.all([
    ...addresses(attackers.large).map((from) => repeat(4000, () => post(path, from, large))),
    ...addresses(attackers.flood).map((from) => repeat(250, () => post(path, from, toPayload("flood")))),
    ...addresses(attackers.repeat).map((from) =>
      repeat(1000, () => post(`/f/${form}`, from, repeated, "application/x-www-form-urlencoded")),
    ),
    ...addresses(attackers.slow).flatMap((from) =>
      Array.from({ length: slowSocketsOfAddress }, () => repeat(1000, () => drip(path, port, from, end))),
    ),
  ]);
}

/** A body that comes a byte a second, until the service cuts it off. */
async function drip(path: string, port: number, address: string, end: number): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1")
    .on("error", () => undefined)
    .on("close", () => resolve());
  socket
    .resume()
    .write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    );
  const timer = setInterval(() => (performance.now() < end ? socket.write(" ") : socket.destroy()), 1000);
  await closed;
  clearInterval(timer);
}

function toPayload(message: string): string {
  return JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: { message } } });
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

const toMebibytes = (bytes: number) => Math.round(bytes / mebibyte);

function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

if (import.meta.main) {
  const { summary, findings } = await checkAbuse();
  console.log(summary);
  for (const finding of findings) console.log(`FAILED  ${finding}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
