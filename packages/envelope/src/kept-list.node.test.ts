import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isWhole, sampleEvery } from "../../../tests/support/sample.ts";
import type { Bytes } from "./age-header.ts";
import { followList } from "./follow-list.ts";
import { keptVersion } from "./kept-entries.ts";
import { formatKeptList, keptListBytesMax } from "./kept-list.ts";
import {
  findUsage,
  knownEntries,
  type ListHead,
  type VerifiedList,
  verifyContinuedList,
  verifyList,
  verifyNextEntry,
} from "./list.ts";
import { countEntries, splitEntries } from "./list-bytes.ts";
import { formatNames } from "./names.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads, type HeadStore } from "./seen-heads.ts";
import { bytesOf, lists, namesOfAll } from "./testing/conformance.ts";
import { createHeadStore } from "./testing/head-store.ts";
import { createEntry, createList, headOf, type Step, signingKey } from "./testing/list-maker.ts";
import { organizationId, type Person } from "./testing/people.ts";
import { findEdges } from "./vouching.ts";

const toBytes = (text: string): Bytes => new TextEncoder().encode(text);
type Verified = VerifiedList | RefusalError;

/** Everything that anybody asks of a verified list. */
function describe(list: Verified): unknown {
  if (list instanceof RefusalError) return list.reason;
  const { place, used, changed } = findUsage(list);
  const heads = knownEntries(list).map(({ entry: { number }, hash }) => ({ number, hash }));
  return {
    ...{ place, used, changed, head: list.head, members: list.members, organizationName: list.organizationName },
    ...{ known: knownEntries(list), edges: findEdges(list), thenMembers: heads.map((head) => list.membersAt(head)) },
  };
}

let naming: ReturnType<typeof namesOfAll> | undefined;

/** The list as a whole, and in two pieces of which the first has so many entries. */
async function compare(bytes: Uint8Array, count: number): Promise<void> {
  naming ??= namesOfAll();
  const names = await naming;
  const at = indexAfter(bytes, 2 * count);
  const [kept, later] = [bytes.slice(0, at), bytes.slice(at)];
  // Vouched for by the founder, so that nothing but the entries is asked.
  const trust = { signingKey: await founderOf(bytes) };
  const whole = await verifyList(bytes, { organizationId, trust, names });
  const first = await verifyList(kept, { organizationId, trust, names });
  if (first instanceof RefusalError) {
    assert.ok(whole instanceof RefusalError);
    // All bounds are checked before anything is parsed, those of later pieces included.
    assert.ok(whole.reason === first.reason || whole.reason === "malformed");
    return;
  }
  const continued = await verifyContinuedList(kept, later, { organizationId, head: first.head, names });
  assert.deepEqual(describe(continued), describe(whole));
}

function indexAfter(bytes: Uint8Array, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line++) at = bytes.indexOf(10, at) + 1;
  return at;
}

async function founderOf(bytes: Uint8Array): Promise<string> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(10)))).member.signingKey ?? "";
  } catch {
    return "";
  }
}

// `npm test` has each eighth.
for (const vector of sampleEvery(lists, 8))
  test(`in two pieces: ${vector.name}`, async () => {
    const bytes = bytesOf(vector);
    for (let count = 1; count <= Math.floor(countEntries(bytes)); count++) await compare(bytes, count);
  });

const anybody: readonly Person[] = ["owner", "second owner", "manager", "reader", "program", "recovery", "developer"];
const someone = fc.constantFrom(...anybody);
const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ of: someone, by: fc.constantFrom<Person>("owner", "owner", "manager") }) },
  fc.record({
    change: fc.constantFrom("add", "replace", "remove", "vouch", "note", "name"),
    of: someone,
    by: someone,
    vouched: fc.uniqueArray(someone, { minLength: 1, maxLength: 3 }),
  }),
);

test("random histories are the same in two pieces as whole, whether they verify or not", async () => {
  let verified = 0;
  const numRuns = isWhole ? 30 : 8;
  const history = fc.array(someStep, { minLength: 4, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (more, cut) => {
      let list: VerifiedList | undefined;
      let text = "";
      const last = more.at(-1);
      for (const step of [{ of: "owner", by: "owner" } satisfies Step, ...more]) {
        const { signed } = await createEntry(step, (list?.head.number ?? 0) + 1, list?.head.hash ?? null);
        const next: unknown = await verifyNextEntry(list, organizationId, toBytes(signed));
        // Steps that the rules refuse are left out, but the last one.
        if (next instanceof RefusalError && step !== last) continue;
        if (!(next instanceof RefusalError)) list = (next as { readonly list: VerifiedList }).list; // it was not refused
        text += signed;
      }
      const bytes = toBytes(text);
      verified += list?.head.number ?? 0;
      await compare(bytes, 1 + (cut % countEntries(bytes)));
    }),
    { numRuns },
  );
  assert.ok(verified > numRuns, `${verified} entries`);
});

