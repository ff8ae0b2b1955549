import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deriveRecoveryKey,
  findEdges,
  findListRoom,
  generatePersonalKey,
  generateSheet,
  importSigningKey,
  verifyList,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { alterPart, type Content, fetchWhole, signPart } from "./testing/test-list-part.ts";
import {
  createFounder,
  createSigner,
  outcomeOf,
  type Signer,
  signEntry,
  toMember,
  toProgram,
} from "./testing/test-member-list.ts";
import { addPerson } from "./testing/test-organization.ts";

/** An organization with a list: its founder, another owner, a manager, a program of theirs, and the organization's name. */
async function setUp(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t, { clock: createFakeClock(Date.now()) });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const change = async (by: Signer, what: Parameters<typeof signEntry>[2]) => {
    const list = await fetchWhole(owner);
    await by.client.memberList.add(await signEntry(by, list, what), list.head);
  };
  const bringIn = async (email: string, role: "owner" | "manager") => {
    const person = await addPerson(service, owner.account, email, { role });
    const signer = await createSigner(service, person, id);
    await change(owner, { change: "add", member: toMember(signer, role) });
    return signer;
  };
  const second = await bringIn("second@example.com", "owner");
  const manager = await bringIn("manager@example.com", "manager");
  const program = toProgram(createId("account"), await generatePersonalKey());
  await change(manager, { change: "add", member: program });
  await change(owner, { change: "name", name: "Example Council" });
  const keys = new Map([owner, second, manager].map(({ signer }) => [signer.id, signer.signingKey]));
  return { service, owner, second, manager, program, change, keys };
}

const begin = (by: Signer, part: { part: string; names?: readonly never[] }, head: { number: number; hash: string }) =>
  outcomeOf(by.client.memberList.begin(part as never, head));

