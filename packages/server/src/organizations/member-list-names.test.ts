import assert from "node:assert/strict";
import { test } from "node:test";
import { generatePersonalKey, type NameText, type SignedEntry } from "@sealpost/envelope";
import { type AccountId, createId } from "@sealpost/wire";
import { removePersonRows } from "../accounts/person-removal-store.ts";
import { createTestService } from "../testing/test-service.ts";
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

async function setUp(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const person = await addPerson(service, owner.account, "reader@example.com", { role: "reader", forms: [] });
  const reader = await createSigner(service, person, id);
  const change = async (what: Parameters<typeof signEntry>[2]) => {
    const list = await fetchList(owner);
    await owner.client.memberList.add(await signEntry(owner, list, what), list.head);
    return fetchList(owner, list.head);
  };
  const remove = (one: Signer) =>
    service.database
      .transaction()
      .execute((transaction) => removePersonRows(transaction, { id: one.account.id as AccountId })); // as it was made
  /** The names in the file of names. */
  const named = async () => {
    const lines = new TextDecoder()
      .decode(await owner.client.memberList.names())
      .split("\n")
      .slice(1, -1);
    return lines.map((line) => (JSON.parse(line) as NameText).name).sort();
  };
  return { service, owner, reader, change, remove, named };
}

test("an entry is taken with the name that it commits to, and with no other; the file of names has it, and the entries do not", async (t) => {
  const { owner, reader, change, named } = await setUp(t);
  const list = await fetchList(owner);
  const good = await signEntry(owner, list, { change: "add", member: toMember(reader, "reader") });
  const [line] = good.names as readonly [NameText];
  const add = (names: readonly NameText[], entry = good.entry) =>
    outcomeOf(owner.client.memberList.add({ entry, names }, list.head));
  const missing = "400 member_list_name_missing";
  for (const wrong of [
    [],
    [{ ...line, name: "Somebody else" }],
    [{ ...line, salt: "A".repeat(43) }],
    [{ ...line, commitment: "A".repeat(43) }],
  ])
    assert.equal(await add(wrong), missing, JSON.stringify(wrong));
  const other = await signEntry(owner, list, { change: "add", member: toMember(reader, "reader") });
  const unused = "400 member_list_name_unused";
  for (const wrong of [
    [line, line],
    [line, ...other.names],
  ])
    assert.equal(await add(wrong), unused);
  assert.deepEqual(await named(), ["Name of owner"]);
  assert.equal(await add([line]), "200");
  assert.deepEqual(await named(), ["Name of owner", "Name of reader"]);
  const grown = await fetchList(owner, list.head);
  assert.equal(grown.members.get(reader.account.id)?.name, "Name of reader");
  assert.doesNotMatch(new TextDecoder().decode(await owner.client.memberList.get()), /Name of/);
  // The audit log names whom it is about.
  const { entries } = (await owner.account.request("GET", "/api/audit-log?action=member_list.changed")).body;
  assert.deepEqual(
    entries.map(({ target }: { target: { name: string } }) => target.name),
    ["Name of reader", "Name of owner"],
  );
  const again = await signEntry(owner, grown, { change: "replace", member: toMember(reader, "developer") });
  assert.equal(again.names.length, 1, "another name");
  const after = await change({
    change: "replace",
    member: { ...toMember(reader, "developer"), name: "Name of reader" },
  });
  assert.equal(after.members.get(reader.account.id)?.name, "Name of reader");
  assert.deepEqual(await named(), ["Name of owner", "Name of reader"], "the same commitment");
  const exported = (await owner.account.request("GET", "/api/account/export")).body;
  assert.deepEqual(
    exported.memberListNames.map(({ name }: NameText) => name),
    ["Name of owner"],
  );
});