const note: Step = { change: "note", of: "owner", by: "owner" };
const steps: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  note,
  { of: "reader", by: "manager" },
  note,
];
const makeText = () => createList([...steps, { change: "remove", of: "reader", by: "owner" }, note]);

/** A device, and a service with the first five entries of the list, or others; both count. */
async function createDevice(store: HeadStore = createHeadStore()) {
  const entries = splitEntries(await makeText());
  const heads = createSeenHeads(store);
  const service = { entries: entries.slice(0, 5), whole: 0, names: 0, later: [] as (number | string)[] };
  const { subtle } = crypto;
  const verify = subtle.verify.bind(subtle);
  const trust = await signingKey("owner");
  const follow = async () => {
    let signatures = 0;
    subtle.verify = (...given: Parameters<typeof verify>) => {
      signatures += 1;
      return verify(...given);
    };
    try {
      const followed = await followList({
        ...{ organizationId, heads, trust },
        async fetchList() {
          service.whole += 1;
          return toBytes(service.entries.join(""));
        },
        async fetchFrom({ number, hash }: ListHead) {
          const later = service.entries.slice(number - 1);
          const isLast = later.length === 1 && (await headOf(later.join(""))).hash === hash;
          service.later.push(isLast ? "unchanged" : later.length);
          if (isLast) return "unchanged";
          return later.length === 0 ? undefined : toBytes(later.join(""));
        },
        async fetchNames(known) {
          const names = await namesOfAll();
          service.names += known === undefined ? 1 : 0;
          return names;
        },
      });
      return { followed, signatures };
    } finally {
      // It is the platform's own method again.
      Reflect.deleteProperty(subtle, "verify");
    }
  };
  return { entries, heads, service, follow };
}

/** A store that keeps whole lists apart, as files and browsers do. */
function withLists(kept: Map<string, unknown> = new Map()): HeadStore {
  return {
    ...createHeadStore(),
    lists: {
      find: async (id) => kept.get(id),
      keep: async (id, text) => void (text === undefined ? kept.delete(id) : kept.set(id, text)),
    },
  };
}

test("a device that has verified a list fetches later entries alone, and verifies as many signatures", async () => {
  const { entries, heads, service, follow } = await createDevice();
  const first = await follow();
  assert.deepEqual([first.followed.kind, first.signatures, service.whole], ["checked", 5, 1]);
  const same = await follow();
  assert.deepEqual([same.followed.kind, same.signatures, service.later], ["checked", 0, ["unchanged"]]);
  service.entries = [...entries];
  const later = await follow();
  assert.ok(later.followed.kind === "checked");
  assert.deepEqual([later.signatures, service.later.at(-1), service.whole], [2, 3, 1]);
  assert.deepEqual(later.followed.bytes, toBytes(entries.join("")));
  const whole = await verifyList(later.followed.bytes, {
    ...{ organizationId, trust: await signingKey("owner"), names: await namesOfAll() },
  });
  assert.deepEqual(describe(later.followed.list), describe(whole));
  assert.deepEqual(await heads.findList(organizationId), later.followed.list.head);
});

