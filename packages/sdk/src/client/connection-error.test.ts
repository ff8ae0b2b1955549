import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { clientOf } from "../testing/played-server.ts";
import { createClient } from "./client.ts";
import { ConnectionError } from "./connection-error.ts";

test("a server that can't be reached is a ConnectionError with the reason, and so is an answer that breaks off", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  await new Promise((resolve) => server.close(resolve));
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  const isReason = (pattern: RegExp) => (error: unknown) =>
    error instanceof ConnectionError && pattern.test(error.message) && error.cause instanceof TypeError;
  await assert.rejects(client.forms.list(), isReason(/^The server could not be reached: .*ECONNREFUSED/));

  const cutting = await clientOf(t, (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  await assert.rejects(cutting.forms.list(), isReason(/^The connection to the server was lost: ./));
});

test("a call that is ended by its signal rejects with the signal's reason", async (t) => {
  const client = await clientOf(t, () => controller.abort(new Error("Changed my mind")));
  const controller = new AbortController();
  await assert.rejects(client.forms.list({}, { signal: controller.signal }), /^Error: Changed my mind$/);
});
