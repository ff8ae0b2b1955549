import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvelopeHead } from "./envelope-checks.ts";
import { type EnvelopeRequest, followEnvelope } from "./follow-envelope.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads, type SeenHeads } from "./seen-heads.ts";
import { formId } from "./testing/envelope-maker.ts";
import { organizationId } from "./testing/people.ts";

const hash = (letter: string) => letter.repeat(43);
const key: EnvelopeHead["keys"][number] = {
  ...{ version: 1, fingerprint: hash("F"), hybridFingerprint: hash("H"), seedHash: hash("S"), isPublished: true },
};

const of = { organizationId, formId, formName: "Contact" };

function toHead(revision: number, keys: EnvelopeHead["keys"]): EnvelopeHead {
  const list = { number: 1, hash: hash("L") };
  return { ...of, firstVersion: 1, revision, hash: hash(`${revision}`), list, keyLog: null, readers: [], keys };
}

function createMemoryHeads(): SeenHeads {
  const values = new Map<string, unknown>();
  return createSeenHeads({
    isLasting: true,
    find: async (name) => values.get(name),
    async change(name, change) {
      const value = change(values.get(name));
      if (value !== undefined) values.set(name, value);
    },
  });
}

/** Why the second revision, with `shown`, is refused after a first with `key`. */
const writerKeys = new Set<string>();

async function follow(shown: EnvelopeHead["keys"][number], isByFormer: boolean): Promise<string | undefined> {
  const heads = createMemoryHeads();
  await heads.advanceEnvelope(undefined, toHead(1, [key]));
  const source = {
    heads,
    fetchEnvelope: async () => ({ file: new Uint8Array(1), revision: 2 }),
    fetchPublished: async () => undefined,
    fetchKeyLog: async () => undefined,
    openEnvelope: async () => ({ head: toHead(2, [shown]), asLogged: [], isByFormer, isByOwner: false, writerKeys }),
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

test("missed revisions are opened in order, of a number that is made up 256 are asked for, and after one that is refused or gone owners alone continue", async () => {
  const owner = { isByOwner: true, isByFormer: false };
  const others = [
    { isByOwner: false, isByFormer: false },
    { isByOwner: false, isByFormer: true },
  ];
  const cases = [
    ...[owner, ...others].flatMap((by) => [
      { ...{ shown: 1, there: 3, refused: [], opened: [1], seen: 1, before: 1 }, by },
      { ...{ shown: 4, there: 3, refused: [], opened: [2, 3, 4], seen: 4, before: 3 }, by },
      { ...{ shown: 5, there: 3, refused: [3, 5], opened: [2, 3, 5], seen: 2, before: 2 }, by },
      { ...{ shown: 2 ** 31 - 1, there: 3, refused: [2 ** 31 - 1], opened: [2 ** 31 - 1], seen: 1, before: 1 }, by },
    ]),
    ...[
      { shown: 5, there: 3, refused: [3], opened: [2, 3, 5], before: 2 },
      { shown: 4, there: 3, refused: [2, 3], opened: [2, 3, 4], before: 1 },
      { shown: 4, there: 1, refused: [], opened: [4], before: 1 },
    ].flatMap((one) => [
      { ...one, by: owner, seen: one.shown },
      ...others.map((by) => ({ ...one, by, seen: one.before, reason: "other_previous" })),
    ]),
  ];
  for (const { shown, there, refused, opened, seen, before, by, reason } of cases.map((one) => ({
    reason: undefined,
    ...one,
  }))) {
    const heads = createMemoryHeads();
    await heads.advanceEnvelope(undefined, toHead(1, [key]));
    const asked: number[] = [];
    const tried: number[] = [];
    const source = {
      heads,
      async fetchEnvelope(_form: string, _firstVersion: number, revision = shown) {
        asked.push(revision);
        const isThere = revision <= there || revision === shown;
        return isThere ? { file: new Uint8Array(1), revision } : undefined;
      },
      fetchPublished: async () => undefined,
      fetchKeyLog: async () => undefined,
      async openEnvelope({ revision, newest }: EnvelopeRequest) {
        tried.push(revision);
        if (refused.includes(revision)) return new RefusalError("not_allowed");
        if (revision === shown) assert.equal(newest?.revision, before);
        return { head: toHead(revision, [key]), asLogged: [], writerKeys, ...(revision === shown ? by : owner) };
      },
      renewList: async () => false,
    };
    const followed = await followEnvelope(source, formId, 1);
    assert.deepEqual(tried, opened);
    assert.ok(asked.length <= 257);
    assert.deepEqual(
      (await heads.findEnvelopes(formId)).heads.map(({ revision }) => revision),
      [seen],
    );
    if (reason === undefined) continue;
    assert.ok("reason" in followed);
    // It opens submissions, and nothing else.
    assert.deepEqual([followed.reason, followed.forReading?.head.revision], [reason, shown]);
  }
});

test("an entry of a key log that a missed revision names, and nobody shows, stops nobody from writing another one", async () => {
  const heads = createMemoryHeads();
  await heads.advanceEnvelope(undefined, toHead(1, [key]));
  const keyLog = { number: 1, hash: hash("K") };
  const source = {
    heads,
    fetchEnvelope: async (_form: string, _firstVersion: number, revision = 3) => ({
      file: new Uint8Array(1),
      revision,
    }),
    fetchPublished: async () => undefined,
    fetchKeyLog: async () => undefined,
    openEnvelope: async ({ revision }: EnvelopeRequest) =>
      revision === 3
        ? new RefusalError("malformed")
        : {
            head: { ...toHead(revision, [key]), keyLog },
            asLogged: [],
            isByFormer: false,
            isByOwner: false,
            writerKeys,
          },
    renewList: async () => false,
  };
  assert.deepEqual(await followEnvelope(source, formId, 1), { firstVersion: 1, reason: "malformed" });
  assert.deepEqual(await heads.findNamedKeyLogs(formId), []);
});
