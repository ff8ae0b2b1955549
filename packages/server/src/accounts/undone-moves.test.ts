import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { showCode } from "./testing/authenticator.ts";
import { age, createCast, createScene, ok, type Scene } from "./testing/moved-account.ts";

/** Returns the account with the session that this browser has from then on. */
async function turnOnSecondFactor(service: TestService, account: TestAccount): Promise<TestAccount> {
  const headers = { cookie: account.cookie, origin: service.url };
  const body = { password: "correct horse battery" };
  const enabled = await service.request("POST", "/api/auth/two-factor/enable", { headers, body });
  const code = showCode(enabled.body.totpURI);
  const on = await service.request("POST", "/api/auth/two-factor/verify-totp", { headers, body: { code } });
  ok(on);
  const cookie = on.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  const token: string = issued.body.token;
  return {
    ...account,
    cookie,
    token,
    request: (method, path, sent) => service.request(method, path, { token, body: sent }),
  };
}

const secondFactorOf = (service: TestService, email: string) =>
  service.database
    .selectFrom("person")
    .leftJoin("second_factor", "second_factor.person_id", "person.id")
    .select(["person.second_factor_enabled", "second_factor.id"])
    .where("person.email", "=", email)
    .executeTakeFirstOrThrow();

/** Acts of the thief and the helper against the members, but for the partner. */
const thefts: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "lets a helper in": async ({ person, letIn }) => letIn(person, "helper"),
  "lets a helper in, and leaves in the person's name": async ({ person, letIn }) => {
    await letIn(person, "helper");
    ok(await person.request("POST", "/api/members/leave"));
  },
  "lets a helper in, who removes the person": async ({ person, helper, letIn, remove }) => {
    await letIn(person, "helper");
    ok(await remove(helper, person));
  },
  "lets a helper in, who demotes the person": async ({ person, helper, letIn, change }) => {
    await letIn(person, "helper");
    ok(await change(helper, person, "auditor"));
  },
  "lets a helper in, who lets a friend in, who removes everybody": async (scene) => {
    const { person, manager, helper, friend, letIn, remove } = scene;
    await letIn(person, "helper");
    await letIn(helper, "friend");
    for (const one of [person, manager, helper]) ok(await remove(friend, one));
  },
  "demotes the manager": async ({ person, manager, change }) => ok(await change(person, manager, "auditor")),
  "makes the manager an owner, who removes the person": async ({ person, manager, change, remove }) => {
    ok(await change(person, manager, "owner"));
    ok(await remove(manager, person));
  },
};

/** Puts accounts into a state that an owner who is restored may have: about to be deleted, as was asked for long ago, or disabled. */
async function setState(
  service: TestService,
  emails: readonly string[],
  state: "leaves_at" | "disabled_at" | undefined,
) {
  await service.database
    .updateTable("person")
    .set({ leaves_at: null, disabled_at: null, ...(state && { [state]: Date.now() + day }) })
    .where("email", "in", emails)
    .execute();
}

test("where the owners of before are disabled or about to be deleted, undoing a move lets no helper stay", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  for (const state of ["leaves_at", "disabled_at"] as const)
    for (const [title, steal] of Object.entries(thefts)) {
      const scene = await createScene(service, cast);
      const token = await scene.move();
      await steal(scene);
      // An operator's decision about the mover's own account is looked at elsewhere.
      const partner = "partner@example.com";
      const emails = state === "leaves_at" ? [partner, `moved-${scene.email}`] : [partner];
      await setState(service, emails, state);
      await scene.undo(token);
      const expected = { manager: "manager", partner: "owner", person: "owner" };
      assert.deepEqual(await scene.listMembers(), expected, `${title}, ${state}`);
      await setState(service, [partner], undefined);
    }
});

test("undoing a move takes back what was done to members since the day before where no owner is left who can decide, and a second factor", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  for (const [index, [title, steal]] of Object.entries(thefts).entries())
    for (const isLeft of index < 2 ? [true, false] : [false]) {
      const isBefore = index % 2 === 1;
      const scene = await createScene(service, cast);
      const stealAll = async (person: TestAccount) => {
        if (!isLeft) ok(await scene.remove(person, scene.partner));
        await steal({ ...scene, person });
      };
      if (isBefore) await stealAll(scene.person);
      const atMove = await scene.listMembers();
      const token = await scene.move();
      const person = await turnOnSecondFactor(service, scene.person);
      if (!isBefore) await stealAll(person);
      const stolen = await scene.listMembers();
      await scene.undo(token);
      // The account has no more than when the move began.
      const own = atMove.person && { person: atMove.person };
      const expected = isLeft ? stolen : { manager: "manager", partner: "owner", ...own };
      const when = `${title}, ${isBefore ? "before" : "after"} the move, ${isLeft ? "with" : "without"} the partner`;
      assert.deepEqual(await scene.listMembers(), expected, when);
      const factor = await secondFactorOf(service, scene.email);
      assert.deepEqual([Number(factor.second_factor_enabled), factor.id], [0, null], when);
    }
});

