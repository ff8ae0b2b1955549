import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request, type Server } from "node:http";
import { json } from "node:stream/consumers";
import type { PreparedRequest } from "../contract/operation-calls.ts";

export interface Refusal {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: of any operation
  readonly body: any;
  /** Where a page is led on to. */
  readonly location?: string | undefined;
}

export interface HeldRequest {
  /** Sends what was held back. */
  finish(): Promise<Refusal>;
}

/** Sends a request of which all but the last byte of the body arrives; resolves once the service waits for that byte. */
export async function holdRequest(
  server: Server,
  url: string,
  { method, path, headers, body }: PreparedRequest,
): Promise<HeldRequest> {
  const id = crypto.randomUUID();
  const waiting = new Promise<void>((resolve) => {
    const look = (incoming: IncomingMessage) => {
      if (incoming.headers["x-held"] !== id) return;
      server.off("request", look);
      // The service reads a body only once it has looked at the credential.
      incoming.once("resume", resolve);
    };
    server.on("request", look);
  });
  const bytes = Buffer.from(body ?? "");
  const framing = body === undefined ? { "transfer-encoding": "chunked" } : { "content-length": bytes.length };
  const sent = request(`${url}${path}`, { method, headers: { ...headers, ...framing, "x-held": id }, agent: false });
  const answered = receive(sent);
  sent.flushHeaders();
  if (bytes.length > 1) sent.write(bytes.subarray(0, -1));
  const first = await Promise.race([waiting, answered]);
  assert.equal(first, undefined, `${method} ${path} was answered before its body: ${JSON.stringify(first)}`);
  return {
    finish() {
      sent.end(bytes.subarray(-1));
      return answered;
    },
  };
}

async function receive(sent: ClientRequest): Promise<Refusal> {
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await json(answer).catch(() => undefined) };
}
