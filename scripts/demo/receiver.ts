import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Received, Receiver } from "@sealpost/sdk";
import type { Certificate } from "./certificate.ts";

export interface DemoReceiver {
  /** `https://localhost:{port}`, without a path. */
  readonly url: string;
  /** Requests to this path are its own from now on; before, and at other paths, they are answered with 404. */
  add(path: string, receiver: Receiver): void;
  close(): void;
}

export interface DemoReceiverOptions {
  readonly certificate: Certificate;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called with each request that a receiver has looked at. A number is answered instead of 204 or 401. */
  readonly onReceived: (received: Received, path: string) => number | undefined;
}

/** A receiver on HTTPS, as your own server would be one: verifies each request, and opens what is sealed. */
export async function startDemoReceiver(options: DemoReceiverOptions): Promise<DemoReceiver> {
  const { certificate, port, onReceived } = options;
  const receivers = new Map<string, Receiver>();
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {}); // a sender that went away has no answer to get
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? "/";
    const receiver = receivers.get(path);
    if (receiver === undefined) return void response.writeHead(404).end();
    const received = await receiver.receive({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(onReceived(received, path) ?? (received.verified ? 204 : 401)).end();
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "localhost", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`, // it listens on TCP
    add: (path, receiver) => void receivers.set(path, receiver),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A request, in lines for people; the fields of a submission among them. */
export function describeReceived(received: Received): readonly string[] {
  if (!received.verified) return [`✗ a request without a valid signature: ${received.reason}`];
  const { event, deliveryId } = received;
  const first = `✓ webhook ${event.event}, delivery ${deliveryId}: signature verified`;
  if (event.event !== "submission.created") return [first];
  if (!event.opened.opened) return [first, `✗ ${event.opened.message}`];
  const { sealed, fields } = event.opened;
  return [
    first,
    `✓ submission ${event.submission.id} ${sealed ? "opened with the private key" : "was not sealed"}:`,
    ...Object.entries(fields).map(([name, value]) => `    ${name}: ${JSON.stringify(value)}`),
  ];
}
