import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** An answer on its way back, uncompressed. */
export interface Passing {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** Changes an answer, or `undefined` to let it through. */
export type Alter = (
  asked: { readonly path: string; readonly headers: IncomingHttpHeaders },
  honest: Passing,
) => Partial<Passing> | undefined;

export interface AlteringProxy {
  readonly url: string;
  alter: Alter;
}

/**
 * A server before a real service that changes answers for whom it likes. The service is asked once for the same with the same
 * headers: a test changes the answers, not what the service has to say.
 */
export async function startAlteringProxy(
  t: { after(close: () => unknown): unknown },
  serviceUrl: string,
): Promise<AlteringProxy> {
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const known = new Map<string, Promise<Passing>>();
  const proxy: AlteringProxy = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`, // a TCP server that listens
    alter: () => undefined,
  };

  function askOnce(asked: IncomingMessage): Promise<Passing> {
    const { method, url, headers } = asked;
    const key = JSON.stringify([method, url, headers]);
    const honest = known.get(key) ?? ask(asked);
    known.set(key, honest);
    return honest;
  }

  async function ask(asked: IncomingMessage): Promise<Passing> {
    const { method, url = "", headers } = asked;
    const forwarded = { ...headers, host: new URL(serviceUrl).host, "accept-encoding": "identity" };
    const through = request(serviceUrl + url, { method, headers: forwarded });
    asked.pipe(through);
    const [answer] = (await once(through, "response")) as [IncomingMessage]; // what the event gives
    return { status: answer.statusCode ?? 0, headers: { ...answer.headers }, body: await buffer(answer) };
  }

  async function pass(asked: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = "", headers } = asked;
    const honest = await askOnce(asked);
    const given = { ...honest, ...proxy.alter({ path: url, headers }, honest) };
    const headersOut = Object.entries(given.headers).filter(
      ([name, value]) => value !== undefined && !/^(content-length|transfer-encoding)$/.test(name),
    );
    outgoing.writeHead(given.status, Object.fromEntries(headersOut)).end(given.body);
  }

  return proxy;
}

/** The same bytes with one bit of the last changed. */
export function changeOneByte(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const last = changed.length - 1;
  changed[last] = (changed[last] ?? 0) ^ 1;
  return changed;
}
