import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Change,
  createListEntry,
  deriveRecoveryKey,
  generatePersonalKey,
  generateSheet,
  importSigningKey,
  type SignedEntry,
  type SigningKeys,
  type VerifiedList,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { openStored, sealPairs } from "../forms/testing/test-envelope.ts";
import { createForm, pair } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import {
  asEntry,
  createFounder,
  createSigner,
  fetchList,
  outcomeOf,
  type Signer,
  signEntry,
  toMember,
} from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

/** Everything that is on the paper. */
async function makeRecoveryKey() {
  const { identity } = await generateSheet("organization");
  const key = await deriveRecoveryKey(identity);
  const { recipient, signingKey } = key;
  const member = { id: createId("account"), name: "Recovery key", role: "recovery", recipient, signingKey } as const;
  return { key, member };
}

type RecoveryKey = Awaited<ReturnType<typeof makeRecoveryKey>>;

/** An entry that somebody signs with the sheets. */
async function signWithSheets(recovery: RecoveryKey, list: VerifiedList, change: Change): Promise<SignedEntry> {
  const signer = { id: recovery.member.id, signingKey: await importSigningKey(recovery.key.signingSeed) };
  return createListEntry(list, list.organizationId, change, signer);
}

const add = (by: Signer, entry: SignedEntry, list: VerifiedList) =>
  outcomeOf(by.client.memberList.add(entry, list.head));

/** Adds an entry, and gives the list as its sender gets it then. */
async function change(by: Signer, list: VerifiedList, what: Change): Promise<VerifiedList> {
  await by.client.memberList.add(await signEntry(by, list, what), list.head);
  return fetchList(by, list.head);
}

test("an organization that requires a recovery key takes no envelope without one in its list, and keeps the last one", async (t) => {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const manager = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const formId = await createForm(owner.account);
  const alone = await fetchList(owner);
  const rule = { requireRecovery: true };
  assert.equal((await manager.request("PUT", "/api/organization/recovery", rule)).status, 403);
  assert.deepEqual(await owner.client.organizations.requireRecovery(true), rule);
  const [organization] = (await owner.client.organizations.list()).organizations;
  assert.equal(organization?.requireRecovery, true);

  const put = async (list: VerifiedList) =>
    outcomeOf(owner.client.envelopes.put(formId, 1, (await sealPairs(owner, list, formId, [pair])).file, undefined));
  const create = async (list: VerifiedList, name: string) => {
    const { formId: reserved } = await owner.client.forms.reserve();
    const { file: envelope } = await sealPairs(owner, list, reserved as typeof formId, [pair]);
    return outcomeOf(owner.client.forms.create({ formId: reserved, name, publicKey: pair.publicKey, envelope }));
  };
  const needed = "409 recovery_key_needed";
  assert.deepEqual([await put(alone), await create(alone, "First")], [needed, needed]);
  const first = await makeRecoveryKey();
  const list = await change(owner, alone, { change: "add", member: first.member });
  assert.deepEqual([await put(list), await create(list, "First")], ["200", "200"]);
  const opened = await openStored({ ...owner, key: first.key }, list, formId);
  assert.deepEqual(opened.content.readers.map(({ id }) => id).sort(), [first.member.id, owner.account.id].sort());

  const removing = (id: string) => ({ change: "remove", member: { id } }) as const;
  assert.equal(await add(owner, await signEntry(owner, list, removing(first.member.id)), list), needed);
  const becoming = { ...toMember(await createSigner(service, manager, owner.organizationId), "reader") };
  const second = await makeRecoveryKey();
  const both = await change(owner, list, { change: "add", member: second.member });
  const one = await change(owner, both, removing(first.member.id));
  const withReader = await change(owner, one, { change: "add", member: becoming });
  assert.equal(await add(owner, await signEntry(owner, withReader, removing(second.member.id)), withReader), needed);

  await owner.client.organizations.requireRecovery(false);
  await change(owner, withReader, removing(second.member.id));
  const { entries } = (await owner.account.request("GET", "/api/audit-log?action=organization.recovery_rule_changed"))
    .body;
  assert.deepEqual(
    entries.map(({ details }: { details: object }) => details),
    [false, true].map((to) => ({ changes: [{ setting: "requireRecovery", from: !to, to }] })),
  );
});

test("the sheets make an owner by the service's roles an owner of the list: nobody else, only about themselves, and the audit log names it", async (t) => {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  const recovery = await makeRecoveryKey();
  const founded = await change(owner, await fetchList(owner), { change: "add", member: recovery.member });
  const asOwner = (by: Signer, key: SigningKeys = by.key) => toMember({ ...by, key }, "owner");
  const vouching = await signWithSheets(recovery, founded, { change: "replace", member: asOwner(owner) });
  assert.equal(await add(owner, vouching, founded), "200");
  const list = await fetchList(owner, founded.head);

  // The owner has lost their key, and has another one now.
  const key = await generatePersonalKey();
  const recovering = await signWithSheets(recovery, list, { change: "replace", member: asOwner(owner, key) });
  const promoting = await signWithSheets(recovery, list, { change: "add", member: asOwner(manager) });
  const refused = [
    await add(manager, promoting, list),
    await add(manager, recovering, list),
    await add(owner, promoting, list),
  ];
  assert.deepEqual(refused, [
    "403 role_insufficient",
    "400 member_list_entry_foreign",
    "400 member_list_entry_foreign",
  ]);
  // Whatever else the sheets sign, the list itself refuses.
  const listed = list.members.get(recovery.member.id) ?? assert.fail();
  const cheating = {
    ...list,
    members: new Map(list.members).set(recovery.member.id, { ...listed, role: "owner" }),
  };
  for (const wrong of [
    { change: "replace", member: toMember({ ...owner, key }, "manager") },
    { change: "remove", member: { id: owner.account.id } },
  ] as const) {
    const entry = await signWithSheets(recovery, cheating as VerifiedList, wrong).catch(() => asEntry(""));
    assert.equal(await add(owner, entry, list), "400 member_list_entry_refused");
  }
  assert.equal(await add(owner, recovering, list), "200");
  const recovered = await fetchList({ ...owner, key: recovery.key });
  assert.equal(recovered.members.get(owner.account.id)?.recipient, key.recipient);

  const { entries } = (await owner.account.request("GET", "/api/audit-log?limit=50")).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith("member_list")),
    ["member_list.recovered", "member_list.changed", "member_list.changed", "member_list.changed"],
  );
});
