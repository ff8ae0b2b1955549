import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";

/**
 * `unsent`: the commit does not arrive. `unanswered`: it does, and its answer is lost. `away`: the same, and then the
 * database can't be asked either.
 */
export type CommitCut = "unsent" | "unanswered" | "away";

/** The URL of a PostgreSQL that breaks the connection once, at the commit of the transaction that ends a copy. */
export async function cutLastCommit(t: TestContext, databaseUrl: string, cut: CommitCut): Promise<string> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    let isLast = false;
    let isMute = false;
    function breakOff(): void {
      isCut = true;
      for (const socket of cut === "away" ? sockets : [client, upstream]) socket.destroy();
    }
    client.on("data", (data) => {
      const text = data.toString("latin1");
      isLast ||= /delete from "instance"/i.test(text);
      if (isLast && !isCut && /commit/i.test(text)) {
        if (cut === "unsent") return breakOff();
        isMute = true;
      }
      upstream.write(data);
    });
    // PostgreSQL's answer to the commit: it is done.
    upstream.on("data", (data) => (isMute ? breakOff() : client.write(data)));
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    if (isCut && cut === "away") client.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens at a port
  return url.href;
}
