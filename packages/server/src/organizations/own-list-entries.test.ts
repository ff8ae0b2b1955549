import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, createListEntry, generatePersonalKey, importSigningKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createKeyAndSheet } from "../personal-keys/testing/key-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import {
  asEntry,
  createFounder,
  createSigner,
  fetchList,
  outcomeOf,
  signEntry,
  toMember,
  toProgram,
} from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

const keyPath = "/api/account/personal-key";

test("a reader puts the key in use in the place of the one before, with an entry that vouches for it, and does nothing else in the list; ten entries within a day", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const person = await addPerson(service, owner.account, "reader@example.com", { role: "reader", forms: [] });
  const before = await createSigner(service, person, id);
  const first = await fetchList(owner);
  const adding = { change: "add", member: toMember(before, "reader") } as const;
  await owner.client.memberList.add(await signEntry(owner, first, adding), first.head);
  const { client } = before;
  const list = () => fetchList(owner, first.head);
  const add = async (change: Change, signer = before.signer) => {
    const now = await list();
    return outcomeOf(client.memberList.add(await createListEntry(now, id, change, signer), now.head));
  };
  // The next key is stored, in the place of none: the one in the list was made elsewhere.
  const next = await createKeyAndSheet();
  const own = { ...toMember(before, "reader"), ...next.halves };
  const replacing = { change: "replace", member: own } as const;
  assert.equal(await add(replacing), "403 role_insufficient", "a key that is not the one in use");
  const stored = await person.request("POST", keyPath, { ...next.halves, copies: [next.copy] });
  assert.equal(stored.status, 200, JSON.stringify(stored.body));
  const { recipient, signingKey } = await generatePersonalKey();
  assert.equal(await add({ ...replacing, member: { ...own, recipient } }), "403 role_insufficient");
  assert.equal(await add({ ...replacing, member: { ...own, signingKey } }), "403 role_insufficient");
  assert.equal(await add({ change: "remove", member: { id: person.id } }), "403 role_insufficient");
  const program = toProgram(createId("event"), await generatePersonalKey());
  const [line = ""] = (await signEntry(owner, await list(), { change: "add", member: program })).entry.split("\n");
  const now = await list();
  assert.equal(
    await outcomeOf(client.memberList.add(asEntry(`${line}\n{"signature":"${"A".repeat(86)}"}\n`), now.head)),
    "400 member_list_entry_refused",
  );
  assert.equal(now.head.number, 2, "nothing was added");

  assert.equal(await add(replacing), "200");
  const signer = { id: person.id, signingKey: await importSigningKey(next.signingSeed) };
  for (let count = 2; count <= 10; count++) assert.equal(await add(replacing, signer), "200");
  assert.equal(await add(replacing, signer), "429 too_many_own_list_entries");
  await service.database
    .updateTable("list_entry")
    .set({ added_at: clock.now() - dayMilliseconds })
    .execute();
  assert.equal(await add(replacing, signer), "200");
  assert.equal((await list()).members.get(person.id)?.signingKey, next.halves.signingKey);
});
