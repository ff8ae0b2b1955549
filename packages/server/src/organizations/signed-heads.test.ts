import assert from "node:assert/strict";
import { test } from "node:test";
import { signedHeadLengthMax, signHead } from "@sealpost/envelope";
import { type AccountId, createId } from "@sealpost/wire";
import { createFormerKeyStore } from "../personal-keys/former-key-store.ts";
import { createKeyAndSheet } from "../personal-keys/testing/key-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createMemberListStore } from "./member-list-store.ts";
import { createSignedHeadStore } from "./signed-head-store.ts";
import { createSignedHeads } from "./signed-heads.ts";
import { createFounder, createSigner, fetchList, outcomeOf, signEntry, toProgram } from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

const keyPath = "/api/account/personal-key";

/** An organization with a list of three entries, and a member with the role reader, who has a personal key. */
async function setUp(t: Parameters<typeof createTestService>[0]) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const organizationId = owner.account.id;
  const heads = [(await fetchList(owner)).head];
  for (const name of ["One", "Two"]) {
    const list = await fetchList(owner);
    const member = { ...toProgram(createId("event"), (await createSigner(service, owner.account)).key), name };
    await owner.client.memberList.add(await signEntry(owner, list, { change: "add", member }), list.head);
    heads.push((await fetchList(owner)).head);
  }
  const account = await addPerson(service, owner.account, "reader@example.com", { role: "reader", forms: [] });
  const { client } = await createSigner(service, account, organizationId);
  const key = await createKeyAndSheet();
  const stored = await account.request("POST", keyPath, { ...key.halves, copies: [key.copy] });
  assert.equal(stored.status, 200, JSON.stringify(stored.body));
  const sign = (number: number, by: Partial<Parameters<typeof signHead>[0]> = {}, { signingSeed } = key) =>
    signHead({ organizationId, list: heads[number - 1] ?? assert.fail(), signedBy: account.id, ...by }, signingSeed);
  return { clock, service, owner, organizationId, heads, account, client, key, sign };
}

/** Numbers without an entry: the first one after the list, after the longest list, and after the integers of PostgreSQL. */
const beyond = [4, 4097, 2 ** 31, Number.MAX_SAFE_INTEGER];

const rowsOf = ({ database }: Awaited<ReturnType<typeof createTestService>>) =>
  database.selectFrom("signed_head").select(["person_id", "number"]).execute();

test("a head that is signed with the person's own key and names an entry of the list is kept, and a later one takes its place, never an earlier one", async (t) => {
  const { organizationId, client, sign, clock, service } = await setUp(t);
  assert.deepEqual(await client.signedHeads.list(), []);
  const [first, second, third] = [await sign(1), await sign(2), await sign(3)];
  const storedAt = clock.now();
  assert.deepEqual(await client.signedHeads.put(organizationId, second), {
    organizationId,
    signedHead: second,
    storedAt,
  });
  clock.advance(1000);
  for (const again of [second, first]) {
    const kept = await client.signedHeads.put(organizationId, again);
    assert.deepEqual(kept, { organizationId, signedHead: second, storedAt }, "what is kept is what is answered");
  }
  assert.equal((await client.signedHeads.put(organizationId, third)).signedHead, third);
  assert.deepEqual(await client.signedHeads.list(), [{ organizationId, signedHead: third, storedAt: storedAt + 1000 }]);
  assert.equal((await rowsOf(service)).length, 1);
});