test("what others do on purpose stays, and so does what is older, also where the owners of before have removed the person and left", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  const { database } = service;
  const scene = await createScene(service, cast);
  const { person, partner, letIn, remove, listMembers } = scene;
  // Turned on long ago: the person has its app.
  await turnOnSecondFactor(service, person);
  await database
    .updateTable("second_factor")
    .set({ enabled_at: Date.now() - 3 * day })
    .execute();
  await letIn(partner, "helper");
  ok(await remove(partner, person));
  await scene.undo(await scene.move());
  assert.deepEqual(await listMembers(), { helper: "owner", manager: "manager", partner: "owner" });
  const factor = await secondFactorOf(service, scene.email);
  assert.equal(Number(factor.second_factor_enabled), 1);

  const other = await createScene(service, cast);
  const token = await other.move();
  await other.letIn(other.person, "helper");
  ok(await other.remove(other.partner, other.person));
  ok(await other.partner.request("POST", "/api/members/leave"));
  assert.deepEqual(await other.listMembers(), { helper: "owner", manager: "manager" });
  await other.undo(token);
  assert.deepEqual(await other.listMembers(), { helper: "owner", manager: "manager" });
});

test("an owner who moves their own account, lowers and raises another one, and is removed by them, gains nothing by undoing it", async (t) => {
  const service = await createTestService(t);
  const scene = await createScene(service, await createCast(service));
  const { person, partner, manager, letIn, change, remove } = scene;
  const token = await scene.move();
  ok(await change(person, partner, "manager"));
  ok(await change(person, partner, "owner"));
  ok(await remove(partner, person));
  ok(await remove(partner, manager));
  await letIn(partner, "helper");
  await scene.undo(token);
  assert.deepEqual(await scene.listMembers(), { helper: "owner", partner: "owner" });
});

