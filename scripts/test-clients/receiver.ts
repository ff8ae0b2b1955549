import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "../demo/certificate.ts";

/** A request as it came. */
export interface ReceivedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  /** The first webhook of a form, or that of a submission, as soon as it has come. */
  nextOf(id: string): Promise<ReceivedRequest>;
  stop(): void;
}

/** An HTTPS server on loopback that accepts every webhook and keeps the first one of each form, and of each submission. */
export async function startReceiver(certificate: Certificate): Promise<Receiver> {
  const arrivals = new Map<string, PromiseWithResolvers<ReceivedRequest>>();
  const arrivalOf = (id: string) => {
    const arrival = arrivals.get(id) ?? Promise.withResolvers<ReceivedRequest>();
    arrivals.set(id, arrival);
    return arrival;
  };
  const server = createServer(certificate, async (request, response) => {
    const chunks = await request.toArray();
    const body = Buffer.concat(chunks);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { form, submission } = JSON.parse(body.toString());
    const received = { headers, body: body.toString("base64") };
    arrivalOf(form.id).resolve(received);
    if (submission !== undefined) arrivalOf(submission.id).resolve(received);
    response.writeHead(204).end();
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `https://localhost:${port}/hook`,
    nextOf: (id) => arrivalOf(id).promise,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
