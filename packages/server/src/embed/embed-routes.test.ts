import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
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

test("every script of the embed is served to any page, for ever, as what it is, with the bytes of its integrity", async (t) => {
  const service = await createTestService(t);
  const manifest = JSON.parse(
    await readFile(new URL("../../../embed/dist/browser/manifest.json", import.meta.url), "utf8"),
  );
  const scripts: [string, { file: string; integrity: string }][] = Object.entries(manifest.scripts);
  assert.deepEqual(scripts.map(([name]) => name).sort(), [
    "sealpost",
    "sealpost-hybrid",
    "sealpost-key-log",
    "sealpost-pii",
  ]);
  for (const [name, { file, integrity }] of scripts)
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(`${service.url}/embed/${file}`, {
        method,
        headers: { origin: "https://www.example.org" },
      });
      const { headers } = response;
      assert.equal(response.status, 200, `${method} ${name}`);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
      const [algorithm = ""] = integrity.split("-");
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (method === "HEAD") assert.equal(bytes.length, 0);
      else assert.equal(`${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`, integrity);
    }
});
