import { Transform } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { Problem } from "../problems/problem.ts";

export interface UnfinishedBodyLimits {
  /** The size of all bodies together that have not arrived as a whole. */
  readonly bodyBytesMax: number;
  /** The same of one client address (a /64 of IPv6); wider networks have a multiple of it. */
  readonly bodyBytesMaxOfAddress: number;
  /** Without a byte of a body that has begun. */
  readonly standstillMilliseconds: number;
  /** From the first byte of a body to its last, and the time that it needs at `bodyBytesPerSecondMin`. */
  readonly requestMilliseconds: number;
  /** A slow connection that has it gets as long as its body takes. The embed waits as long (`packages/embed/src/service.ts`). */
  readonly bodyBytesPerSecondMin: number;
  /** How often slow requests and bodies that stand still are looked for. */
  readonly checkMilliseconds: number;
}

interface Held {
  /** The networks that it comes from, the narrowest first. */
  readonly clients: readonly Client[];
  readonly startedAt: number;
  readonly end: (problem: Problem) => void;
  bytes: number;
  lastAt: number;
}

/** One network: an address, or a wider one that has the bound of several. */
interface Client {
  readonly network: string;
  readonly share: number;
  readonly bodies: Set<Held>;
  bytes: number;
}

const busySeconds = 5;

/** A network of a client, and how many times as much as an address it may hold. */
interface SharedNetwork {
  readonly text: string;
  readonly share: number;
}

/**
 * Bounds the bytes of bodies that have not arrived as a whole (docs/decisions/0013-slow-clients.md). When there are too many, the slowest
 * body of the network that holds most for its share is refused, so a body that arrives at once is served. The hook is the last before a body is read: what
 * is refused at its headers holds nothing, and a body that came in one packet with its headers is not counted.
 */
export function installUnfinishedBodyLimit(
  app: FastifyInstance,
  limits: UnfinishedBodyLimits,
  toSharedNetworks: (address: string) => readonly SharedNetwork[],
): void {
  const clients = new Map<string, Client>();
  const open = new Set<Held>();
  let total = 0;
  const timer = setInterval(endSlow, limits.checkMilliseconds).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  app.addHook("onRoute", (route) => {
    // After the hooks of the route itself, which may refuse it.
    route.preParsing = [...[route.preParsing ?? []].flat(), countBody];
  });

  function countBody(
    request: FastifyRequest,
    reply: FastifyReply,
    body: RequestPayload,
    done: (error?: FastifyError | null, body?: RequestPayload) => void,
  ): void {
    const { raw, headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) {
      done(null, body);
      return;
    }
    // The parser is in the middle of a packet, whose rest may be the whole body. Counting those as well took a third of the
    // submissions a second (2026-11-27), and ticks and microtasks come before the rest is parsed.
    setImmediate(() => done(null, raw.complete ? body : countRest(request, reply, body)));
  }

  function countRest(request: FastifyRequest, reply: FastifyReply, body: RequestPayload): RequestPayload {
    const now = performance.now();
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        next(null, chunk);
        add(held, chunk.length);
      },
    });
    const held: Held = {
      ...{ clients: clientsOf(request.ip), startedAt: now, lastAt: now, bytes: 0 },
      end(problem) {
        release(held);
        body.unpipe(counted);
        // The rest of the body is not read, so nothing else can come on this connection.
        reply.header("connection", "close");
        counted.destroy(problem);
      },
    };
    for (const { bodies } of held.clients) bodies.add(held);
    open.add(held);
    counted.once("close", () => release(held));
    // A body that nobody reads, because its route takes no such content, has no other listener.
    counted.on("error", () => undefined);
    reply.raw.once("close", () => {
      body.unpipe(counted);
      counted.destroy();
    });
    body.once("error", (error) => counted.destroy(error));
    return body.pipe(counted);
  }

  function clientsOf(address: string): readonly Client[] {
    return toSharedNetworks(address).map(({ text: network, share }) => {
      const client = clients.get(network) ?? { network, share, bodies: new Set(), bytes: 0 };
      clients.set(network, client);
      return client;
    });
  }

  function add(held: Held, bytes: number): void {
    if (!open.has(held)) return;
    held.bytes += bytes;
    held.lastAt = performance.now();
    for (const client of held.clients) client.bytes += bytes;
    total += bytes;
    for (const { bytes: ofClient, share, bodies } of held.clients)
      if (ofClient > limits.bodyBytesMaxOfAddress * share) slowestOf(bodies)?.end(tooManyOfOne());
    while (total > limits.bodyBytesMax) {
      const loadOf = (client: Client) => client.bytes / client.share;
      const most = [...clients.values()].reduce((one, other) => (loadOf(other) > loadOf(one) ? other : one));
      const slowest = slowestOf(most.bodies);
      if (slowest === undefined) return;
      slowest.end(tooMany());
    }
  }

  function release(held: Held): void {
    if (!open.delete(held)) return;
    total -= held.bytes;
    for (const client of held.clients) {
      client.bodies.delete(held);
      client.bytes -= held.bytes;
      if (client.bodies.size === 0) clients.delete(client.network);
    }
  }

  function endSlow(): void {
    const now = performance.now();
    const isSlow = ({ startedAt, lastAt, bytes }: Held) =>
      now - lastAt >= limits.standstillMilliseconds ||
      now - startedAt >= limits.requestMilliseconds + (1000 * bytes) / limits.bodyBytesPerSecondMin;
    for (const held of open) if (isSlow(held)) held.end(tooSlow());
  }
}

/** The body that has come at the lowest rate: an upload that continues is worth more than one that somebody holds back. */
function slowestOf(bodies: ReadonlySet<Held>): Held | undefined {
  const now = performance.now();
  let slowest: Held | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const held of bodies) {
    const rate = held.bytes / (now - held.startedAt + 1);
    if (held.bytes > 0 && rate < lowest) [slowest, lowest] = [held, rate];
  }
  return slowest;
}

function tooManyOfOne(): Problem {
  return new Problem("rate_limited", "Too many requests. Please try again later.", { retryAfter: busySeconds });
}

function tooMany(): Problem {
  return new Problem("unavailable", "Too many uploads are arriving at this moment. Please try again.", {
    retryAfter: busySeconds,
  });
}

function tooSlow(): Problem {
  return new Problem("bad_request", "The request took too long to arrive", { status: 408 });
}
