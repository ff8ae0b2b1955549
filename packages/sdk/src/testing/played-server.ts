import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { ClientOptions } from "../client/call.ts";
import { createClient } from "../client/client.ts";

/** A client of a server that answers as `listener` says, over real HTTP: for the answers that a healthy service never gives. */
export async function clientOf(t: TestContext, listener: RequestListener, options: Partial<ClientOptions> = {}) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on a port, so no pipe name and not null
  return createClient({ baseUrl: `http://127.0.0.1:${port}/`, token: "sp_token", ...options });
}