/** Asks for the deletion of the organization, and of the account. */
async function endAll(person: TestAccount): Promise<void> {
  ok(await person.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION"));
  ok(await person.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT"));
}

async function listEnding({ database }: TestService) {
  const leaving = await database.selectFrom("person").select("id").where("leaves_at", "is not", null).execute();
  const ending = await database.selectFrom("organization").select("id").where("ends_at", "is not", null).execute();
  return [leaving, ending].map((found) => found.map(({ id }) => id));
}

test("undoing a move keeps the account that was to be deleted, and an organization that no other owner decides about", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  const scene = await createScene(service, cast);
  const { person, organizationId } = scene;
  let token = await scene.move();
  await endAll(person);
  assert.deepEqual(await listEnding(service), [[person.id], [organizationId]]);
  await scene.undo(token);
  // The partner got an email when it was decided, and can keep it.
  assert.deepEqual(await listEnding(service), [[], [organizationId]]);

  const alone = await createScene(service, cast);
  ok(await alone.remove(alone.person, alone.partner));
  await age(service, 3 * day);
  token = await alone.move();
  await alone.letIn(alone.person, "helper");
  await endAll(alone.person);
  await alone.undo(token);
  assert.deepEqual(await listEnding(service), [[], [organizationId]]);
  assert.deepEqual(await alone.listMembers(), { manager: "manager", person: "owner" }, "and the helper is out");
});

test("undoing a move brings nobody back to where another owner decides, who is mailed what was changed, and the log says so", async (t) => {
  const smtp = await startSmtpServer(t);
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const service = await createTestService(t, { environment });
  const scene = await createScene(service, await createCast(service));
  const { person, partner, helper, manager, letIn, change, remove } = scene;
  const token = await scene.move();
  ok(await remove(person, manager));
  await letIn(person, "helper");
  await letIn(helper, "friend", "manager");
  ok(await change(person, partner, "manager"));
  ok(await change(person, partner, "owner"));
  ok(await person.request("POST", "/api/members/leave"));
  const before = await scene.listMembers();
  await scene.undo(token);
  assert.deepEqual(await scene.listMembers(), before);
  let mail = await smtp.next();
  while (mail.headers.get("subject") !== "Look at the members of your organization") mail = await smtp.next();
  for (const line of [
    "  manager@example.com: was manager, is no member now",
    "  helper@example.com: was no member, is owner now",
    "  friend@example.com: was no member, is manager now",
    `  ${scene.email}: was owner, is no member now`,
  ])
    assert.ok(mail.text.includes(`${line}\n`), mail.text);
  assert.match(mail.text, new RegExp(`The account of ${scene.email}, who is or was a member`));
  assert.doesNotMatch(mail.text, /partner@/, "who is what they were");
  // The helper is an owner by the thief's doing.
  assert.deepEqual(mail.to, ["partner@example.com"]);
  const emails = await service.database.selectFrom("mail").select(["account_id", "details"]).execute();
  const waiting = emails.filter(({ details }) => details.includes("member_move_undone"));
  assert.deepEqual(
    waiting.filter(({ account_id }) => account_id !== partner.id),
    [],
  );
  const { entries } = (await partner.request("GET", "/api/audit-log?action=member.address_move_undone")).body;
  assert.deepEqual([entries.length, entries[0].count], [1, 4]);
});

test("an account that an operator has disabled gets its address back, and nothing in organizations", async (t) => {
  const service = await createTestService(t);
  const scene = await createScene(service, await createCast(service));
  const token = await scene.move();
  await scene.letIn(scene.person, "helper");
  for (const one of [scene.partner, scene.person]) ok(await scene.remove(scene.helper, one));
  const before = await scene.listMembers();
  const { database } = service;
  const ofPerson = database.updateTable("person").set({ disabled_at: Date.now() });
  await ofPerson.where("email", "=", `moved-${scene.email}`).execute();
  await scene.undo(token);
  assert.deepEqual(await scene.listMembers(), before);
  const row = await database
    .selectFrom("person")
    .select("disabled_at")
    .where("email", "=", scene.email)
    .executeTakeFirstOrThrow();
  assert.notEqual(row.disabled_at, null);
});

test("undoing a move calls off no deletion of an organization from which others have removed the person", async (t) => {
  const service = await createTestService(t);
  const scene = await createScene(service, await createCast(service));
  const token = await scene.move();
  ok(await scene.remove(scene.partner, scene.person));
  ok(await scene.partner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION"));
  await scene.undo(token);
  const ending = await service.database
    .selectFrom("organization")
    .select("id")
    .where("ends_at", "is not", null)
    .execute();
  assert.deepEqual(
    ending.map(({ id }) => id),
    [scene.organizationId],
  );
});

test("owners who may owe their role to a moved account hand no form over; the others do", async (t) => {
  const service = await createTestService(t);
  const cast = await createCast(service);
  const scene = await createScene(service, cast);
  const { person, partner, helper } = scene;
  const form = await createForm(person, { encryption: false });
  const handOver = async (by: TestAccount, organizationId: string) => {
    const { status, body } = await by.request("POST", `/api/forms/${form}/hand-over`, { organizationId });
    return status === 200 ? 200 : body.code;
  };
  const created = await partner.request("POST", "/api/organizations", { name: "Another" });
  await scene.move();
  const own = await person.request("POST", "/api/organizations", { name: "The thief's" });
  assert.equal(await handOver(person, own.body.organization.id), "form_hand_over_waits");
  await scene.letIn(person, "helper");
  assert.equal(await handOver(helper, helper.id), "form_hand_over_waits");
  ok(await scene.remove(helper, person));
  assert.equal(await handOver(helper, helper.id), "form_hand_over_waits");
  assert.equal(await handOver(partner, created.body.organization.id), 200);
});

test("an owner who was removed, and moves their account only then, keeps no form from being handed over", async (t) => {
  const service = await createTestService(t);
  const scene = await createScene(service, await createCast(service));
  const { person, partner } = scene;
  const form = await createForm(person, { encryption: false });
  const created = await partner.request("POST", "/api/organizations", { name: "Another" });
  ok(await scene.change(person, partner, "manager"));
  ok(await scene.change(person, partner, "owner"));
  ok(await scene.remove(partner, person));
  await scene.move();
  const { organization } = created.body;
  ok(await partner.request("POST", `/api/forms/${form}/hand-over`, { organizationId: organization.id }));
});
