/**
 * `npm run security -- slow`: ten thousand idle connections, and clients that send their headers and their bodies a byte at a
 * time (as slowhttptest does), against a service of its own, while real submissions are posted. Fails when one of these is
 * not accepted. Debian's slowhttptest runs as well when it is installed. SEALPOST_SLOW_CONNECTIONS sets another number.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@sealpost/sdk";
import { startServiceProcess } from "../../tests/support/service-process.ts";
import { signUpForToken } from "../../tests/support/sign-up.ts";

const wanted = Number(process.env.SEALPOST_SLOW_CONNECTIONS ?? 10_000);
const slowCount = 500;
const postsInPhase = 300;
const phaseMilliseconds = 20_000;
/** Files that either process has open in addition to its connections. */
const otherFiles = 500;

const files = Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
// The service keeps a quarter of its files free of connections.
const idleCount = Math.min(wanted, Math.floor(files * 0.75) - 2 * slowCount - otherFiles);
if (idleCount < wanted)
  console.log(
    `This machine lets a process open ${files} files (ulimit -n): ${idleCount} idle connections, not ${wanted}`,
  );

const folder = mkdtempSync(join(tmpdir(), "sealpost-slow-"));
const service = await startServiceProcess({
  SEALPOST_DATA: folder,
  SEALPOST_PORT: "0",
  SEALPOST_SUBMIT_RATE: "0",
  SEALPOST_API_RATE: "0",
});
/** Where submissions are posted. */
let path = "";
let isOver = false;
try {
  const client = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  const { id: formId } = await client.forms.create({ name: "Slow clients", settings: { encryption: false } });
  path = `/api/forms/${formId}/submissions`;
  await phase("alone");

  const idle = await openMany(idleCount, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await phase(`alongside ${idleCount} idle connections`);
  console.log(`  ${idle.filter((socket) => !socket.closed).length} of them are still open`);

  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  const slow = [
    keepDripping(slowCount, head, () => `X-Header: ${Math.random()}\r\n`),
    keepDripping(slowCount, `${head}Content-Length: 60000\r\n\r\n{"payload":`, () => " "),
  ];
  await phase(`and ${slowCount} clients with slow headers, ${slowCount} with slow bodies`, phaseMilliseconds);
  isOver = true;
  await Promise.all(slow);
  for (const socket of idle) socket.destroy();
  await runSlowHttpTest();
  await phase("afterwards");
} finally {
  isOver = true;
  await service.kill();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

/** Real submissions, one after the other, each on a connection of its own: the hardest case. Throws when one is not accepted. */
async function phase(name: string, milliseconds = 0): Promise<void> {
  const latencies: number[] = [];
  const end = performance.now() + milliseconds;
  while (latencies.length < postsInPhase || performance.now() < end) {
    const before = performance.now();
    const status = await post();
    latencies.push(performance.now() - before);
    if (status !== 201) throw new Error(`${name}: a submission was answered with ${status}`);
  }
  latencies.sort((left, right) => left - right);
  const at = (share: number) => (latencies[Math.floor((latencies.length - 1) * share)] ?? 0).toFixed(1);
  console.log(
    `${name}: ${latencies.length} of ${latencies.length} accepted, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, ` +
      `longest ${at(1)} ms, ${memory()} MB`,
  );
}

async function post(): Promise<number> {
  const response = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close" },
    body: '{"payload":{"encrypted":false,"version":"plain1","fields":{"message":"hello"}}}',
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  return response.status;
}

function memory(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Connections that have had one answer and now say nothing. */
async function openMany(count: number, request: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = await Promise.all(Array.from({ length: Math.min(200, count - sockets.length) }, open));
    await Promise.all(
      some.map((socket) => {
        socket.write(request);
        return once(socket, "data");
      }),
    );
    sockets.push(...some);
  }
  return sockets;
}

/** Clients that never end a request; each that is cut off comes again, until the run is over. */
async function keepDripping(count: number, begin: string, piece: () => string): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (!isOver) {
        const socket = await open();
        socket.resume().write(begin);
        const drip = setInterval(() => (isOver ? socket.destroy() : socket.write(piece())), 1000);
        await once(socket, "close");
        clearInterval(drip);
      }
    }),
  );
}

/** Its slow headers and slow bodies, with submissions posted meanwhile. */
async function runSlowHttpTest(): Promise<void> {
  for (const [name, ...mode] of [
    ["slow headers", "-H"],
    ["slow bodies", "-B", "-s", "60000", "-f", "application/json"],
  ] as const) {
    const child = spawn(
      "slowhttptest",
      [...mode, "-c", "1000", "-r", "200", "-i", "5", "-l", "20", "-u", `${service.url}${path}`],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const started = await once(child, "spawn").then(
      () => true,
      () => false,
    );
    if (!started) return console.log("slowhttptest is not installed (apt-get install slowhttptest): left out");
    child.stdout.resume();
    const ended = once(child, "exit");
    await phase(`alongside slowhttptest, ${name}`, 15_000);
    await ended;
  }
}