test("what another key has signed, or is of another organization or list, is refused, whichever id of the person it names, and an API key or somebody else gets and leaves none", async (t) => {
  const { organizationId, owner, client, heads, account, sign, service } = await setUp(t);
  const put = (signedHead: string, organization = organizationId) =>
    outcomeOf(client.signedHeads.put(organization, signedHead));
  const { signingSeed } = await createKeyAndSheet();
  const [one] = heads;
  const other = { number: 1, hash: heads[1]?.hash ?? "" };
  for (const wrong of [
    await sign(1, {}, { ...(await createKeyAndSheet()), signingSeed }),
    await sign(1, { organizationId: account.id }),
    await sign(1, { list: other }),
    ...(await Promise.all(beyond.map((number) => sign(1, { list: { number, hash: one?.hash ?? "" } })))),
    "made-up",
  ])
    assert.equal(await put(wrong), "400 signed_head_wrong", wrong);
  assert.equal(await put("x".repeat(signedHeadLengthMax + 1)), "400 invalid_request");
  // Not where one is no member, whatever one signs.
  const strange = createId("account");
  assert.equal(await put(await sign(1, { organizationId: strange }), strange), "404 organization_not_found");
  assert.equal(await put(await sign(1), "made-up"), "404 organization_not_found");
  // Somebody else's, and without a key.
  assert.equal(
    await outcomeOf(owner.client.signedHeads.put(organizationId, await sign(1))),
    "409 personal_key_missing",
  );
  assert.deepEqual(await rowsOf(service), []);
  assert.equal(await put(await sign(1)), "200");
  assert.equal(await put(await sign(2, { signedBy: createId("account") })), "200", "lists keep an id of before");
  assert.deepEqual(await owner.client.signedHeads.list(), []);
  const apiKey = await owner.account.request("POST", "/api/api-keys", {
    name: "All",
    permissions: ["submissions:read"],
  });
  const path = "/api/account/signed-heads";
  const { status } = await service.request("GET", path, { token: String(apiKey.body.key) });
  assert.ok(status === 401 || status === 403, `${status}`);
});