test("the name of a person whose account is deleted goes, once the list has them no longer, and every signature holds", async (t) => {
  const { service, owner, reader, change, remove, named } = await setUp(t);
  const before = await change({ change: "add", member: toMember(reader, "reader") });
  await change({ change: "replace", member: { ...toMember(reader, "reader"), name: "Another name" } });
  assert.deepEqual(await named(), ["Another name", "Name of owner", "Name of reader"]);
  // A member still: nothing could be sealed for them without the name.
  await remove(reader);
  assert.deepEqual(await named(), ["Another name", "Name of owner"], "the former name is gone");
  const list = await change({ change: "remove", member: { id: reader.account.id } });
  assert.deepEqual(await named(), ["Name of owner"]);
  assert.ok(list.membersAt(before.head)?.has(reader.account.id), "the list verifies, with them in it");
  assert.equal(list.membersAt(before.head)?.get(reader.account.id)?.name, undefined);
  const rows = await service.database.selectFrom("list_name").selectAll().execute();
  assert.deepEqual(
    rows.map(({ member_id, is_present }) => [member_id, is_present]),
    [[owner.account.id, 1]],
  );
});

test("who leaves keeps their name next to the list until the account goes; a program's goes with it, and the organization's with the next one", async (t) => {
  const { owner, reader, change, remove, named } = await setUp(t);
  await change({ change: "add", member: toMember(reader, "reader") });
  await change({ change: "remove", member: { id: reader.account.id } });
  assert.deepEqual(await named(), ["Name of owner", "Name of reader"]);
  const program = toProgram(createId("account"), await generatePersonalKey());
  await change({ change: "add", member: program });
  assert.ok((await named()).includes("Receiver"));
  await change({ change: "remove", member: { id: program.id } });
  await change({ change: "name", name: "Example Council" });
  assert.equal((await fetchList(owner)).organizationName, "Example Council");
  const list = await change({ change: "name", name: "Example Assembly" });
  assert.equal(list.organizationName, "Example Assembly");
  assert.deepEqual(await named(), ["Example Assembly", "Name of owner", "Name of reader"]);
  await remove(reader);
  assert.deepEqual(await named(), ["Example Assembly", "Name of owner"]);
  // A name of a member can't be said to be the organization's.
  const entry: SignedEntry = await signEntry(owner, list, { change: "name", name: "Name of owner" });
  const names = entry.names.map((line) => ({ ...line, commitment: "A".repeat(43) }));
  assert.equal(
    await outcomeOf(owner.client.memberList.add({ ...entry, names }, list.head)),
    "400 member_list_name_missing",
  );
});

test("where the file has no room for another name, those that nobody has any more go, and those of members and of the organization stay", async (t) => {
  const { service, owner, reader, change, named } = await setUp(t);
  await change({ change: "add", member: toMember(reader, "reader") });
  await change({ change: "name", name: "Example Council" });
  await change({ change: "replace", member: { ...toMember(reader, "reader"), name: "Another name" } });
  const present = ["Another name", "Example Council", "Name of owner"];
  const former = (await named()).filter((name) => !present.includes(name));
  assert.deepEqual(former, ["Name of reader"]);
  const fill = async (to: number) => {
    const count = to - (await named()).length;
    const rows = Array.from({ length: count }, (_, index) => ({
      ...{
        organization_id: owner.account.id,
        commitment: String(index).padStart(43, "A"),
        member_id: reader.account.id,
      },
      ...{ salt: "A".repeat(43), name: "Former", is_present: 0 },
    }));
    for (let start = 0; start < count; start += 512)
      await service.database
        .insertInto("list_name")
        .values(rows.slice(start, start + 512))
        .execute();
  };
  await fill(4095);
  const programs = [createId("account"), createId("account")] as const;
  await change({ change: "add", member: toProgram(programs[0], await generatePersonalKey()) });
  assert.equal((await named()).length, 4096);
  const list = await change({ change: "add", member: toProgram(programs[1], await generatePersonalKey()) });
  assert.deepEqual(await named(), [...present, "Receiver", "Receiver"].sort());
  assert.ok([...list.members.values()].every(({ name }) => name !== undefined));
});
