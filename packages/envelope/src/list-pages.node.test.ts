import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "./age-header.ts";
import { fetchPages, pageEntries } from "./fetch-pages.ts";
import { followList } from "./follow-list.ts";
import { entriesMax, verifyKeptList, verifyList } from "./list.ts";
import { countEntries, splitEntries } from "./list-bytes.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads } from "./seen-heads.ts";
import { namesOfAll } from "./testing/conformance.ts";
import { createHeadStore } from "./testing/head-store.ts";
import { createList, headOf, type Step, signingKey } from "./testing/list-maker.ts";
import { organizationId } from "./testing/people.ts";

const toBytes = (text: string): Bytes => new TextEncoder().encode(text);

const note: Step = { change: "note", of: "owner", by: "owner" };
/** Two pages and three entries. */
const text = await createList([
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  ...Array.from({ length: 2 * pageEntries + 1 }, () => note),
]);
const entries = splitEntries(text);
const head = await headOf(text);
const pageFrom = (start: number) => toBytes(entries.slice(start, start + pageEntries).join(""));
const pages = [pageFrom(0), pageFrom(pageEntries), pageFrom(2 * pageEntries)];
const pageOf = (entry = entries.length) => pages[Math.floor((entry - 1) / pageEntries)];

type FetchPage = (entry?: number) => Promise<Bytes | undefined>;

async function follow(fetchPage: FetchPage) {
  return followList({
    ...{ organizationId, trust: await signingKey("owner"), heads: createSeenHeads(createHeadStore()) },
    ...{ fetchList: () => fetchPages(fetchPage), fetchNames: namesOfAll },
  });
}

test("a list of several pages is fetched whole, and verifies: what owners write has no end", async () => {
  const asked: (number | undefined)[] = [];
  const followed = await follow(async (entry) => {
    asked.push(entry);
    return pageOf(entry);
  });
  assert.deepEqual(asked, [undefined, 2 * pageEntries, pageEntries]);
  assert.ok(followed.kind === "checked", JSON.stringify(followed));
  assert.deepEqual(followed.list.head, head);
  assert.deepEqual(followed.bytes, toBytes(text));
});

const hiding: Readonly<Record<string, FetchPage>> = {
  "the middle page": async (entry) => (entry === 2 * pageEntries ? undefined : pageOf(entry)),
  "the first page": async (entry) => (entry === pageEntries ? undefined : pageOf(entry)),
  "every earlier page": async (entry) => (entry === undefined ? pageOf() : undefined),
  "earlier pages, giving the newest again": async () => pageOf(),
  "the middle page, giving the first one twice": async (entry) => (entry === undefined ? pageOf() : pages[0]),
  "the first page, giving the middle one twice": async (entry) => (entry === undefined ? pageOf() : pages[1]),
  "the last entry of a page": async (entry) =>
    entry === pageEntries ? toBytes(entries.slice(0, pageEntries - 1).join("")) : pageOf(entry),
  "the first entry of the list": async (entry) =>
    entry === pageEntries ? toBytes(entries.slice(1, pageEntries + 1).join("")) : pageOf(entry),
  "where pages begin": async (entry) =>
    entry === undefined ? toBytes(entries.slice(2 * pageEntries + 1).join("")) : pageOf(entry),
};
for (const [name, fetchPage] of Object.entries(hiding))
  test(`a server that hides ${name} is refused`, async () => {
    const refused = await follow(fetchPage);
    assert.deepEqual(refused, { kind: "refused", reason: "hidden_list" });
  });

test("pages in another order, and twice, are no list", async () => {
  const [first = "", second = "", third = ""] = pages.map((page) => new TextDecoder().decode(page));
  for (const other of [second + first + third, first + first + second + third, first + third, second + third]) {
    const refused = await verifyList(toBytes(other), { organizationId, trust: await signingKey("owner") });
    assert.equal(refused instanceof RefusalError && refused.reason, "broken_chain");
  }
});

test("no earlier page of a list that is too long is asked for, and it is malformed", async () => {
  const long = toBytes((entries[0] ?? "").replace('"number":1', `"number":${entriesMax + 1}`));
  let asked = 0;
  const refused = await follow(async () => {
    asked += 1;
    return long;
  });
  assert.equal(asked, 1);
  assert.equal(refused.kind === "refused" && refused.reason, "malformed");
});

test("a list that was kept is the same without its signatures, as long as its head is the one that was kept", async () => {
  const kept = await verifyKeptList(toBytes(text), { organizationId, head });
  assert.ok(!(kept instanceof RefusalError));
  assert.deepEqual(kept.head, head);
  assert.deepEqual([...kept.members.keys()].length, 2);
  const reasonOf = async (bytes: Bytes, other = head) => {
    const refused = await verifyKeptList(bytes, { organizationId, head: other });
    return refused instanceof RefusalError ? refused.reason : "verified";
  };
  const middle = entries[3] ?? "";
  const changed = toBytes(text.replace(middle, middle.replace("2026-11-22", "2026-11-23")));
  assert.equal(countEntries(changed), entries.length);
  assert.equal(await reasonOf(changed), "broken_chain");
  assert.equal(await reasonOf(toBytes(entries.slice(0, -1).join(""))), "old_list");
  assert.equal(
    await reasonOf(toBytes(text), { number: 1, hash: await headOf(text, 1).then(({ hash }) => hash) }),
    "old_list",
  );
  assert.equal(await reasonOf(toBytes(text), { ...head, hash: "A".repeat(43) }), "forked");
});