/** Replaces the person's key by another one, with heads that it has signed. */
async function replace(
  account: TestAccount,
  before: string,
  signedHeads: (seed: string) => Promise<readonly object[]>,
) {
  const next = await createKeyAndSheet();
  const body = { ...next.halves, copies: [next.copy], replaces: before };
  const answer = await account.request("PUT", keyPath, { ...body, signedHeads: await signedHeads(next.signingSeed) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return {
    ...next,
    sendAgain: (heads: readonly object[]) => account.request("PUT", keyPath, { ...body, signedHeads: heads }),
  };
}

test("a replaced key brings its heads in the same request; those of the former one come back with it, and end with it", async (t) => {
  const { organizationId, client, key, sign, account, service, clock } = await setUp(t);
  const before = await sign(1);
  await client.signedHeads.put(organizationId, before);
  let made: readonly string[] = [];
  const next = await replace(account, key.halves.signingKey, async (signingSeed) => {
    const other = { ...key, signingSeed };
    made = [await sign(2, {}, other), await sign(3, {}, other)];
    // One that does not fit keeps nobody from replacing a key, and of two of an organization the first one counts.
    // As many as a request takes have room in it.
    const stale = Array.from({ length: 62 }, () => ({ organizationId: createId("account"), signedHead: made[0] }));
    return [...stale, ...made.map((signedHead) => ({ organizationId, signedHead }))];
  });
  const texts = async () => (await client.signedHeads.list()).map(({ signedHead }) => signedHead);
  assert.deepEqual(await texts(), made.slice(0, 1));
  assert.equal(await outcomeOf(client.signedHeads.put(organizationId, await sign(3))), "400 signed_head_wrong");
  const [, third] = made;
  const again = await next.sendAgain([{ organizationId, signedHead: third }]);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.deepEqual(await texts(), made.slice(0, 1), "the same request once more brings no others");
  const exported = await account.request("GET", "/api/account/export");
  assert.deepEqual(
    exported.body.signedHeads.map(({ signedHead }: { readonly signedHead: string }) => signedHead).toSorted(),
    [before, ...made.slice(0, 1)].toSorted(),
  );
  const restore = { signingKey: key.halves.signingKey, replaces: next.halves.signingKey };
  assert.equal((await account.request("POST", `${keyPath}/restore`, restore)).status, 200);
  assert.deepEqual(await texts(), [before]);
  clock.advance(31 * dayMilliseconds);
  assert.equal(await createFormerKeyStore(service.database).purge(clock.now()), true);
  assert.equal((await rowsOf(service)).length, 1, "those of the key that can't be brought back any more are gone");
});

test("a head with a number beyond every list keeps nobody from replacing a key", async (t) => {
  const { organizationId, client, key, sign, account, heads } = await setUp(t);
  let { signingKey } = key.halves;
  for (const number of beyond) {
    const next = await replace(account, signingKey, async (signingSeed) => {
      const list = { number, hash: heads[0]?.hash ?? "" };
      return [{ organizationId, signedHead: await sign(1, { list }, { ...key, signingSeed }) }];
    });
    signingKey = next.halves.signingKey;
    assert.deepEqual(await client.signedHeads.list(), [], String(number));
  }
});

test("a kept head whose entry the list does not have any more gives way to one that it has, though that names an earlier one", async (t) => {
  const { organizationId, client, sign, service } = await setUp(t);
  const { database } = service;
  const [first, second, third] = [await sign(1), await sign(2), await sign(3)];
  const put = async (text: string) => (await client.signedHeads.put(organizationId, text)).signedHead;
  assert.equal(await put(third), third);
  assert.equal(await put(second), third);
  await database.deleteFrom("list_entry").where("number", "=", 3).execute();
  assert.equal(await put(second), second);
  assert.equal(await put(first), second);
  await database.updateTable("list_entry").set({ hash: "another" }).where("number", "=", 2).execute();
  assert.equal(await put(first), first);
  assert.equal(await outcomeOf(put(second)), "400 signed_head_wrong");
  assert.deepEqual(
    (await client.signedHeads.list()).map(({ signedHead }) => signedHead),
    [first],
  );
});

test("a head of somebody whose membership has ended meanwhile is not kept, and the database refuses nothing", async (t) => {
  const { organizationId, service, sign, account, owner, key } = await setUp(t);
  const { database } = service;
  const store = createSignedHeadStore(database);
  const head = {
    personId: account.id as AccountId,
    signingKey: key.halves.signingKey,
    organizationId: organizationId as AccountId,
    ...{ signedHead: await sign(1), number: 1, storedAt: 0 },
  };
  const keep = () => database.transaction().execute((transaction) => store.keep(transaction, head));
  assert.equal((await keep())?.signedHead, head.signedHead);
  assert.equal((await owner.account.request("DELETE", `/api/members/${account.id}`)).status, 200);
  assert.equal(await keep(), undefined);
  assert.deepEqual(await rowsOf(service), []);
  // A request that has found them a member before answers 404 by this.
  const signedHeads = createSignedHeads({
    members: { findRole: async () => "reader" as const },
    memberLists: createMemberListStore(database),
    signedHeadStore: store,
  });
  const kept = await database
    .transaction()
    .execute((transaction) => signedHeads.keep(transaction, head, { organizationId, signedHead: head.signedHead }, 0));
  assert.equal(kept, "not_member");
});

test("a member who is removed or leaves takes the heads along that they have signed, and nobody else's; so does a founder whose organization others keep", async (t) => {
  const { organizationId, client, account, owner, sign, service } = await setUp(t);
  const signedBy = async () => (await rowsOf(service)).map(({ person_id }) => person_id).toSorted();
  const insert = (personId: string) =>
    service.database
      .insertInto("signed_head")
      .values({
        ...{ person_id: personId, signing_key: "made-up", organization_id: organizationId },
        ...{ signed_head: "made-up", number: 1, stored_at: 0 },
      })
      .execute();
  const second = await addPerson(service, owner.account, "second@example.com", { role: "owner" });
  await client.signedHeads.put(organizationId, await sign(3));
  for (const id of [second.id, owner.account.id]) await insert(id);
  assert.deepEqual(await signedBy(), [account.id, second.id, owner.account.id].toSorted());
  assert.equal((await owner.account.request("DELETE", `/api/members/${account.id}`)).status, 200);
  assert.deepEqual(await signedBy(), [second.id, owner.account.id].toSorted());
  // The founder has the organization's id until now, and goes under another one.
  const left = await owner.account.request("POST", "/api/members/leave");
  assert.equal(left.status, 200, JSON.stringify(left.body));
  assert.deepEqual(await signedBy(), [second.id]);
});
