import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "./age-header.ts";
import { type FollowedList, followList } from "./follow-list.ts";
import type { LostEntries } from "./kept-entries.ts";
import { findLostEntries, toKeptEntries } from "./kept-entries.ts";
import { verifyList } from "./list.ts";
import { splitEntries } from "./list-bytes.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads } from "./seen-heads.ts";
import { namesOfAll } from "./testing/conformance.ts";
import { createHeadStore } from "./testing/head-store.ts";
import { createList, headOf, type Step, signingKey } from "./testing/list-maker.ts";
import { organizationId } from "./testing/people.ts";

const toBytes = (text: string): Bytes => new TextEncoder().encode(text);
const note: Step = { change: "note", of: "owner", by: "owner" };
const steps: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  note,
  { of: "reader", by: "manager" },
  note,
];
const made = createList(steps);

/** A list, and what it is up to one of its entries. */
async function setUp() {
  const text = await made;
  const entries = splitEntries(text);
  return { text, entries, ending: (count: number) => entries.slice(0, count).join("") };
}

/** A device, and a service that has a list and takes what is given back, unless it does not. */
async function createDevice() {
  const { text } = await setUp();
  const heads = createSeenHeads(createHeadStore());
  const service = { list: text as string | undefined, takes: true, given: [] as LostEntries[] };
  const trust = await signingKey("owner");
  const follow = (): Promise<FollowedList> =>
    followList({
      ...{ organizationId, heads, trust, fetchNames: namesOfAll },
      fetchList: async () => (service.list === undefined ? undefined : toBytes(service.list)),
      async giveBack(lost) {
        service.given.push(lost);
        if (service.takes) service.list = (service.list ?? "") + lost.entries.join("");
        return service.takes;
      },
    });
  return { heads, service, follow };
}

for (const count of [4, 3, 2, 1, 0])
  test(`a device that has seen 5 entries gives back what a service with ${count} of them has lost, and continues`, async () => {
    const { text, ending } = await setUp();
    const { heads, service, follow } = await createDevice();
    assert.equal((await follow()).kind, "checked");
    service.list = count === 0 ? undefined : ending(count);
    const followed = await follow();
    assert.ok(followed.kind === "checked", JSON.stringify(followed));
    assert.equal(followed.givenBack, 5 - count);
    assert.equal(service.list, text);
    const [lost] = service.given;
    assert.deepEqual(lost?.after, count === 0 ? undefined : await headOf(text, count));
    assert.ok((lost?.names.length ?? 0) >= 3, "with the names of who is in it");
    assert.deepEqual(await heads.findList(organizationId), await headOf(text));
  });

test("nothing is given back where a service's list is another one, whichever is longer", async () => {
  const { entries } = await setUp();
  const { service, follow } = await createDevice();
  await follow();
  const other = await createList([...steps.slice(0, 3), { of: "second reader", by: "owner" }]);
  for (const list of [other, other + entries[4], (entries[0] ?? "").replace("2026-11-22", "2026-11-21"), "damaged\n"]) {
    service.list = list;
    const followed = await follow();
    assert.equal(followed.kind, "refused");
  }
  assert.deepEqual(service.given, []);
});

test("where the service does not take them the list is refused as before, and so many are held", async () => {
  const { ending } = await setUp();
  const { service, follow } = await createDevice();
  await follow();
  Object.assign(service, { list: ending(3), takes: false });
  const refused = await follow();
  assert.ok(refused.kind === "refused" && refused.reason === "old_list" && refused.held === 2);
  service.list = undefined;
  const hidden = await follow();
  assert.ok(hidden.kind === "refused" && hidden.reason === "hidden_list" && hidden.held === 5);
});

test("a device that has a list's head alone gives nothing back", async () => {
  const { text, ending } = await setUp();
  const { heads, service, follow } = await createDevice();
  await heads.advanceList(organizationId, undefined, await headOf(text));
  service.list = ending(4);
  const refused = await follow();
  assert.deepEqual([refused.kind === "refused" && refused.reason, service.given], ["old_list", []]);
});

test("of a long list the last entries are kept, and nothing is given back to a service that ends before them", async () => {
  const { text, entries, ending } = await setUp();
  const list = await verifyList(toBytes(text), { organizationId, trust: await signingKey("owner") });
  assert.ok(!(list instanceof RefusalError));
  const room = ending(5).length - ending(3).length;
  const kept = toKeptEntries(toBytes(text), list, await namesOfAll(), room);
  assert.deepEqual([kept.first, kept.text], [4, entries.slice(3).join("")]);
  assert.equal(toKeptEntries(toBytes(text), list, await namesOfAll(), room - 1).first, 5);
  assert.equal(await findLostEntries(kept, toBytes(ending(2))), undefined);
  assert.deepEqual((await findLostEntries(kept, toBytes(ending(3))))?.entries, entries.slice(3));
  assert.equal(await findLostEntries(kept, toBytes(text)), undefined, "it has lost none");
});

test("a list that was put aside is seen for the first time, with nobody confirmed", async () => {
  const { text } = await setUp();
  const { heads, service, follow } = await createDevice();
  await follow();
  const other = await createList([...steps.slice(0, 3), { of: "second reader", by: "owner" }]);
  service.list = other;
  const forked = await follow();
  assert.ok(forked.kind === "refused" && forked.reason === "old_list");
  service.list = await createList([...steps.slice(0, 3), { of: "second reader", by: "owner" }, note, note]);
  const later = await follow();
  assert.ok(later.kind === "refused" && later.reason === "forked");
  await heads.confirm(organizationId, [{ id: "someone" } as never]);
  await heads.forgetList(organizationId);
  assert.deepEqual(await heads.findForgottenLists(organizationId), [await headOf(text)]);
  assert.deepEqual(await heads.findConfirmed(organizationId), []);
  assert.equal(await heads.findEntries(organizationId), undefined);
  const first = await follow();
  assert.ok(first.kind === "checked" && first.givenBack === 0);
  assert.deepEqual(await heads.findList(organizationId), await headOf(service.list));
});
