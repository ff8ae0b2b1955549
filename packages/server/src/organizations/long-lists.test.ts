import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchPages, findClaimedHead, findPlacesLeft, generatePersonalKey, type ListHead } from "@sealpost/envelope";
import { createListApi } from "@sealpost/sdk/envelopes";
import { type AccountId, createId } from "@sealpost/wire";
import { createTestService } from "../testing/test-service.ts";
import { createMemberListStore } from "./member-list-store.ts";
import { extendList, type Repeated, sign } from "./testing/long-list.ts";
import {
  asEntry,
  createFounder,
  createSigner,
  fetchList,
  outcomeOf,
  type Signer,
  signEntry,
  toMember,
  toProgram,
} from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

const note: Repeated = { change: "note" };

/** An organization with a list of its founder and a manager. */
async function setUp(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const person = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const manager = await createSigner(service, person, id);
  const program = toProgram(createId("account"), await generatePersonalKey());
  const add = async (by: Signer, change: Parameters<typeof signEntry>[2]) => {
    const list = await fetchList(owner);
    return outcomeOf(by.client.memberList.add(await signEntry(by, list, change), list.head));
  };
  assert.equal(await add(owner, { change: "add", member: toMember(manager, "manager") }), "200");
  const extend = (by: Signer, change: Repeated, to: number) => extendList(service.database, id, by.signer, change, to);
  return { service, owner, manager, program, add, extend };
}

function toContent({ number, hash }: ListHead, by: Signer, change: object) {
  return {
    ...{ format: "sealpost-list/1", organizationId: by.organizationId, number: number + 1, previous: hash },
    ...{ writtenAt: "2026-11-29T08:00:00Z", signedBy: by.account.id, ...change },
    ...{ ...("members" in change && { shown: number }), extensions: {}, critical: [] },
  };
}

async function fetchAll({ client: { memberList } }: Signer): Promise<string> {
  return new TextDecoder().decode(
    await fetchPages((entry) => (entry === undefined ? memberList.get() : memberList.page(entry))),
  );
}

const splitEntries = (text: string) => text.match(/[^\n]*\n[^\n]*\n/g) ?? [];

test("nobody but owners and recovery keys has a place above 1,024: a manager's 1,024th entry since an owner's is refused, and an owner's next one makes room again", async (t) => {
  const { owner, manager, program, add, extend } = await setUp(t);
  assert.equal(await add(owner, { change: "add", member: program }), "200");
  const vouch = { change: "vouch", members: [program.id] } as const;
  await extend(manager, vouch, 3 + 1022);
  assert.equal(await add(manager, vouch), "200", "the 1,023rd");
  const list = await fetchList(owner);
  assert.equal(findPlacesLeft(list), 0);
  await assert.rejects(signEntry(manager, list, vouch), { reason: "not_allowed" }, "clients sign no other");
  const lie = await sign(manager.signer.signingKey, toContent(list.head, manager, { ...vouch, admission: null }));
  const refused = await outcomeOf(manager.client.memberList.add(asEntry(lie.entry), list.head));
  assert.equal(refused, "400 member_list_entry_refused");
  assert.deepEqual((await fetchList(owner)).head, list.head);

  assert.equal(await add(owner, note), "200");
  assert.equal(findPlacesLeft(await fetchList(owner)), 1023);
  assert.equal(await add(manager, vouch), "200");
});

