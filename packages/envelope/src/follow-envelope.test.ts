import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvelopeHead } from "./envelope-checks.ts";
import { followEnvelope } from "./follow-envelope.ts";
import { createSeenHeads } from "./seen-heads.ts";
import { formId } from "./testing/envelope-maker.ts";
import { organizationId } from "./testing/people.ts";

const hash = (letter: string) => letter.repeat(43);
const key: EnvelopeHead["keys"][number] = {
  ...{ version: 1, fingerprint: hash("F"), hybridFingerprint: hash("H"), seedHash: hash("S"), isPublished: true },
};

const of = { organizationId, formId, handedTo: null, formName: "Contact" };

function toHead(revision: number, keys: EnvelopeHead["keys"]): EnvelopeHead {
  const list = { number: 1, hash: hash("L") };
  return { ...of, firstVersion: 1, revision, hash: hash(`${revision}`), list, keyLog: null, readers: [], keys };
}

/** Why the second revision, with `shown`, is refused after a first with `key`. */
async function follow(shown: EnvelopeHead["keys"][number], isByFormer: boolean): Promise<string | undefined> {
  const values = new Map<string, unknown>();
  const heads = createSeenHeads({
    isLasting: true,
    find: async (name) => values.get(name),
    async change(name, change) {
      const value = change(values.get(name));
      if (value !== undefined) values.set(name, value);
    },
  });
  await heads.advanceEnvelope(undefined, toHead(1, [key]));
  const source = {
    heads,
    fetchEnvelope: async () => ({ file: new Uint8Array(1), revision: 2 }),
    fetchPublished: async () => undefined,
    fetchKeyLog: async () => undefined,
    openEnvelope: async () => ({ head: toHead(2, [shown]), isByFormer, isByOwner: false }),
    renewList: async () => false,
  };
  const followed = await followEnvelope(source, formId, 1);
  return "reason" in followed ? followed.reason : undefined;
}

test("of somebody who may write no longer only keys count that were seen, with every mark of them", async () => {
  assert.equal(await follow(key, true), undefined);
  // Whether it is published, its writer can't say.
  const marks = Object.keys(key).filter((name) => name !== "isPublished");
  const changes = marks.map((name) => ({ ...key, [name]: name === "version" ? 2 : hash("X") }));
  for (const changed of changes)
    assert.deepEqual([await follow(changed, true), await follow(changed, false)], ["former_writer", undefined]);
});
