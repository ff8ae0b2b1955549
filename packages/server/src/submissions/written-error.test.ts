import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createTestService } from "../testing/test-service.ts";
import { findWrittenError } from "./written-error.ts";

/** Members and depth of a value as `JSON.stringify` writes it, where no name occurs twice. */
function sizeOf(value: unknown): { members: number; depth: number } {
  if (typeof value !== "object" || value === null) return { members: 0, depth: 0 };
  const sizes = Object.values(value).map(sizeOf);
  return {
    members: sizes.reduce((sum, { members }) => sum + 1 + members, 0),
    depth: 1 + Math.max(0, ...sizes.map(({ depth }) => depth)),
  };
}

test("what is counted before parsing is never more than there is, whatever the texts hold", () => {
  const text = fc.string({ unit: fc.constantFrom(...'",:[]{}\\ua0é\u2028') });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.array(tie("value")), fc.dictionary(text, tie("value"))),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (body, indent) => {
      const written = Buffer.from(JSON.stringify(body, null, indent));
      assert.equal(findWrittenError(written, { ...sizeOf(body), bytes: 0 }), undefined);
    }),
    { numRuns: 2000 },
  );
});

test("a megabyte of members or brackets is refused before it is parsed, a megabyte of text that looks like it is not", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { publicKey } = takeKeyPair();
  const form = { name: "Plain", settings: { encryption: false }, publicKey };
  const { id } = (await account.request("POST", "/api/forms", form)).body.form;
  const submit = async (fields: string) => {
    const body = `{"payload":{"encrypted":false,"version":"plain1","fields":${fields}}}`;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${service.url}/api/forms/${id}/submissions`, { method: "POST", headers, body });
    return [answer.status, (await answer.json()).details];
  };
  const many = [400, { "payload.fields": "Must have at most 1000 members" }];
  const deep = [400, { "payload.fields": "Must be at most 32 levels deep" }];
  // Each ends as no JSON does, which only a parser would find.
  assert.deepEqual(await submit(`{${'"a":1,'.repeat(150_000)}`), many, "names");
  assert.deepEqual(await submit(`{"a":[${"[],".repeat(300_000)}`), many, "lists");
  assert.deepEqual(await submit(`{"a":[${'[{"a":[1]}],'.repeat(80_000)}`), many, "objects");
  assert.deepEqual(await submit("[".repeat(1_000_000)), deep, "brackets");
  for (const piece of [",", "[", '{\\"a\\":1,', '\\\\\\",[']) {
    const [status] = await submit(`{"a":"${piece.repeat(100_000)}"}`);
    assert.equal(status, 201, piece);
  }
});
