import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createWebhookSecret } from "@sealpost/wire";
import { generate } from "selfsigned";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createReceiver } from "./receiver.ts";
import { createdSealed, secret, sign } from "./testing/delivery.ts";

test("over real HTTPS, Node's own headers and bytes verify and open, Unicode and 100 KB of text included", async (t) => {
  const certificate = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const keyPair = takeKeyPair();
  const receiver = await createReceiver({ secrets: secret, privateKeys: [keyPair.privateKey] });
  const server = createServer({ key: certificate.private, cert: certificate.cert }, async (incoming, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const received = await receiver.receive({ headers: incoming.headers, body: Buffer.concat(chunks) });
    response.writeHead(received.verified ? 200 : 401).end(JSON.stringify(received));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on a port, so no pipe name and not null

  async function post({ headers, body }: { headers: Record<string, string>; body: string }) {
    const options = { host: "127.0.0.1", servername: "localhost", port, ca: certificate.cert, method: "POST", headers };
    const outgoing = request(options).end(body);
    const [response] = await once(outgoing, "response");
    return { status: response.statusCode, received: JSON.parse(await text(response)) };
  }

  const fields = { name: "Zoë 😀 \u202e", text: "Ünïcode ".repeat(12_500) };
  const delivery = await sign(await createdSealed(fields, keyPair), { at: Date.now() });
  const { "webhook-signature": signature = "", ...others } = delivery.headers;
  const answer = await post({ ...delivery, headers: { ...others, "Webhook-Signature": signature } });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.received.event.opened, { opened: true, sealed: true, fields });

  const forged = await sign(await createdSealed(fields, keyPair), { at: Date.now(), secrets: [createWebhookSecret()] });
  const refused = await post(forged);
  assert.equal(refused.status, 401);
  assert.equal(refused.received.reason, "invalid_signature");
});
