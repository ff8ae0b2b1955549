import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createListEntry,
  generatePersonalKey,
  RefusalError,
  type SignedEntry,
  type VerifiedList,
  verifyNextEntry,
} from "@sealpost/envelope";
import { type AccountId, createId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import { createMemberListStore } from "./member-list-store.ts";
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
import { createVerifiedLists } from "./verified-lists.ts";

/** An organization with a list: an owner, and a manager in it. */
async function setUp(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const person = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const manager = await createSigner(service, person, id);
  const first = await fetchList(owner);
  const adding = { change: "add", member: toMember(manager, "manager") } as const;
  await owner.client.memberList.add(await signEntry(owner, first, adding), first.head);
  return { service, owner, manager, list: await fetchList(owner, first.head) };
}

const add = (by: Signer, entry: SignedEntry | string, list: VerifiedList | undefined) =>
  outcomeOf(by.client.memberList.add(typeof entry === "string" ? asEntry(entry) : entry, list?.head));

test("a list begins with its owner, grows by signed entries, and is given as its bytes with the head as tag", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp("owner@example.com");
  const owner = await createSigner(service, account);
  const manager = await createSigner(
    service,
    await addPerson(service, account, "manager@example.com", { role: "manager" }),
    account.id,
  );
  assert.equal(await outcomeOf(owner.client.memberList.get()), "404 member_list_not_found");
  const founding = await signEntry(manager, undefined, { change: "add", member: toMember(manager, "owner") });
  assert.equal(await add(manager, founding, undefined), "403 role_insufficient");
  const entry = await signEntry(owner, undefined, { change: "add", member: toMember(owner, "owner") });
  const path = "/api/member-list";
  for (const headers of [
    {},
    { "if-match": "*" },
    { "if-none-match": '"1-x"' },
    { "if-match": "a", "if-none-match": "*" },
  ]) {
    const answer = await service.request("POST", path, { token: account.token, body: entry, headers });
    assert.deepEqual([answer.status, answer.body.code], [428, "precondition_missing"]);
  }
  assert.equal(
    await outcomeOf(owner.client.memberList.add(entry, { number: 1, hash: "x" })),
    "412 precondition_failed",
  );
  const head = await owner.client.memberList.add(entry, undefined);
  assert.equal(await add(owner, entry, undefined), "412 precondition_failed");
  const list = await fetchList(owner);
  assert.deepEqual([list.head, [...list.members.keys()]], [head, [account.id]]);
  assert.equal(await owner.client.memberList.get(head), undefined);
  const { headers, body } = await service.request("GET", path, { token: account.token });
  assert.deepEqual([headers.get("etag"), body], [`"1-${head.hash}"`, entry.entry]);

  // Two at once: one wins, and the other one writes theirs again, on top.
  const programs = [createId("account"), createId("account")] as const;
  const addProgram = async (id: string, onto: VerifiedList) =>
    add(
      owner,
      await signEntry(owner, onto, { change: "add", member: toProgram(id, await generatePersonalKey()) }),
      onto,
    );
  const outcomes = await Promise.all(programs.map((id) => addProgram(id, list)));
  assert.deepEqual(outcomes.toSorted(), ["200", "412 precondition_failed"]);
  const next = await fetchList(owner, head);
  assert.equal(next.head.number, 2);
  const missing = programs.find((id) => !next.members.has(id)) ?? "";
  assert.equal(await addProgram(missing, next), "200");

  const { entries } = (await account.request("GET", "/api/audit-log?action=member_list.changed")).body;
  assert.deepEqual(
    entries.map(({ details }: { details: object }) => details),
    [3, 2, 1].map((number) => ({
      changes: [
        { setting: "memberList", from: number - 1, to: number },
        { setting: "listChange", from: null, to: "add" },
      ],
    })),
  );
  const exported = (await account.request("GET", "/api/account/export")).body;
  assert.deepEqual(
    exported.memberListEntries.map(({ organizationId, number }: Record<string, unknown>) => [organizationId, number]),
    [[account.id, 1]],
  );
});