test("parts of a list in the service", async (t) => {
  const { service, owner, second, manager, program, change, keys } = await setUp(t);
  /** As on the day after: the clock stays, and with it the sign-ins. */
  const passDay = () =>
    service.database
      .updateTable("list_entry")
      .set(({ eb }) => ({ added_at: eb("added_at", "-", dayMilliseconds) }))
      .execute();

  await t.test(
    "nobody but owners begins a part, and it brings in nobody and gives nobody another key, role or edge",
    async () => {
      const list = await fetchWhole(owner);
      const stranger = await generatePersonalKey();
      const honest = await signPart(owner);
      const outcome = async (alter: (entries: Content[]) => Content[], names = honest.names) =>
        outcomeOf(owner.client.memberList.begin({ part: await alterPart(honest, keys, alter), names }, list.head));
      const carried =
        (change: (entry: Content) => object, of: Signer = manager) =>
        (entries: Content[]): Content[] =>
          entries.map((entry) =>
            entry.change === "carry" && entry.member.id === of.account.id ? { ...entry, ...change(entry) } : entry,
          );
      const differs = "400 member_list_part_differs";
      const removed = toMember(manager, "manager");
      const { recipient, signingKey } = stranger;
      const attempts: readonly (readonly [string, (entries: Content[]) => Content[], string])[] = [
        ["another key", carried(({ member }) => ({ member: { ...member, recipient, signingKey } })), differs],
        ["another role", carried(({ member }) => ({ member: { ...member, role: "owner" } })), differs],
        ["another name", carried(({ member }) => ({ member: { ...member, name: "A".repeat(43) } })), differs],
        ["other edges", carried(({ edges }) => ({ edges: { ...edges, keys: [second.account.id] } })), differs],
        ["own word washed", carried(({ edges }) => ({ edges: { ...edges, ownWord: ["name"] } })), differs],
        [
          "somebody who was not there",
          carried(({ member }) => ({ member: { ...member, id: createId("account"), recipient, signingKey } })),
          differs,
        ],
        [
          "an owner for another one",
          (entries) => entries.map((entry) => ({ ...entry, signedBy: second.account.id })),
          "400 member_list_part_refused",
        ],
        [
          "a carry after the name",
          (entries) => [...entries.slice(0, 2), ...entries.slice(-1), ...entries.slice(2, -1)],
          "400 member_list_part_refused",
        ],
        ["two names", (entries) => [...entries, ...entries.slice(-1)], "400 member_list_part_more"],
        [
          "a removal after it",
          (entries) => [
            ...entries.slice(0, -1),
            // The members of a removal are others than those of a name.
            {
              ...Object.fromEntries(Object.entries(entries[0] as object).slice(0, 6)),
              ...{ change: "remove", admission: null, member: { id: removed.id }, extensions: {}, critical: [] },
            } as unknown as Content,
          ],
          "400 member_list_part_more",
        ],
        ["without the begin", (entries) => entries.slice(1), "400 member_list_part_refused"],
      ];
      for (const [name, alter, expected] of attempts) assert.equal(await outcome(alter), expected, name);
      assert.equal(await outcome((entries) => entries.slice(0, -1)), "400 member_list_name_unused");
      assert.equal(await outcome((entries) => entries, []), "400 member_list_name_missing");
      assert.equal(await outcomeOf(manager.client.memberList.begin(honest, list.head)), "403 role_insufficient");
      assert.equal(await outcomeOf(second.client.memberList.begin(honest, list.head)), "400 member_list_part_foreign");
      const single = honest.part.split("\n").slice(0, 2).join("\n");
      assert.equal(
        await outcomeOf(owner.client.memberList.add({ entry: `${single}\n` }, list.head)),
        "400 member_list_entry_refused",
        "a part is begun as a whole",
      );
    },
  );

  await t.test(
    "an owner begins a part with everybody in it: names, edges and rights are as before, and a head of the part before leads to it",
    async () => {
      const list = await fetchWhole(owner);
      const part = await signPart(second, list.head);
      const head = await second.client.memberList.begin(part, list.head);
      assert.deepEqual(head, part.list.head);
      const newest = await owner.client.memberList.get();
      assert.deepEqual(Buffer.from(newest ?? []).toString(), part.part, "the newest part is given alone");
      const first = await owner.client.memberList.part(1);
      assert.deepEqual(first, await owner.client.memberList.part(list.head.number));
      assert.equal(await outcomeOf(owner.client.memberList.part(head.number + 1)), "404 member_list_not_found");
      assert.equal(await outcomeOf(owner.client.memberList.get(list.head)), "200");
      assert.equal(await owner.client.memberList.get(head), undefined, "304");
      const old = await verifyList(newest ?? new Uint8Array(), {
        ...{ organizationId: owner.organizationId, trust: { head: list.head } },
      });
      assert.equal((old as { reason?: string }).reason, "old_list", "the part alone does not have the head of before");
      const after = await fetchWhole(manager, list.head);
      assert.deepEqual(
        [...after.members.values()].map(({ id, name }) => `${id} ${name}`).sort(),
        [...list.members.values()].map(({ id, name }) => `${id} ${name}`).sort(),
      );
      assert.equal(after.organizationName, "Example Council");
      assert.deepEqual(findEdges(after).get(program.id), findEdges(list).get(program.id));
      assert.deepEqual(after.membersAt(list.head), list.membersAt(list.head));
      assert.equal(findListRoom(after).left, 4096 - 5, "four members and the name");
      await change(manager, { change: "remove", member: { id: program.id } });
      await change(manager, { change: "add", member: program });
      const { body } = await owner.account.request("GET", "/api/audit-log");
      const changes = body.entries.flatMap((entry: { details?: { changes?: { setting: string; to: unknown }[] } }) =>
        (entry.details?.changes ?? []).filter(({ setting }) => setting === "listChange").map(({ to }) => to),
      );
      for (const one of ["remove", "begin", "name"]) assert.ok(changes.includes(one), one);
      // Places count within the part, whatever the numbers are.
      const now = await fetchWhole(manager);
      const set = (number: number) =>
        service.database.updateTable("list_entry").set({ part_first: number }).where("part_first", "<>", 1).execute();
      await set(now.head.number - 3071);
      const removing = await signEntry(manager, now, { change: "remove", member: { id: program.id } });
      assert.equal(await outcomeOf(manager.client.memberList.add(removing, now.head)), "409 member_list_full");
      await set(list.head.number + 1);
      assert.equal(await outcomeOf(manager.client.memberList.add(removing, now.head)), "200");
      await change(manager, { change: "add", member: program });
    },
  );

  await t.test("the recovery key begins a part with an owner, and every process verifies it", async () => {
    const { identity } = await generateSheet("organization");
    const recovery = await deriveRecoveryKey(identity);
    const before = await fetchWhole(owner);
    const id = createId("account");
    const { recipient, signingKey } = recovery;
    await change(owner, { change: "add", member: { id, name: "Paper", role: "recovery", recipient, signingKey } });
    const now = await fetchWhole(owner);
    const part = await signPart(owner);
    const all = new Map([...keys, [id, await importSigningKey(recovery.signingSeed)] as const]);
    const byPaper = await alterPart(part, all, ([first, ...others]) => [
      { ...(first as Content), signedBy: id },
      ...others,
    ]);
    assert.equal(await outcomeOf(owner.client.memberList.begin({ part: byPaper, names: part.names }, now.head)), "200");
    const list = await fetchWhole(owner, before.head);
    assert.equal(list.members.size, now.members.size);
    const { body } = await owner.account.request("GET", "/api/audit-log");
    assert.ok(body.entries.some(({ action }: { action: string }) => action === "member_list.recovered"));
    // The service goes by the part before for who has begun this one.
    const name = await signEntry(owner, list, { change: "name", name: "Other" });
    assert.equal(await outcomeOf(owner.client.memberList.add(name, list.head)), "200");
    assert.equal((await fetchWhole(owner)).organizationName, "Other");
  });

  await passDay();
  await t.test(
    "a part lands as a whole or not at all, ends open admissions, and begins four times within a day at most",
    async () => {
      const list = await fetchWhole(owner);
      const { database } = service;
      const honest = await signPart(owner);
      // The last thing that is written is refused by the database: what was written before it is taken back.
      const [line] = honest.names;
      assert.ok(line !== undefined);
      const row = { organization_id: owner.organizationId, member_id: owner.account.id, is_present: 1, ...line };
      await database.insertInto("list_name").values(row).execute();
      const open = {
        id: createId("event"),
        organization_id: owner.organizationId,
        person_id: null,
        terms: "",
        file: "YQ",
      };
      const times = { created_at: Date.now(), ends_at: Date.now() + dayMilliseconds };
      const admission = { ...open, ...times, email: "guest@example.com", made_by: owner.account.id };
      await database.insertInto("admission").values(admission).execute();
      const findAdmission = () =>
        database.selectFrom("admission").select("ended_at").where("id", "=", open.id).executeTakeFirstOrThrow();
      assert.match(await outcomeOf(owner.client.memberList.begin(honest, list.head)), /^500/);
      assert.equal((await findAdmission()).ended_at, null);
      assert.deepEqual((await fetchWhole(owner)).head, list.head);
      assert.equal((await fetchWhole(owner)).organizationName, "Other");
      await database.deleteFrom("list_name").where("commitment", "=", line.commitment).execute();
      assert.equal(
        await outcomeOf(owner.client.memberList.begin(honest, list.head)),
        "200",
        "and the same again is taken",
      );
      assert.equal(await outcomeOf(owner.client.memberList.begin(honest, list.head)), "412 precondition_failed");

      assert.notEqual((await findAdmission()).ended_at, null);

      const left = await signPart(owner);
      const unrecoverable = await alterPart(left, keys, (entries) =>
        entries.filter(({ member }) => member?.role !== "recovery"),
      );
      const rule = (requireRecovery: boolean) =>
        owner.account.request("PUT", "/api/organization/recovery", { requireRecovery });
      assert.equal((await rule(true)).status, 200);
      assert.equal(
        await outcomeOf(owner.client.memberList.begin({ part: unrecoverable, names: left.names }, honest.list.head)),
        "409 recovery_key_needed",
      );
      assert.equal((await rule(false)).status, 200);
      const without = await alterPart(left, keys, (entries) =>
        entries.filter(({ member }) => member?.id !== program.id && member?.id !== second.account.id),
      );
      const next = { part: without, names: left.names };
      assert.equal(await outcomeOf(owner.client.memberList.begin(next, honest.list.head)), "200");
      const now = await fetchWhole(owner);
      assert.deepEqual(
        [...now.members.values()].flatMap(({ id, role }) => (role === "recovery" ? [] : [id])).sort(),
        [owner.account.id, manager.account.id].sort(),
      );
      const named = new TextDecoder().decode(await owner.client.memberList.names());
      assert.ok(!named.includes("Receiver"), "names of those who were left out go");
      const { body } = await owner.account.request("GET", "/api/audit-log");
      const targets = body.entries
        .filter(({ action }: { action: string }) => action === "member_list.changed")
        .map(
          ({ target, details }: { target?: { id: string }; details: unknown }) =>
            `${target?.id} ${JSON.stringify(details)}`,
        );
      const isLeftOut = (one: string) => one.startsWith(second.account.id) && one.includes('"remove"');
      assert.ok(targets.some(isLeftOut), "the log says who was left out");

      for (const expected of ["200", "200", "429 too_many_list_parts_today"]) {
        const { head } = await fetchWhole(owner);
        assert.equal(await outcomeOf(owner.client.memberList.begin(await signPart(owner), head)), expected);
      }
    },
  );

  await t.test("somebody who was removed comes back by no part", async () => {
    const list = await fetchWhole(owner);
    const honest = await signPart(owner);
    await change(owner, { change: "remove", member: { id: manager.account.id } });
    assert.equal(await outcomeOf(owner.client.memberList.begin(honest, list.head)), "412 precondition_failed");
    const now = await fetchWhole(owner);
    const back = await alterPart(honest, keys, (entries) =>
      entries.map((entry) => ({ ...entry, previous: now.head.hash, number: now.head.number + 1 })),
    );
    assert.match(
      await begin(owner, { part: back }, now.head),
      /^400/,
      "somebody who was removed comes back by no part",
    );
  });
});
