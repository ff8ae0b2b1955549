import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** Before the service sees a request, or when it has answered and nobody has the answer. */
export type Moment = "before" | "after";

/** A request of a flow: the how-manieth one of its kind. */
export interface RequestPoint {
  readonly method: string;
  /** Without the ids in it. */
  readonly path: string;
  readonly count: number;
}

/** A door between browser and service, at one address, through which every request goes, and at which something may happen. */
export interface Gate {
  readonly url: string;
  /** Where requests go from now on. */
  lead(serviceUrl: string): void;
  /** Begins a new count, and gives the requests to the API from now on, in their order. */
  record(): RequestPoint[];
  /** At this request, `act` runs, and the request is never answered. Resolves when `act` has ended. */
  arm(point: RequestPoint, moment: Moment, act: () => Promise<void>): Promise<void>;
  close(): void;
}

interface Trap {
  readonly point: RequestPoint;
  readonly moment: Moment;
  spring(): Promise<void>;
}

export async function openGate(): Promise<Gate> {
  let target: URL | undefined;
  let seen: RequestPoint[] = [];
  let trap: Trap | undefined;

  const note = ({ method = "", url = "" }: IncomingMessage): RequestPoint | undefined => {
    const path = (url.split("?")[0] ?? "").replace(/([a-z]+)_[0-9a-z]{26}/g, "$1");
    if (!path.startsWith("/api/")) return undefined;
    const count = seen.filter((one) => one.method === method && one.path === path).length + 1;
    const point = { method, path, count };
    seen.push(point);
    return point;
  };

  // A connection that waits while a service starts stays open: one that is closed just as the next request comes would look like a lost answer.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, outgoing) => {
    const point = note(incoming);
    const sprung = trap !== undefined && point !== undefined && isSame(trap.point, point) ? trap : undefined;
    if (sprung !== undefined) trap = undefined;
    const end = () => outgoing.destroy();
    const body = await read(incoming).catch(() => undefined);
    if (body === undefined || target === undefined) return end();
    if (sprung?.moment === "before") return sprung.spring().then(end, end);
    const answer = await ask(target, incoming, body).catch(() => undefined);
    if (sprung !== undefined) return sprung.spring().then(end, end);
    if (answer === undefined) return end();
    pass(answer, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The gate listens on no port");
  return {
    url: `http://localhost:${address.port}`,
    lead(serviceUrl) {
      target = new URL(serviceUrl);
    },
    record() {
      seen = [];
      trap = undefined;
      return seen;
    },
    arm(point, moment, act) {
      return new Promise((resolve, reject) => {
        trap = { point, moment, spring: () => act().then(resolve, reject) };
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isSame(one: RequestPoint, other: RequestPoint): boolean {
  return one.method === other.method && one.path === other.path && one.count === other.count;
}

interface Answer {
  readonly head: IncomingMessage;
  readonly body: Buffer;
}

/** The whole answer: when it is here, what it answers is committed. */
function ask(target: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = target;
    const options = { hostname, port, path: url ?? "/", method: method ?? "GET", headers, agent: false } as const;
    const asked = request(options, (head) => {
      read(head).then((answered) => resolve({ head, body: answered }), reject);
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

function pass({ head, body }: Answer, outgoing: ServerResponse): void {
  const { "transfer-encoding": _, connection: __, ...headers } = head.headers;
  outgoing.writeHead(head.statusCode ?? 502, headers);
  outgoing.end(body);
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