test("an entry takes the one after it along: both are added or neither, each by the list's rules", async (t) => {
  const { owner, manager, list } = await setUp(t);
  const first = toProgram(createId("account"), await generatePersonalKey());
  const second = toProgram(createId("account"), await generatePersonalKey());
  const entry = await signEntry(owner, list, { change: "add", member: first });
  const verified = await verifyNextEntry(list, owner.account.id, new TextEncoder().encode(entry.entry));
  assert.ok(!(verified instanceof RefusalError));
  const next = await signEntry(owner, verified.list, { change: "add", member: second });
  const both = (by: Signer, following: SignedEntry) =>
    outcomeOf(by.client.memberList.add(entry, list.head, { next: following }));
  const byAnother = await signEntry(manager, verified.list, { change: "add", member: second });
  for (const wrong of [entry, asEntry("not an entry\n"), byAnother]) assert.match(await both(owner, wrong), /^400 /);
  assert.equal((await fetchList(owner, list.head)).head.number, list.head.number, "neither was added");
  const head = await owner.client.memberList.add(entry, list.head, { next });
  const grown = await fetchList(owner, list.head);
  assert.deepEqual([grown.head, head.number], [head, list.head.number + 2]);
  assert.ok(grown.members.has(first.id) && grown.members.has(second.id));
  assert.equal(await both(owner, next), "412 precondition_failed");
});

test("no member spoils the list: what its rules refuse, another's entry and strangers change nothing", async (t) => {
  const { service, owner, manager, list } = await setUp(t);
  const refused = "400 member_list_entry_refused";
  const stranger = await createSigner(service, await service.signUp("stranger@example.com"));
  const key = await generatePersonalKey();
  const adding = { change: "add", member: toProgram(createId("account"), key) } as const;
  const good = await signEntry(manager, list, adding);
  const [line = "", signature = ""] = good.entry.split("\n");
  // Signed by the manager, and not what a manager may do.
  const unallowed = async (change: Parameters<typeof createListEntry>[2]) =>
    createListEntry(pretendOwner(list, manager), list.organizationId, change, manager.signer);
  const attempts: readonly (readonly [by: Signer, entry: SignedEntry | string, outcome: string])[] = [
    [manager, "", refused],
    [manager, "garbage\n", refused],
    [manager, `${line}\n`, refused],
    [manager, `${good.entry}{}\n{}\n`, refused],
    [manager, `${line} \n${signature}\n`, refused],
    [manager, `${line}\n{"signature":"${"A".repeat(86)}"}\n`, refused],
    [manager, good.entry.replace("program", "auditor"), refused],
    // The key of an owner, and the owner.
    [
      manager,
      await unallowed({
        change: "replace",
        member: { ...toMember({ ...manager, key }, "owner"), id: owner.account.id },
      }),
      refused,
    ],
    [manager, await unallowed({ change: "remove", member: { id: owner.account.id } }), refused],
    [manager, await unallowed({ change: "replace", member: toMember(manager, "owner") }), refused],
    // Signed for a list that is not this one.
    [manager, await signEntry(manager, { ...list, head: { ...list.head, number: 7 } }, adding), refused],
    // A manager vouches for no owner.
    [manager, await unallowed({ change: "vouch", members: [owner.account.id] }), refused],
    [stranger, good, "412 precondition_failed"],
    [owner, good, "400 member_list_entry_foreign"],
    [
      manager,
      await signEntry(manager, list, { change: "add", member: toMember(stranger, "reader") }),
      "400 member_list_entry_stranger",
    ],
    [
      owner,
      await signEntry(owner, list, { change: "add", member: toMember(stranger, "owner") }),
      "400 member_list_entry_stranger",
    ],
  ];
  for (const [by, entry, outcome] of attempts)
    assert.equal(await add(by, entry, list), outcome, JSON.stringify(entry).slice(0, 200));
  const long = await manager.account.request("POST", "/api/member-list", { entry: "x".repeat(4301) });
  assert.equal(long.status, 400);
  assert.deepEqual((await fetchList(owner, list.head)).head, list.head);

  // Who floods the list leaves room for owners: this is said before the list is verified, which here would fail.
  const renumber = (from: number, to: number) =>
    service.database.updateTable("list_entry").set({ number: to }).where("number", "=", from).execute();
  for (const [by, place] of [
    [manager, 12_288],
    [owner, 16_384],
  ] as const) {
    await renumber(2, place);
    const later = { ...list, head: { ...list.head, number: place } };
    assert.equal(await add(by, good, later), "409 member_list_full");
    await renumber(place, 2);
  }
  assert.equal(await add(owner, await signEntry(owner, list, adding), list), "200");
});

