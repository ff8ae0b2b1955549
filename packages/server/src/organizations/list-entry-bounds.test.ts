import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generatePersonalKey,
  RefusalError,
  type SignedEntry,
  type VerifiedList,
  verifyNextEntry,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import {
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

test("a manager signs 64 entries within a day, two of one request included, and keeps no other manager and no owner from the list", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  let list = await fetchList(owner);
  const bringIn = async (email: string): Promise<Signer> => {
    const person = await addPerson(service, owner.account, email, { role: "manager" });
    const signer = await createSigner(service, person, id);
    const adding = { change: "add", member: toMember(signer, "manager") } as const;
    await owner.client.memberList.add(await signEntry(owner, list, adding), list.head);
    list = await fetchList(owner, list.head);
    return signer;
  };
  const [first, second] = [await bringIn("first@example.com"), await bringIn("second@example.com")];
  const program = toProgram(createId("event"), await generatePersonalKey());
  const sign = (by: Signer, to: VerifiedList) =>
    to.members.has(program.id)
      ? signEntry(by, to, { change: "remove", member: { id: program.id } })
      : signEntry(by, to, { change: "add", member: program });
  const follow = async (before: VerifiedList, { entry }: SignedEntry) => {
    const verified = await verifyNextEntry(before, id, new TextEncoder().encode(entry));
    assert.ok(!(verified instanceof RefusalError));
    return verified.list;
  };
  const write = async (by: Signer, entries: 1 | 2 = 1) => {
    const entry = await sign(by, list);
    const after = await follow(list, entry);
    const next = entries === 2 ? await sign(by, after) : undefined;
    const outcome = await outcomeOf(by.client.memberList.add(entry, list.head, next === undefined ? {} : { next }));
    if (outcome === "200") list = next === undefined ? after : await follow(after, next);
    return outcome;
  };

  const tooMany = "429 too_many_list_entries_today";
  assert.equal(await write(first), "200");
  for (let count = 2; count < 64; count += 2) assert.equal(await write(first, 2), "200", String(count));
  assert.equal(await write(first, 2), tooMany, "the 64th and one more");
  assert.equal(await write(first), "200");
  const { status, headers } = await service.request("POST", "/api/member-list", {
    token: first.account.token,
    body: await sign(first, list),
    headers: { "if-match": `"${list.head.number}-${list.head.hash}"` },
  });
  assert.equal(status, 429);
  assert.equal(Number(headers.get("retry-after")), dayMilliseconds / 1000);
  assert.equal(await write(second), "200");
  const setAll = (set: { readonly signer_id: string } | { readonly added_at: number }) =>
    service.database.updateTable("list_entry").set(set).execute();
  await setAll({ signer_id: id });
  assert.equal(await write(owner), "200", "with more than 64 of their own");
  await setAll({ signer_id: first.account.id });
  assert.equal(await write(first), tooMany);
  await setAll({ added_at: clock.now() + waitedMax + 1 });
  assert.equal(await write(first), "200", "entries from while the clock was ahead count for no bound");
  await setAll({ added_at: clock.now() - dayMilliseconds });
  assert.equal(await write(first), "200", "a day later");
});
