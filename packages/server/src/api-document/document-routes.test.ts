import assert from "node:assert/strict";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createTestService } from "../testing/test-service.ts";

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The bytes on the wire: `fetch` decompresses. */
function get(url: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}/api/openapi.json`, { headers }, async (answer) => {
      resolve({ status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) });
    });
    sent.on("error", reject).end();
  });
}

test("the OpenAPI document is sent compressed, once for each tag, and pages of any origin may read it", async (t) => {
  const service = await createTestService(t);
  const plain = await get(service.url, {});
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(JSON.parse(plain.bytes.toString()).servers[0].url, service.url);
  const encodings = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["br;q=0", undefined],
    ["identity", undefined],
  ] as const;
  for (const [accepted, encoding] of encodings) {
    const { headers, bytes } = await get(service.url, {
      "accept-encoding": accepted,
      origin: "https://editor.example",
    });
    assert.equal(headers["content-encoding"], encoding, accepted);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (given: Buffer) => given }[encoding ?? "none"];
    assert.ok(decode(bytes).equals(plain.bytes), accepted);
    if (encoding !== undefined) assert.ok(bytes.length < plain.bytes.length / 5, `${accepted}: ${bytes.length}`);
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.equal(headers["access-control-allow-credentials"], undefined);
    assert.match(String(headers.vary), /accept-encoding/i);
    assert.equal(headers.etag, plain.headers.etag);
  }
  const again = await get(service.url, { "if-none-match": String(plain.headers.etag), "accept-encoding": "br" });
  assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, plain.headers.etag]);
  assert.equal((await get(service.url, { "if-none-match": '"another"' })).status, 200);
});