test("an owner and a manager vouch for those whom they may change, and nobody else does", async (t) => {
  const { owner, manager, list } = await setUp(t);
  const key = await generatePersonalKey();
  const program = toProgram(createId("account"), key);
  assert.equal(await add(manager, await signEntry(manager, list, { change: "add", member: program }), list), "200");
  const added = await fetchList(owner, list.head);
  const byOwner = { change: "vouch", members: [manager.account.id, program.id].sort() } as const;
  assert.equal(await add(owner, await signEntry(owner, added, byOwner), added), "200");
  const vouched = await fetchList(owner, list.head);
  assert.equal(vouched.head.number, added.head.number + 1);
  const byManager = { change: "vouch", members: [program.id] } as const;
  assert.equal(
    await add(owner, await signEntry(manager, vouched, byManager), vouched),
    "400 member_list_entry_foreign",
  );
  assert.equal(await add(manager, await signEntry(manager, vouched, byManager), vouched), "200");
  const log = await owner.account.request("GET", "/api/audit-log?action=member_list.changed&limit=1");
  assert.equal(JSON.stringify(log.body).includes('"to":"vouch"'), true, JSON.stringify(log.body));
});

test("the list follows what a role has lost: a demoted owner, a removed member, a developer, a limited API key", async (t) => {
  const { service, owner, manager, list } = await setUp(t);
  const members = `/api/members/${manager.account.id}`;
  const promoting = { change: "replace", member: toMember(manager, "owner") } as const;
  await owner.client.memberList.add(await signEntry(owner, list, promoting), list.head);
  const now = await fetchList(owner, list.head);
  const program = { change: "add", member: toProgram(createId("account"), await generatePersonalKey()) } as const;
  const entry = await signEntry(manager, now, program);
  // An owner in the list, and a manager here.
  assert.equal(await add(manager, entry, now), "403 role_insufficient");
  const read = (token: string) => service.request("GET", "/api/member-list", { token });
  const formId = await createForm(owner.account);
  const keyOf = async (body: object) => (await owner.account.request("POST", "/api/api-keys", body)).body.key.key;
  const whole = await keyOf({ name: "Whole", permissions: ["submissions:read"] });
  const limited = await keyOf({ name: "Limited", permissions: ["submissions:read"], forms: [formId] });
  const outcomes = async () => {
    const answers = await Promise.all([manager.account.token, whole, limited].map(read));
    return answers.map(({ status, body }) => (status === 200 ? 200 : `${status} ${body.code}`));
  };
  assert.deepEqual(await outcomes(), [200, 200, "403 api_key_limited"]);
  for (const [role, status] of [
    ["reader", 200],
    ["developer", 403],
    ["auditor", 200],
  ] as const) {
    const forms = role === "auditor" ? {} : { forms: [formId] };
    assert.equal((await owner.account.request("PATCH", members, { role, ...forms })).status, 200);
    assert.equal((await read(manager.account.token)).status, status, role);
    assert.equal(await add(manager, entry, now), "403 role_insufficient");
  }
  assert.equal((await owner.account.request("DELETE", members)).status, 200);
  assert.equal((await read(manager.account.token)).body.code, "organization_none");
  assert.equal(await add(manager, entry, now), "403 organization_none");
});

test("a process that has read nothing yet reads the stored list up to its head, and believes no other", async (t) => {
  const { service, owner, list } = await setUp(t);
  const { database } = service;
  const store = createMemberListStore(database);
  const organizationId = owner.account.id as AccountId; // as the service answered it
  const head = { ...list.head, bytes: 0 };
  const fresh = createVerifiedLists(store);
  const loaded = await fresh.load(organizationId, head, organizationId);
  const unnamed = [...list.members.values()].map((member) => ({ ...member, name: undefined }));
  assert.deepEqual([...loaded.members.values()], unnamed, "the service verifies lists without their names");
  await database.updateTable("list_entry").set({ entry: "changed\n{}\n" }).where("number", "=", 1).execute();
  // By its head, which fixes what comes before.
  assert.equal(await fresh.load(organizationId, head, organizationId), loaded);
  await assert.rejects(createVerifiedLists(store).load(organizationId, head, organizationId), /does not verify/);
});

/** The list as a cheating member pretends that it is: they are an owner in it. */
function pretendOwner(list: VerifiedList, { account }: Signer): VerifiedList {
  const members = new Map(list.members);
  const own = members.get(account.id);
  if (own !== undefined) members.set(account.id, { ...own, role: "owner" });
  return { ...list, members };
}
