/**
 * Posts one body again and again over keep-alive connections, to several `--url` in turn, and reports what came back. `{{submission}}` in the body
 * becomes a fresh submission id each time. Closed loop (each connection waits for its answer) unless `--rate` is given:
 * then requests start on a schedule whatever the server does, and latency counts from the scheduled moment.
 *
 * node --conditions=@sealpost/source bench/load.ts --url http://localhost:8080/api/forms/form_…/submissions \
 *   --body body.json --connections 64 --seconds 5 [--rate 2000] [--client node]
 *
 * Speaks HTTP over plain sockets, because Node's own client (`--client node`) costs more than the servers that this measures.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { parseArgs } from "node:util";
import { createId } from "@sealpost/wire";

export interface LoadOptions {
  /** The addresses of one server; each request goes to the next of them. */
  readonly urls: readonly [string, ...string[]];
  /** The request body, with `{{submission}}` where a fresh id goes. */
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second; without it each connection sends as soon as it was answered. */
  readonly rate?: number | undefined;
  readonly client?: LoadClient | undefined;
}

/** `node` is Node's own HTTP client, as applications and most load tests written for Node use it. */
export type LoadClient = "sockets" | "node";

export function parseLoadClient(text: string): LoadClient {
  if (text === "sockets" || text === "node") return text;
  throw new Error(`--client is sockets or node, not ${text}`);
}

/** One keep-alive connection. */
interface Connection {
  /** Posts the body to the next URL and waits for the whole answer. Resolves to its status. */
  post(body: Buffer): Promise<string>;
  close(): void;
}

export interface LoadResult {
  readonly answered: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const placeholder = "{{submission}}";

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, seconds, rate, client = "sockets" } = options;
  const nextUrl = takeInTurn(options.urls.map((url) => new URL(url)));
  const { length, next } = createBodies(options.body);
  const open = client === "sockets" ? openSocket : openAgent;
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const started = performance.now();
  const end = started + seconds * 1000;
  let scheduled = 0;

  /** When the next request may start, or `undefined` when the time is over. */
  const nextStart = (): number | undefined => {
    const at = rate === undefined ? performance.now() : started + (scheduled++ * 1000) / rate;
    return at < end ? at : undefined;
  };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await open(nextUrl, length);
      for (let start = nextStart(); start !== undefined; start = nextStart()) {
        const wait = start - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const from = rate === undefined ? performance.now() : start;
        const status = await connection.post(next());
        latencies.push(performance.now() - from);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      connection.close();
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    answered: latencies.length,
    statuses,
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    worst: at(1),
  };
}

/** The bodies of the requests, each with a fresh id where one goes; all of one length in bytes. */
function createBodies(body: string): { readonly length: number; readonly next: () => Buffer } {
  const template = Buffer.from(body.replace(placeholder, "sub_00000000000000000000000000"));
  const index = body.indexOf(placeholder);
  const idAt = Buffer.byteLength(body.slice(0, index));
  return {
    length: template.length,
    next() {
      if (index === -1) return template;
      const filled = Buffer.from(template);
      filled.write(createId("submission"), idAt, "latin1");
      return filled;
    },
  };
}

/** Gives one after the other, and after the last the first again. */
function takeInTurn(urls: readonly URL[]): () => URL {
  let taken = 0;
  return () => urls[taken++ % urls.length] ?? new URL("");
}

async function openSocket(nextUrl: () => URL, length: number): Promise<Connection> {
  const { hostname, port, host } = nextUrl();
  const socket = connect({ host: hostname, port: Number(port || 80), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const headers = [`Host: ${host}`, "Content-Type: application/json", `Content-Length: ${length}`, "", ""].join("\r\n");
  return {
    post: (body) =>
      sendRequest(socket, Buffer.concat([Buffer.from(`POST ${nextUrl().pathname} HTTP/1.1\r\n${headers}`), body])),
    close: () => socket.destroy(),
  };
}

async function openAgent(nextUrl: () => URL, length: number): Promise<Connection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { "content-type": "application/json", "content-length": length };
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const posting = request(nextUrl(), { agent, method: "POST", headers }, (response) => {
          response
            .once("end", () => resolve(String(response.statusCode)))
            .once("error", reject)
            .resume();
        });
        posting.once("error", reject).end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** Sends one request and waits for the whole answer, whose length must be stated. Resolves to the status. */
function sendRequest(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received: Buffer | undefined;
    const finish = (error?: Error) => {
      socket.off("data", onData).off("error", finish).off("close", onClose);
      if (error !== undefined) reject(error);
    };
    const onClose = () => finish(new Error("The server closed the connection"));
    const onData = (chunk: Buffer) => {
      received = received === undefined ? chunk : Buffer.concat([received, chunk]);
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const head = received.toString("latin1", 0, headEnd);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < headEnd + 4 + length) return;
      finish();
      resolve(head.slice(9, 12));
    };
    socket.on("data", onData).on("error", finish).on("close", onClose);
    socket.write(request);
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      url: { type: "string", multiple: true },
      body: { type: "string" },
      connections: { type: "string", default: "64" },
      seconds: { type: "string", default: "5" },
      rate: { type: "string" },
      client: { type: "string", default: "sockets" },
      json: { type: "boolean", default: false },
    },
  });
  const [first, ...others] = values.url ?? [];
  if (first === undefined || values.body === undefined) throw new Error("--url and --body (a file) are needed");
  const result = await runLoad({
    urls: [first, ...others],
    body: readFileSync(values.body, "utf8"),
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    rate: values.rate === undefined ? undefined : Number(values.rate),
    client: parseLoadClient(values.client),
  });
  if (values.json) process.stdout.write(JSON.stringify(result));
  else {
    const { answered, perSecond, p50, p99, worst, statuses } = result;
    process.stdout.write(
      `${answered} answers, ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, worst ${worst.toFixed(0)} ms, ${JSON.stringify(statuses)}\n`,
    );
  }
}
