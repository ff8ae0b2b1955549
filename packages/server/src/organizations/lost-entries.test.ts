import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeenHeads, type FollowedList, followList, type HeadStore, type VerifiedList } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import {
  createFounder,
  createSigner,
  fetchList,
  outcomeOf,
  type Signer,
  signEntry,
  toMember,
} from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

// A service that was restored from a backup has a list that ends before the one that its members have seen.

/** The list and its names up to this entry, as a backup has them. */
async function restore(service: TestService, number: number, names: readonly string[]): Promise<void> {
  await service.database.deleteFrom("list_entry").where("number", ">", number).execute();
  await service.database
    .deleteFrom("list_name")
    .where("name", "in", [...names, "-"])
    .execute();
}

/** A device of a person, which remembers what it has seen. */
function createDevice({ client, key, organizationId }: Signer) {
  const values = new Map<string, unknown>();
  const store: HeadStore = {
    isLasting: false,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
  const heads = createSeenHeads(store);
  let outcome = "";
  const follow = (): Promise<FollowedList> =>
    followList({
      ...{ organizationId, heads, trust: { signingKey: key.signingKey } },
      fetchList: () => client.memberList.get().catch(() => undefined),
      fetchNames: () => client.memberList.names().catch(() => undefined),
      async giveBack({ entries, after, names }) {
        outcome = await outcomeOf(client.memberList.giveBack(entries, after, { names }));
        return outcome === "200";
      },
    });
  return { heads, follow, outcome: () => outcome };
}

/** An owner, a manager and a reader, who is in the list too. */
async function createTeam(service: TestService) {
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const join = async (name: "manager" | "reader") => {
    const person = await addPerson(
      service,
      owner.account,
      `${name}@example.com`,
      name === "reader" ? { role: name, forms: [] } : { role: name },
    );
    const signer = await createSigner(service, person, id);
    const list = await fetchList(owner);
    await owner.client.memberList.add(
      await signEntry(owner, list, { change: "add", member: toMember(signer, name) }),
      list.head,
    );
    return signer;
  };
  return { owner, manager: await join("manager"), reader: await join("reader") };
}

const program = async (list: VerifiedList, by: Signer, name: string) => {
  const { key } = await createProgram();
  const member = { id: createId("event"), name, role: "program", recipient: key, signingKey: null } as const;
  await by.client.memberList.add(await signEntry(by, list, { change: "add", member }), list.head);
};

async function createProgram() {
  const { generatePersonalKey } = await import("@sealpost/envelope");
  return { key: (await generatePersonalKey()).recipient };
}

test("an owner who has just signed in gives a restored service its list back, with the names, and the author is the one who has signed", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const { owner, manager, reader } = await createTeam(service);
  await program(await fetchList(owner), owner, "Reports");
  await program(await fetchList(owner), manager, "Exports");
  const whole = await fetchList(owner);
  const devices = [reader, manager, owner].map((person) => ({ person, device: createDevice(person) }));
  for (const { device } of devices) {
    await device.heads.advanceList(owner.organizationId, undefined, whole.head);
    assert.equal((await device.follow()).kind, "checked");
  }
  await restore(service, 3, ["Reports", "Exports"]);
  for (const { person, device } of devices) {
    const followed = await device.follow();
    const isOwner = person === owner;
    assert.equal(device.outcome(), isOwner ? "200" : "403 role_insufficient");
    if (!isOwner) assert.ok(followed.kind === "refused" && followed.held === 2);
    else {
      assert.ok(followed.kind === "checked" && followed.givenBack === 2);
      const names = [...followed.list.members.values()].map(({ name }) => name);
      assert.ok(names.includes("Reports") && names.includes("Exports"), String(names));
    }
  }
  for (const { device } of devices) assert.equal((await device.follow()).kind, "checked");
  assert.deepEqual((await fetchList(owner, whole.head)).head, whole.head);
  const { entries } = (await owner.account.request("GET", "/api/audit-log?action=member_list.given_back")).body;
  assert.equal(entries.length, 1);
  assert.deepEqual(entries[0].details, { changes: [{ setting: "memberList", from: 3, to: 5 }] });
  const signers = await service.database.selectFrom("list_entry").select("signer_id").orderBy("number").execute();
  assert.equal(signers.at(-1)?.signer_id, manager.account.id);
  // An owner's key from an old device, and a session of yesterday, add nothing where nothing was lost.
  clock.advance(3 * hourMilliseconds);
  const { entry } = await signEntry(owner, whole, { change: "note" });
  for (const [by, refusal] of [
    [owner, "403 session_stale"],
    [manager, "403 role_insufficient"],
    [reader, "403 role_insufficient"],
  ] as const)
    assert.equal(await outcomeOf(by.client.memberList.giveBack([entry], whole.head)), refusal);
});

test("a list that a restored service does not have at all is given back by an owner", async (t) => {
  const service = await createTestService(t);
  const { owner, reader } = await createTeam(service);
  const { head } = await fetchList(owner);
  const [owners, readers] = [createDevice(owner), createDevice(reader)];
  await readers.heads.advanceList(owner.organizationId, undefined, head);
  for (const device of [owners, readers]) assert.equal((await device.follow()).kind, "checked");
  await restore(service, 0, ["Name of owner", "Name of manager", "Name of reader"]);
  const refused = await readers.follow();
  assert.ok(refused.kind === "refused" && refused.held === 3);
  assert.equal(readers.outcome(), "403 role_insufficient");
  const followed = await owners.follow();
  assert.ok(followed.kind === "checked" && followed.givenBack === 3, owners.outcome());
  assert.deepEqual(followed.list.head, head);
});

test("nothing is taken that does not continue the list", async (t) => {
  const service = await createTestService(t);
  const { owner } = await createTeam(service);
  const list = await fetchList(owner);
  const give = (entries: readonly string[]) => outcomeOf(owner.client.memberList.giveBack(entries, list.head));
  const { entry } = await signEntry(owner, list, { change: "note" });
  const forged = entry.replace(/"signature":"..../, '"signature":"AAAA');
  for (const wrong of [[forged], ["nothing"], [entry, entry], [entry, forged]])
    assert.equal(await give(wrong), "400 member_list_entry_refused");
  assert.equal(await outcomeOf(owner.client.memberList.giveBack([entry], undefined)), "412 precondition_failed");
});
