import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvelopeReader } from "./envelope-reader.ts";
import { createFormKeys } from "./form-keys.ts";

test("the keys of ten thousand forms are held, those that were asked for last, however many a server names", async () => {
  const opened: string[] = [];
  const reader = {
    open: async (formId: string) => {
      opened.push(formId);
      return { kind: "opened", keys: [{ keyVersion: 1 }], refused: [] };
    },
  } as unknown as EnvelopeReader; // as much of one as is asked here
  const keys = createFormKeys(reader);
  for (let number = 0; number < 10_000; number++) await keys.keysFor(`form_${number}`, 1);
  await keys.keysFor("form_0", 1);
  assert.equal(opened.length, 10_000);
  await keys.keysFor("form_more", 1);
  await keys.keysFor("form_0", 1);
  assert.equal(opened.length, 10_001, "it was asked for a moment ago");
  await keys.keysFor("form_1", 1);
  assert.equal(opened.length, 10_002, "nobody had asked for it for the longest time");
});
