import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createAccountDeletions } from "../account-life/account-deletions.ts";
import { purgeAccounts } from "../account-life/testing/purge-accounts.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { createEndedRows } from "../startup/ended-rows.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { createAccountStore } from "./account-store.ts";
import { createCast, createScene, ok, type Scene } from "./testing/moved-account.ts";

type Name = "helper" | "friend" | "partner";

/** As if each had asked for it thirty days ago, with the organization that is theirs alone. */
async function purgeAll({ database }: TestService, people: readonly TestAccount[]): Promise<void> {
  const now = Date.now();
  for (const { id } of people) {
    await database.updateTable("organization").set({ ends_at: now }).where("id", "=", id).execute();
    await database.updateTable("person").set({ leaves_at: now }).where("id", "=", id).execute();
  }
  await purgeAccounts({ database }, now);
  const left = await database
    .selectFrom("person")
    .select("id")
    .where(
      "id",
      "in",
      people.map(({ id }) => id),
    )
    .execute();
  assert.deepEqual(left, []);
}

interface Theft {
  readonly title: string;
  run(scene: Scene): Promise<void>;
  readonly leaving: readonly Name[];
  /** The accomplice who is left as the only owner. */
  readonly left: "helper" | "friend";
}

const letBothIn = async ({ person, letIn }: Scene) => {
  await letIn(person, "helper");
  await letIn(person, "friend");
};

const thefts: readonly Theft[] = [
  {
    title: "a helper removes the person, and a friend stays",
    async run(scene) {
      await letBothIn(scene);
      ok(await scene.remove(scene.helper, scene.person));
    },
    leaving: ["helper"],
    left: "friend",
  },
  {
    title: "a helper lets a friend in and removes the person",
    async run({ person, helper, letIn, remove }) {
      await letIn(person, "helper");
      await letIn(helper, "friend");
      ok(await remove(helper, person));
    },
    leaving: ["helper"],
    left: "friend",
  },
  {
    title: "a friend of a friend removes both",
    async run({ person, helper, friend, letIn, remove }) {
      await letIn(person, "helper");
      await letIn(helper, "friend");
      for (const one of [person, helper]) ok(await remove(friend, one));
    },
    leaving: ["helper"],
    left: "friend",
  },
  {
    title: "an owner whom the thief removed is gone as well",
    async run(scene) {
      await letBothIn(scene);
      ok(await scene.remove(scene.friend, scene.person));
    },
    leaving: ["partner", "friend"],
    left: "helper",
  },
];

test("a helper whose own account is deleted in time takes no history along: the person is owner again, and no form is handed over before", async (t) => {
  for (const { title, run, leaving, left } of thefts) {
    const service = await createTestService(t);
    const scene = await createScene(service, await createCast(service));
    const form = await createForm(scene.person, { encryption: false });
    const token = await scene.move();
    ok(await scene.remove(scene.person, scene.partner));
    await run(scene);
    const accomplice = scene[left];
    const handOver = async () => {
      const asked = { organizationId: accomplice.id };
      return (await accomplice.request("POST", `/api/forms/${form}/hand-over`, asked)).body.code;
    };
    assert.equal(await handOver(), "form_hand_over_waits", `${title}: a control`);
    await purgeAll(
      service,
      leaving.map((name) => scene[name]),
    );
    assert.equal(await handOver(), "form_hand_over_waits", title);
    await scene.undo(token);
    const expected = { manager: "manager", ...(!leaving.includes("partner") && { partner: "owner" }), person: "owner" };
    assert.deepEqual(await scene.listMembers(), expected, title);

    // The id of a person who is gone is kept until no move could take the change back, and nothing after that.
    const kept = () =>
      service.database.selectFrom("member_change").select(["person_id", "made_by", "added_by"]).execute();
    assert.notDeepEqual(await kept(), []);
    const { member_change: removeOld } = createEndedRows(service.database);
    while (await removeOld(Date.now() + 9 * day + 1000));
    assert.deepEqual(await kept(), [], title);
  }
});

test("an account that its address before can take back is deleted no earlier, but for the operator's command", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  const scene = await createScene(service, cast);
  const { database } = service;
  const isThere = async () =>
    (await database.selectFrom("person").select("id").where("email", "=", `moved-${scene.email}`).execute()).length;
  const now = Date.now();
  const token = await scene.move();
  await scene.letIn(scene.person, "helper");
  ok(await scene.remove(scene.person, scene.partner));
  // They had asked for it themselves, long before.
  await database.updateTable("person").set({ leaves_at: now }).where("id", "=", scene.organizationId).execute();
  for (const days of [0, 1, 6.9]) {
    await purgeAccounts(service, now + days * day);
    assert.equal(await isThere(), 1, `after ${days} days`);
  }
  await scene.undo(token);
  assert.deepEqual(await scene.listMembers(), { manager: "manager", partner: "owner", person: "owner" });
  await purgeAccounts(service, now + 7 * day);
  assert.deepEqual(await scene.listMembers(), { manager: "manager", partner: "owner" }, "and then it is deleted");

  const other = await createScene(service, cast);
  await other.move();
  const deletions = createAccountDeletions({
    ...{ database, accounts: createAccountStore(database), members: createMemberStore(database) },
    ...{ sendSecurityMail: async () => {}, clock: { now: () => now } },
  });
  await deletions.leave(other.organizationId as AccountId, { type: "operator" }, 0); // the service made it
  await purgeAccounts(service, now);
  assert.deepEqual(await other.listMembers(), { manager: "manager", partner: "owner" });
});