test("who has kept a list gets the entries from its last one on, up to 4,096 at a time, and nothing while that is the last", async (t) => {
  const { service, owner, extend } = await setUp(t);
  const { memberList } = owner.client;
  await extend(owner, note, 4100);
  const whole = await fetchAll(owner);
  const entries = splitEntries(whole);
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
  const head = (await findClaimedHead(new TextEncoder().encode(whole))) ?? assert.fail();
  assert.equal(text(await memberList.from(4100)), entries[4099]);
  assert.equal(text(await memberList.from(4098)), entries.slice(4097).join(""));
  assert.equal(text(await memberList.from(1)), entries.slice(0, 4096).join(""));
  assert.equal(text(await memberList.from(3)), entries.slice(2, 4098).join(""));
  assert.equal(await memberList.from(head.number, head), undefined);
  assert.equal(text(await memberList.from(head.number, { ...head, hash: "A".repeat(43) })), entries[4099], "another");
  assert.equal(await outcomeOf(memberList.from(4101)), "404 member_list_not_found");
  assert.equal(await outcomeOf(memberList.from(2_147_483_647)), "404 member_list_not_found");
  const api = createListApi(owner.client);
  assert.equal(await api.fetchFrom(head), "unchanged");
  assert.equal(await api.fetchFrom({ number: 4101, hash: head.hash }), undefined);
  assert.equal(text((await api.fetchFrom({ number: 2, hash: head.hash })) as Uint8Array), entries.slice(1).join(""));
  const { token } = owner.account;
  for (const [query, status] of [
    ["from=0", 400],
    ["from=1&entry=1", 400],
    ["from=4100", 200],
  ] as const)
    assert.equal((await service.request("GET", `/api/member-list?${query}`, { token })).status, status, query);
  const { headers } = await service.request("GET", "/api/member-list?from=1", { token });
  assert.match(headers.get("etag") ?? "", /^"4096-/);
});

test("a list is served in pages of 4,096 entries; its last quarter here is for owners, the last 64 entries for removals, and then it is full", async (t) => {
  const { owner, manager, program, add, extend, service } = await setUp(t);
  const { memberList } = owner.client;
  const full = "409 member_list_full";
  assert.equal(await add(owner, { change: "add", member: program }), "200");
  const others = await Promise.all([1, 2].map(async () => toProgram(createId("account"), await generatePersonalKey())));
  for (const member of others) assert.equal(await add(manager, { change: "add", member }), "200");

  await extend(owner, note, 4096);
  const first = await memberList.get();
  assert.equal(first?.filter((byte) => byte === 10).length, 2 * 4096);
  await extend(owner, note, 12_287);
  const newest = new TextDecoder().decode(await memberList.get());
  assert.match(newest, /^\{"format":"sealpost-list\/1","organizationId":"\w+","number":8193,/);
  for (const entry of [1, 4096]) assert.deepEqual(await memberList.page(entry), first);
  assert.equal(await outcomeOf(memberList.page(12_288)), "404 member_list_not_found");
  const { headers } = await service.request("GET", "/api/member-list?entry=1", { token: owner.account.token });
  assert.match(headers.get("etag") ?? "", /^"4096-/);

  // Signed for the end of the stored list: to verify so many entries each time would take a minute.
  const write = async (by: Signer, change: object) => {
    const head = await createMemberListStore(service.database).findHead(owner.account.id as AccountId); // as the service answered it
    assert.ok(head !== undefined);
    const { entry } = await sign(by.signer.signingKey, toContent(head, by, change));
    return outcomeOf(by.client.memberList.add(asEntry(entry), head));
  };
  const vouch = { change: "vouch", admission: null, members: [program.id] };
  const remove = (id: string) => ({ change: "remove", admission: null, member: { id } });
  assert.equal(await write(manager, vouch), "200", "entry 12,288");
  assert.equal(await write(manager, vouch), full);
  assert.equal(await write(owner, vouch), "200");
  await extend(owner, note, 16_319);
  assert.equal(await write(owner, vouch), "200", "entry 16,320");
  assert.equal(await write(owner, vouch), full);
  assert.equal(await write(manager, remove(program.id)), full);
  assert.equal(await write(owner, remove(program.id)), "200");
  await extend(owner, note, 16_383);
  const [one = "", other = ""] = others.map(({ id }) => id);
  assert.equal(await write(owner, remove(one)), "200", "entry 16,384");
  assert.equal(await write(owner, remove(other)), full);
  assert.equal((await fetchList(owner)).head.number, 16_384);
});
