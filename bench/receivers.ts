/**
 * Webhook receivers in a process of their own, for the benchmarks of deliveries: `--hosts` HTTPS servers on ports of
 * 127.0.0.1 that read each request and answer 204, and with `--hanging` as many more that never answer.
 */
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { createAuthority } from "../packages/server/src/webhooks/testing/receiver.ts";

/** Its output once it listens. */
export interface Receivers {
  readonly ca: string;
  readonly urls: readonly string[];
  readonly hangingUrls: readonly string[];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { hosts: { type: "string", default: "16" }, hanging: { type: "string", default: "0" } },
  });
  const { ca, good } = await createAuthority();
  const listen = (answer: RequestListener): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer({ ...good, keepAliveTimeout: 60_000 }, answer);
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo; // listening on TCP
        resolve(`https://127.0.0.1:${port}/hook`);
      });
    });
  const open = (count: string, answer: RequestListener) =>
    Promise.all(Array.from({ length: Number(count) }, () => listen(answer)));
  const answering: RequestListener = (request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  };
  const receivers: Receivers = {
    ca,
    urls: await open(values.hosts, answering),
    hangingUrls: await open(values.hanging, (request) => void request.resume()),
  };
  console.log(JSON.stringify(receivers));
}
