import assert from "node:assert/strict";
import { test } from "node:test";
import { signHead } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createFormerKeyStore } from "../personal-keys/former-key-store.ts";
import { createKeyAndSheet } from "../personal-keys/testing/key-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
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

test("what another key has signed, or is of another person, organization or list, is refused, and an API key or somebody else gets and leaves none", async (t) => {
  const { organizationId, owner, client, heads, account, sign, service } = await setUp(t);
  const put = (signedHead: string, organization = organizationId) =>
    outcomeOf(client.signedHeads.put(organization, signedHead));
  const { signingSeed } = await createKeyAndSheet();
  const [one] = heads;
  const other = { number: 1, hash: heads[1]?.hash ?? "" };
  for (const wrong of [
    await sign(1, {}, { ...(await createKeyAndSheet()), signingSeed }),
    await sign(1, { signedBy: owner.account.id }),
    await sign(1, { organizationId: account.id }),
    await sign(1, { list: other }),
    await sign(1, { list: { number: 4, hash: one?.hash ?? "" } }),
    "made-up",
  ])
    assert.equal(await put(wrong), "400 signed_head_wrong", wrong);
  assert.equal(await put("x".repeat(1025)), "400 invalid_request");
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
  return next;
}

test("a replaced key brings its heads in the same request; those of the former one come back with it, and end with it", async (t) => {
  const { organizationId, client, key, sign, account, service, clock } = await setUp(t);
  const before = await sign(1);
  await client.signedHeads.put(organizationId, before);
  let made: readonly string[] = [];
  const next = await replace(account, key.halves.signingKey, async (signingSeed) => {
    const other = { ...key, signingSeed };
    made = [await sign(2, {}, other), await sign(3, {}, other)];
    // One that does not fit keeps nobody from replacing a key.
    const stale = { organizationId: createId("account"), signedHead: made[0] };
    return [stale, ...made.map((signedHead) => ({ organizationId, signedHead }))];
  });
  const texts = async () => (await client.signedHeads.list()).map(({ signedHead }) => signedHead);
  assert.deepEqual(await texts(), made.slice(1));
  assert.equal(await outcomeOf(client.signedHeads.put(organizationId, await sign(3))), "400 signed_head_wrong");
  const exported = await account.request("GET", "/api/account/export");
  assert.deepEqual(
    exported.body.signedHeads.map(({ signedHead }: { readonly signedHead: string }) => signedHead).toSorted(),
    [before, ...made.slice(1)].toSorted(),
  );
  const restore = { signingKey: key.halves.signingKey, replaces: next.halves.signingKey };
  assert.equal((await account.request("POST", `${keyPath}/restore`, restore)).status, 200);
  assert.deepEqual(await texts(), [before]);
  clock.advance(31 * dayMilliseconds);
  assert.equal(await createFormerKeyStore(service.database).purge(clock.now()), true);
  assert.equal((await rowsOf(service)).length, 1, "those of the key that can't be brought back any more are gone");
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
