import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";

/** Between a service and its PostgreSQL, which so can be away for this service alone. */
export interface DatabaseProxy {
  readonly url: string;
  /** Whenever a connection is made. */
  readonly connections: EventTarget;
  /** As if the server had been stopped: every connection is cut, and none can be made. */
  refuse(): Promise<void>;
  /** As if the server stood still: connections are cut, and new ones get no answer. */
  mute(): Promise<void>;
  /** As at the beginning. */
  pass(): Promise<void>;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const port = await findFreePort();
  const connections = new EventTarget();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let isMute = false;

  async function listen(): Promise<void> {
    if (server !== undefined) return;
    server = createServer((client) => {
      keep(client);
      connections.dispatchEvent(new Event("connection"));
      if (isMute) return;
      const upstream = keep(connect(Number(target.port), target.hostname));
      client.pipe(upstream).pipe(client);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }
  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    return socket;
  }
  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  await listen();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    connections,
    async refuse() {
      const closed = server && once(server, "close");
      server?.close();
      server = undefined;
      cut();
      await closed;
    },
    async mute() {
      isMute = true;
      cut();
    },
    async pass() {
      isMute = false;
      cut();
      await listen();
    },
  };
}
