import type { ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import {
  type Answer,
  type Authority,
  type ReceivedRequest,
  startReceiver,
} from "../../packages/server/src/webhooks/testing/receiver.ts";

/** The required outcome of every delivery to a host once the whole schedule has passed. */
export type Expectation =
  | { readonly state: "delivered"; readonly attempts: number | "any" | "one more for each kill" }
  | { readonly state: "failed"; readonly attempts: number | "half are hops"; readonly error: string };

/** A receiver on a port of its own, well behaved or not. */
export interface Host {
  readonly name: string;
  readonly url: string;
  readonly expectation: Expectation;
  /** How often each delivery came, by its id; nothing where the requests never get as far as HTTP. */
  readonly ledger: ReadonlyMap<string, number>;
  /** The most requests that were open at once. */
  readonly openMost: () => number;
}

export interface Hosts {
  readonly all: readonly Host[];
  readonly good: Host;
  /** Connections to the addresses that the service may not reach. */
  readonly forbiddenConnections: () => number;
  /** Ends the outage of the hosts that have one. */
  recover(): void;
}

const delivered = { state: "delivered", attempts: 1 } as const;
const refused = { state: "failed", attempts: 1, error: "status" } as const;
const exhausted = (error: string) => ({ state: "failed", attempts: 6, error }) as const;
/** The hop, and what follows at its target. Killed in between, it begins again with a hop, and both have used up an attempt. */
const hopping = { state: "delivered", attempts: "one more for each kill" } as const;
/** Each hop is followed by an attempt that makes no request. Killed in between, it begins again with a hop, which may be the last attempt. */
const hoppingInVain = { state: "failed", attempts: "half are hops", error: "address_not_allowed" } as const;
const slowMilliseconds = 100;

export interface HostsOptions {
  readonly authority: Authority;
  /** The good host's answer, once it has handled a request. */
  readonly receive: (request: ReceivedRequest) => Promise<number>;
}

/** Hosts on 127.0.0.1 that behave in every way that receivers do, and a listener on 127.0.0.2, which nobody may reach. */
export async function startHosts(t: TestContext, { authority, receive }: HostsOptions): Promise<Hosts> {
  const certificate = authority.good;
  let isDown = true;
  let forbiddenConnections = 0;
  const forbiddenUrl = await listen(t, "127.0.0.2", (socket) => {
    forbiddenConnections += 1;
    socket.destroy();
  });
  const all: Host[] = [];

  async function add(name: string, expectation: Expectation, answer: Answer, more = { certificate }): Promise<Host> {
    const ledger = new Map<string, number>();
    let open = 0;
    let openMost = 0;
    const { url } = await startReceiver(t, {
      ...more,
      answer(request, response, count) {
        const id = String(request.headers["x-service-delivery-id"]);
        ledger.set(id, (ledger.get(id) ?? 0) + 1);
        openMost = Math.max(openMost, ++open);
        response.on("close", () => {
          open -= 1;
        });
        answer(request, response, count);
      },
    });
    const host = { name, url, expectation, ledger, openMost: () => openMost };
    all.push(host);
    return host;
  }
  const addSilent = (name: string, url: string, expectation: Expectation) =>
    void all.push({ name, url, expectation, ledger: new Map(), openMost: () => 0 });

  const good = await add("good", delivered, (request, response) => {
    receive(request).then((status) => end(response, status));
  });
  await add("slow", delivered, (_request, response) => void setTimeout(() => end(response, 204), slowMilliseconds));
  await add(
    "empty body",
    delivered,
    (_request, response) => void response.writeHead(200, { "content-length": 0 }).end(),
  );
  await add("endless body", delivered, (_request, response) => writeForEver(response.writeHead(200)));
  const second = await add("after a redirect", delivered, (_request, response) => end(response, 204));
  await add("redirects", hopping, (_request, response) => end(response, 307, { location: second.url }));
  for (const status of [400, 404, 410])
    await add(`answers ${status}`, refused, (_request, response) => end(response, status));
  await add("answers 500", exhausted("status"), (_request, response) => end(response, 500));
  await add("answers 429", exhausted("status"), (_request, response) => end(response, 429, { "retry-after": "100" }));
  all.push(await startResetting(t, authority));
  await add("half-closes", exhausted("connection_closed"), (_request, response) => response.socket?.end());
  await add("breaks off", delivered, (_request, response) => {
    response.writeHead(200, { "content-length": 100 }).write("part", () => response.socket?.end());
  });
  await add("wrong name", exhausted("tls_failed"), (_request, response) => end(response, 204), {
    certificate: authority.otherName,
  });
  await add("expired", exhausted("tls_failed"), (_request, response) => end(response, 204), {
    certificate: authority.expired,
  });
  const plain = await listen(t, "127.0.0.1", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  addSilent("no TLS", plain, exhausted("tls_failed"));
  addSilent("forbidden", forbiddenUrl, exhausted("address_not_allowed"));
  await add("redirects to a forbidden address", hoppingInVain, (_request, response) =>
    end(response, 302, { location: forbiddenUrl }),
  );
  await add("hangs, then recovers", { state: "delivered", attempts: "any" }, (_request, response) => {
    if (!isDown) end(response, 204);
  });
  await add("down, then recovers", { state: "delivered", attempts: "any" }, (_request, response) =>
    end(response, isDown ? 503 : 204),
  );
  return {
    all,
    good,
    forbiddenConnections: () => forbiddenConnections,
    recover: () => {
      isDown = false;
    },
  };
}

/** Answers each request with a TCP reset, which takes the socket below TLS. */
async function startResetting(t: TestContext, authority: Authority): Promise<Host> {
  const ledger = new Map<string, number>();
  const below = new Map<number | undefined, Socket>();
  const server = createTlsServer(authority.good, (socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      const id = /^x-service-delivery-id: (\S+)/im.exec(data.toString())?.[1] ?? "";
      ledger.set(id, (ledger.get(id) ?? 0) + 1);
      below.get(socket.remotePort)?.resetAndDestroy();
    });
  });
  server.on("connection", (socket: Socket) => {
    const { remotePort } = socket;
    below.set(remotePort, socket);
    socket.on("close", () => below.delete(remotePort));
  });
  const url = await listenOn(t, server, "127.0.0.1");
  return { name: "resets", url, expectation: exhausted("connection_closed"), ledger, openMost: () => below.size };
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

function writeForEver(response: ServerResponse): void {
  const piece = Buffer.alloc(16_384, "x");
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", write);
  write();
}

/** A listener without HTTP, and the webhook URL that leads to it. */
async function listen(t: TestContext, address: string, onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  return listenOn(t, server, address);
}

async function listenOn(t: TestContext, server: Server, address: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  t.after(() => server.close());
  const listening = server.address();
  if (typeof listening !== "object" || listening === null) throw new Error("The listener has no port");
  return `https://${address}:${listening.port}/hook`;
}