/** Damage to what was kept. */
const damages: Readonly<Record<string, (text: string) => unknown>> = {
  "is gone": () => undefined,
  "is no text": () => ({ list: 7 }),
  "is empty": () => "",
  "is of another version": (text) => text.replace(`"version":${keptVersion}`, `"version":${keptVersion + 1}`),
  "ends early": (text) => text.slice(0, -200),
  "lost its first entry": (text) => text.replace(/\n[^\n]*\n[^\n]*\n/, "\n"),
  "has another entry in it": (text) => text.replace("2026-11-22", "2026-11-23"),
  "has something that is no JSON in it": (text) => text.replace('{"format":"sealpost-list/1"', '{"format":'),
  "has null in the place of an entry": (text) => text.replace(/\n\{"format":"sealpost-list[^\n]*/, "\nnull"),
  "has another signature in it": (text) => text.replace(/"signature":"[^"]*"/, '"signature":"AAAA"'),
  "is of another organization": (text) => text.replace(organizationId, "acc_01hk153x00e5rbcwg8rxcnh8w9"),
};
/** Nothing is read of a kept signature, which the head does not fix. */
const harmless = ["has another signature in it"];
for (const [name, damage] of Object.entries(damages))
  test(`a kept list that ${name} is ${harmless.includes(name) ? "the same list" : "fetched and verified whole, and kept again"}`, async () => {
    const kept = new Map<string, unknown>();
    const { entries, heads, service, follow } = await createDevice(withLists(kept));
    await follow();
    // As of a list that is longer than the end which is kept of it.
    await heads.keepEntries(organizationId, { version: keptVersion, first: 5, text: entries[4] ?? "", names: [] });
    kept.set(organizationId, damage(formatKeptList(organizationId, toBytes(service.entries.join("")))));
    service.entries = [...entries];
    const { followed, signatures } = await follow();
    assert.ok(followed.kind === "checked");
    assert.deepEqual(followed.list.head, await headOf(entries.join("")));
    assert.deepEqual([signatures, service.whole], harmless.includes(name) ? [2, 1] : [7, 2]);
    const again = await follow();
    assert.deepEqual(
      [again.followed.kind, again.signatures, service.whole],
      ["checked", 0, harmless.includes(name) ? 1 : 2],
    );
  });

test("what is kept is never trusted over the head: a made-up list that was put there is not believed", async () => {
  const kept = new Map<string, unknown>();
  const { service, follow, heads } = await createDevice(withLists(kept));
  await follow();
  const invented = await createList([...steps.slice(0, 4), { of: "second reader", by: "owner" }]);
  await heads.keepEntries(organizationId, { version: keptVersion, first: 1, text: invented, names: [] });
  kept.set(organizationId, formatKeptList(organizationId, toBytes(invented)));
  const { followed, signatures } = await follow();
  assert.ok(followed.kind === "checked");
  assert.deepEqual([followed.bytes, signatures], [toBytes(service.entries.join("")), 5]);
});

/** Lists that a service shows instead of one that continues what was seen, and the reason for which the whole list is refused. */
const lies: Readonly<
  Record<string, readonly [reason: string, (entries: readonly string[]) => Promise<readonly string[]>]>
> = {
  "an older list": ["old_list", async (entries) => entries.slice(0, 4)],
  "a fork": [
    "forked",
    async () => splitEntries(await createList([...steps.slice(0, 4), { of: "second reader", by: "owner" }, note])),
  ],
  "an entry that nobody signed": [
    "not_signed",
    async (entries) => [
      ...entries.slice(0, 5),
      (entries[5] ?? "").replace(/"signature":"[^"]*"/, `"signature":"${"A".repeat(86)}"`),
    ],
  ],
  "entries without one between": ["broken_chain", async (entries) => [...entries.slice(0, 5), entries[6] ?? ""]],
  "the same entry twice": ["broken_chain", async (entries) => [...entries.slice(0, 5), entries[4] ?? ""]],
  "something after the entries": ["malformed", async (entries) => [...entries.slice(0, 6), "more\n"]],
};
for (const [name, [reason, lie]] of Object.entries(lies))
  test(`a service that shows ${name} is refused as before: ${reason}`, async () => {
    const { entries, heads, service, follow } = await createDevice();
    await follow();
    const before = await heads.findList(organizationId);
    service.entries = [...(await lie(entries))];
    const { followed } = await follow();
    assert.equal(followed.kind === "refused" && followed.reason, reason);
    assert.deepEqual(await heads.findList(organizationId), before);
    service.entries = [...entries];
    assert.equal((await follow()).followed.kind, "checked");
  });

test("a list is kept without names, goes when its head is put aside, and one that is too long is not kept", async () => {
  const kept = new Map<string, unknown>();
  const { heads } = await createDevice(withLists(kept));
  await heads.keepList(organizationId, formatKeptList(organizationId, toBytes(await makeText())));
  const text = String(kept.get(organizationId));
  for (const name of ["manager", "reader"]) assert.doesNotMatch(text, new RegExp(`"name":"${name}`));
  await heads.forgetList(organizationId);
  assert.equal(kept.size, 0);
  await heads.keepList(organizationId, "a");
  await heads.keepList(organizationId, "a".repeat(keptListBytesMax + 1));
  assert.equal(kept.size, 0);
});

test("a store that fails to keep a list is no error", async () => {
  const fail = () => Promise.reject(new Error("The disk is full"));
  const heads = createSeenHeads({ ...createHeadStore(), lists: { find: fail, keep: fail } });
  await heads.keepList(organizationId, "a");
  assert.deepEqual(await heads.findKeptList(organizationId), { text: undefined, entries: undefined });
});

test("names that a service has let go of are gone from a device at its next look, also where no entry was added", async () => {
  const { heads, follow } = await createDevice();
  await follow();
  const kept = await heads.findEntries(organizationId);
  assert.ok((kept?.names.length ?? 0) >= 3);
  const trust = await signingKey("owner");
  const followed = await followList({
    ...{
      organizationId,
      heads,
      trust,
      fetchList: async () => assert.fail(),
      fetchFrom: async () => "unchanged" as const,
    },
    fetchNames: async () => toBytes(formatNames(organizationId, [])),
  });
  assert.ok(followed.kind === "checked");
  assert.deepEqual((await heads.findEntries(organizationId))?.names, []);
  assert.deepEqual(
    [...followed.list.members.values()].map(({ name }) => name),
    [undefined, undefined, undefined],
  );
});
