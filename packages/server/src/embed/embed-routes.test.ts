import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createTestService } from "../testing/test-service.ts";

test("the embed is sent compressed to who takes that, and is the same script byte for byte", async (t) => {
  const service = await createTestService(t);
  const ask = async (accepted: string) => {
    const request = get(`${service.url}/embed/sealpost.js`, { headers: { "accept-encoding": accepted } });
    const [response]: IncomingMessage[] = await once(request, "response");
    assert.ok(response);
    assert.equal(response.headers.vary, "Accept-Encoding");
    return { encoding: response.headers["content-encoding"], bytes: await buffer(response) };
  };
  const plain = await ask("identity");
  assert.equal(plain.encoding, undefined);
  for (const accepted of ["gzip, deflate, br", "br;q=0.5", "gzip, br"]) {
    const { encoding, bytes } = await ask(accepted);
    assert.equal(encoding, "br", accepted);
    assert.deepEqual(brotliDecompressSync(bytes), plain.bytes);
    assert.ok(bytes.length < plain.bytes.length / 2);
  }
  for (const accepted of ["gzip", "gzip, br;q=0"]) {
    const { encoding, bytes } = await ask(accepted);
    assert.equal(encoding, "gzip", accepted);
    assert.deepEqual(gunzipSync(bytes), plain.bytes);
  }
  for (const accepted of ["", "deflate", "gzip;q=0"]) assert.equal((await ask(accepted)).encoding, undefined, accepted);
});
