import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, seal } from "@sealpost/wire";
import { importOpeningKey, open } from "@sealpost/wire/open";
import { makeKeyPairs } from "./key-pairs.ts";

test("the key pairs that tests take have 3072 bits, no two are alike, and each opens what is sealed to it", async () => {
  const pairs = [...makeKeyPairs()];
  assert.equal(new Set(pairs.map(({ publicKey }) => publicKey.n)).size, pairs.length);
  for (const { publicKey } of pairs) assert.equal(Buffer.from(publicKey.n, "base64url").length, 384);
  for (const { publicKey, privateKey } of [pairs[0], pairs.at(-1)].filter((pair) => pair !== undefined)) {
    const binding = { formId: createId("form"), keyVersion: 1, submissionId: createId("submission") };
    const payload = await seal({ note: "hello" }, binding, publicKey);
    const opened = await open({ ...binding, payload }, [await importOpeningKey(privateKey)]);
    assert.deepEqual(opened.opened && opened.fields, { note: "hello" });
  }
});
