import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { languages } from "@sealpost/texts";
import { type AccountId, createId } from "@sealpost/wire";
import { roles } from "../access/roles.ts";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { insertEmails } from "../mail/insert-emails-store.ts";
import { createMailStore } from "../mail/mail-store.ts";
import { writeMail } from "../mail/mail-text.ts";
import { byNobody, createSendSecurityMail } from "../mail/security-mail-store.ts";
import { accountIdOf, createMailBench } from "../mail/testing/mail-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { createInvitationStore } from "./invitation-store.ts";
import { createInvitations } from "./invitations.ts";
import { createMemberStore } from "./member-store.ts";
import { createOrganizationStore } from "./organization-store.ts";
import { addPerson, invite, switchTo } from "./testing/test-organization.ts";

const password = "correct horse battery";
const day = 86_400_000;

async function start(t: TestScope, environment: Readonly<Record<string, string>> = {}) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks, environment });
  const owner = await service.signUp("owner@example.com");
  const accept = async (person: TestAccount, token: string) => {
    const { status, body } = await person.request("POST", "/api/invitations/accept", { token });
    return status === 200 ? 200 : `${status} ${body.code}`;
  };
  const signUp = (email: string, invitation: unknown) =>
    service.request("POST", "/api/auth/sign-up/email", { body: { email, password, invitation } });
  return { clock, service, owner, accept, signUp };
}

test("an invitation is accepted once, by its address alone, and the database has its hash alone", async (t) => {
  const { service, owner, accept } = await start(t);
  const [guest, other] = [await service.signUp("Guest@example.com"), await service.signUp("other@example.com")];
  const token = await invite(owner, " GUEST@example.com ", { role: "manager" });
  const rows = await service.database.selectFrom("invitation").selectAll().execute();
  assert.equal(rows[0]?.token_hash, createHash("sha256").update(token).digest("hex"));
  assert.ok(!JSON.stringify(rows).includes(token));
  const found = await service.request("POST", "/api/invitations/find", { body: { token } });
  const { expiresAt, ...shown } = found.body;
  assert.deepEqual(shown, { organization: { name: "Person" }, email: "guest@example.com", role: "manager" });
  assert.equal(await accept(other, token), "403 invitation_other_address");
  assert.equal((await owner.request("GET", "/api/invitations")).body.total, 1);
  const both = await Promise.all([accept(guest, token), accept(guest, token)]);
  assert.deepEqual(both.toSorted(), [200, "400 invitation_unknown"]);
  assert.equal(await accept(guest, token), "400 invitation_unknown");
  assert.equal((await service.request("POST", "/api/invitations/find", { body: { token } })).status, 400);
  assert.equal((await owner.request("GET", "/api/invitations")).body.total, 0);
  assert.equal((await owner.request("GET", "/api/members")).body.total, 2);
});

test("an invitation ends after seven days, when it is taken back, and when another one replaces it", async (t) => {
  const { clock, service, owner, accept } = await start(t);
  const guest = await service.signUp("guest@example.com");
  const replaced = await invite(owner, "guest@example.com", { role: "auditor" });
  const token = await invite(owner, "guest@example.com", { role: "auditor" });
  assert.equal(await accept(guest, replaced), "400 invitation_unknown");
  const [{ id }] = (await owner.request("GET", "/api/invitations")).body.invitations;
  assert.equal((await owner.request("DELETE", `/api/invitations/${id}`)).status, 200);
  assert.equal((await owner.request("DELETE", `/api/invitations/${id}`)).body.code, "invitation_not_found");
  assert.equal(await accept(guest, token), "400 invitation_unknown");
  const late = await invite(owner, "guest@example.com", { role: "auditor" });
  await service.database.updateTable("invitation").set({ expires_at: clock.now() }).execute();
  assert.equal(await accept(guest, late), "400 invitation_unknown");
});

test("an invitation ends with its inviter's right to make it, and that of an older role stays what it was", async (t) => {
  const { service, owner, accept } = await start(t);
  const form = await createForm(owner, {});
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const [one, two] = [await service.signUp("one@example.com"), await service.signUp("two@example.com")];
  const first = await invite(manager, "one@example.com", { role: "reader", forms: [form] });
  const second = await invite(manager, "two@example.com", { role: "reader", forms: [form] });
  assert.equal(await accept(one, first), 200);
  await owner.request("PATCH", `/api/members/${manager.id}`, { role: "auditor" });
  assert.equal(await accept(two, second), "400 invitation_unknown");
  await owner.request("PATCH", `/api/members/${manager.id}`, { role: "manager" });
  assert.equal(await accept(two, second), "400 invitation_unknown", "it does not come back with the role");
});

test("nobody is invited twice into one organization, to a role that there is not, or to forms of another", async (t) => {
  const { service, owner } = await start(t);
  const other = await service.signUp("other@example.com");
  const foreign = await createForm(other, {});
  const invited = async (body: object) => {
    const answer = await owner.request("POST", "/api/invitations", { email: "x@example.com", ...body });
    return [answer.status, answer.body.code, answer.body.detailCodes ?? {}];
  };
  assert.deepEqual(await invited({ email: "owner@example.com", role: "manager" }), [409, "member_already", {}]);
  assert.equal((await invited({ role: "king" }))[0], 400);
  assert.deepEqual((await invited({ email: "nobody", role: "manager" }))[2], { email: "email_needed" });
  assert.deepEqual((await invited({ role: "manager", forms: [] }))[2], { forms: "forms_needless" });
  assert.deepEqual((await invited({ role: "reader" }))[2], { forms: "field_required" });
  for (const forms of [[foreign], ["form_1"], ["\u0000"]])
    assert.deepEqual((await invited({ role: "reader", forms }))[2], { forms: "forms_not_named" });
});

test("an organization makes twenty invitations a day, and has fifty open ones", async (t) => {
  const { clock, owner, service } = await start(t);
  const invited = async (email: string) =>
    (await owner.request("POST", "/api/invitations", { email, role: "auditor" })).body.code ?? 200;
  for (let number = 0; number < 20; number++) assert.equal(await invited(`${number}@example.com`), 200);
  assert.equal(await invited("next@example.com"), "too_many_invitations_today");
  const [row] = await service.database.selectFrom("invitation").selectAll().limit(1).execute();
  assert.ok(row !== undefined);
  const more = Array.from({ length: 30 }, (_, index) => ({
    ...row,
    id: `inv_${index}`,
    token_hash: `${index}`,
    created_at: clock.now() - 2 * day,
  }));
  await service.database.insertInto("invitation").values(more).execute();
  assert.equal(await invited("next@example.com"), "too_many_invitations");
});

test("a manager who used up the invitations of the day leaves an owner with invitations", async (t) => {
  const { owner, service } = await start(t);
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const formId = await createForm(owner, { encryption: false });
  const body = (email: string) => ({ email, role: "developer", forms: [formId] });
  const codes = [];
  for (let number = 0; number < 21; number++)
    codes.push((await manager.request("POST", "/api/invitations", body(`${number}@example.com`))).body.code ?? 200);
  assert.equal(codes.at(-1), "too_many_invitations_today");
  assert.equal((await owner.request("POST", "/api/invitations", body("good@example.com"))).status, 200);
});

test("where sign-up is closed an invitation lets its address in, into the organization alone", async (t) => {
  const { owner, signUp, service } = await start(t, { SEALPOST_SIGNUP: "first" });
  const token = await invite(owner, "guest@example.com", { role: "auditor" });
  const refused = async (email: string, invitation: unknown) => (await signUp(email, invitation)).body.code;
  assert.equal(await refused("guest@example.com", undefined), "sign_up_closed");
  assert.equal(await refused("other@example.com", token), "invitation_other_address");
  assert.equal(await refused("guest@example.com", "made-up"), "invitation_unknown");
  assert.equal((await signUp("guest@example.com", 7)).status, 400);
  const created = await signUp("guest@example.com", token);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const headers = { cookie, origin: service.url };
  const { body } = await service.request("GET", "/api/organizations", { headers });
  assert.deepEqual(
    [body.organizations.map(({ id, role, current }: Record<string, unknown>) => [id, role, current]), body.canCreate],
    [[[owner.id, "auditor", true]], false],
  );
  const made = await service.request("POST", "/api/organizations", { headers, body: { name: "Own" } });
  assert.equal(made.body.code, "organization_creation_closed");
  assert.equal(await refused("guest@example.com", token), "invitation_unknown");
  // An owner makes further ones.
  assert.equal((await owner.request("POST", "/api/organizations", { name: "Another" })).status, 200);
});

test("an invitation does not make the first account of an instance", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: "open" } });
  const body = { email: "guest@example.com", password, invitation: "made-up" };
  const answer = await service.request("POST", "/api/auth/sign-up/email", { body });
  assert.equal(answer.body.code, "invitation_unknown");
});

test("emails about an organization go to all its owners, those about a person's sign-in to that person", async (t) => {
  const { service, account: owner, smtp, run, clock } = await createMailBench(t);
  const second = await addPerson(service, owner, "second@example.com", { role: "owner" });
  await addPerson(service, owner, "auditor@example.com", { role: "auditor" });
  const disabled = await addPerson(service, owner, "disabled@example.com", { role: "owner" });
  await service.database.updateTable("person").set({ disabled_at: 1 }).where("id", "=", disabled.id).execute();
  const send = createSendSecurityMail({ hasMail: true });
  for (const account of [owner, second])
    for (const event of ["api_key_created", "password_changed", "identity_linked"] as const)
      await send(service.database, { accountId: accountIdOf(account), event, by: byNobody, occurredAt: clock.now() });
  await run();
  const sent = smtp.emails.map(({ headers, to }) => `${headers.get("subject")}: ${to.toSorted().join(" ")}`);
  assert.deepEqual(sent.toSorted(), [
    "A new API key: owner@example.com second@example.com",
    "A new API key: second@example.com",
    "Another sign-in was linked to your account: owner@example.com",
    "Another sign-in was linked to your account: second@example.com",
    "Your password was changed: owner@example.com",
    "Your password was changed: second@example.com",
  ]);
});

test("owners hear by email of an invitation of an owner, a manager or an auditor", async (t) => {
  const { service, owner, clock } = await start(t);
  const { database } = service;
  // The service itself sends none here.
  const invitations = createInvitations({
    ...{ database, clock, members: createMemberStore(database), organizations: createOrganizationStore(database) },
    ...{ invitations: createInvitationStore(database), addInvitationMail: undefined },
    sendSecurityMail: createSendSecurityMail({ hasMail: true }),
  });
  const id = accountIdOf(owner);
  const acting = { organizationId: id, personId: id, actor: { type: "session", id: "session", personId: id } } as const;
  for (const role of roles) {
    await database.deleteFrom("mail").execute();
    await invitations.create(acting, `new-${role}@example.com`, { role, formIds: undefined });
    const rows = await database.selectFrom("mail").select("details").execute();
    const events = rows.map(({ details }) => JSON.parse(details).event);
    assert.deepEqual(events, role === "reader" || role === "developer" ? [] : ["member_invited"], role);
  }
});

test("an invitation goes to its address by email, with a link and without a name", async (t) => {
  const { service, owner, clock } = await start(t);
  const secretBox = createSecretBox(createSingleRing(new Uint8Array(32)));
  const subject = { kind: "invitation", token: "the-token", address: "guest@example.com" } as const;
  await service.database
    .transaction()
    .execute((transaction) => insertEmails(transaction, accountIdOf(owner), [subject], clock.now(), secretBox));
  const rows = await service.database.selectFrom("mail").select("details").execute();
  assert.ok(!JSON.stringify(rows).includes("the-token"));
  const claimed = await createMailStore(service.database, secretBox).claim(clock.now(), 10);
  assert.deepEqual(
    claimed.map(({ addresses, mail }) => [addresses, mail.subject]),
    [[["guest@example.com"], subject]],
  );
  const { text } = writeMail(await languages[0].load.mail(), subject, "https://forms.example.com", "");
  assert.ok(text.includes("https://forms.example.com/invitation#the-token\n"));
});

test("a manager's invitation ends none of an owner's for the same address", async (t) => {
  const { service, owner, accept } = await start(t);
  const form = await createForm(owner, {});
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const guest = await service.signUp("guest@example.com");
  const token = await invite(owner, "guest@example.com", { role: "owner" });
  const body = { email: "guest@example.com", role: "reader", forms: [form] };
  const refused = await manager.request("POST", "/api/invitations", body);
  assert.deepEqual([refused.status, refused.body.code], [403, "role_above"]);
  assert.equal(await accept(guest, token), 200);
});

test("an invitation of somebody who was removed is not shown, not found, and makes no account", async (t) => {
  const { service, owner, signUp } = await start(t, { SEALPOST_SIGNUP: "first" });
  const second = await signUp("second@example.com", await invite(owner, "second@example.com", { role: "owner" }));
  const cookie = second.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const headers = { cookie, origin: service.url };
  const body = { email: "guest@example.com", role: "owner" };
  const made = await service.request("POST", "/api/invitations", { headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const token = String(made.body.url).split("#")[1];
  const { members } = (await owner.request("GET", "/api/members")).body;
  const { id } = members.find(({ email }: { email: string }) => email === "second@example.com");
  assert.equal((await owner.request("DELETE", `/api/members/${id}`)).status, 200);
  assert.equal((await owner.request("GET", "/api/invitations")).body.total, 0);
  assert.equal((await service.request("POST", "/api/invitations/find", { body: { token } })).status, 400);
  assert.equal((await signUp("guest@example.com", token)).body.code, "invitation_unknown");
  const accounts = await service.database.selectFrom("person").select("email").execute();
  assert.ok(accounts.every(({ email }) => email !== "guest@example.com"));
});

test("an invitation is accepted, and members are changed, with a verified address alone; until then it stays", async (t) => {
  const { service, owner, accept } = await start(t);
  const guest = await service.signUp("guest@example.com");
  const token = await invite(owner, "guest@example.com", { role: "owner" });
  const setTo = (verification: string) =>
    service.database.updateTable("person").set({ verification }).where("id", "=", guest.id).execute();
  await setTo("needed");
  assert.equal(await accept(guest, token), "403 email_unverified");
  await setTo("trusted");
  assert.equal(await accept(guest, token), 200);
  await switchTo(guest, owner.id);
  await setTo("needed");
  for (const method of ["PATCH", "DELETE"])
    assert.equal(
      (await guest.request(method, `/api/members/${owner.id}`, method === "PATCH" ? { role: "auditor" } : undefined))
        .body.code,
      "email_unverified",
    );
});

test("one address gets three invitations a day by email, from all organizations together; those beyond are links alone", async (t) => {
  const { service, clock } = await start(t);
  const { database } = service;
  const sent: string[] = [];
  const invitations = createInvitations({
    ...{ database, clock, members: createMemberStore(database), organizations: createOrganizationStore(database) },
    invitations: createInvitationStore(database),
    addInvitationMail: async (_transaction, { email }) => void sent.push(email),
    sendSecurityMail: async () => {},
  });
  const mailed: boolean[] = [];
  for (let number = 0; number < 5; number++) {
    const inviter = await service.signUp(`inviter-${number}@example.com`);
    assert.equal((await inviter.request("GET", "/api/members")).status, 200);
    const id = accountIdOf(inviter);
    const acting = {
      organizationId: id,
      personId: id,
      actor: { type: "session", id: "session", personId: id },
    } as const;
    const grant = { role: "auditor", formIds: undefined } as const;
    mailed.push((await invitations.create(acting, "guest@example.com", grant)).isMailed);
  }
  assert.deepEqual(mailed, [true, true, true, false, false]);
  assert.equal(sent.length, 3);
});

test("nobody comes to own more than fifty organizations by an invitation or by another role, nor makes more than fifty", async (t) => {
  const { service, owner, accept } = await start(t);
  const { database } = service;
  const member = await addPerson(service, owner, "member@example.com", { role: "auditor" });
  const other = await service.signUp("other@example.com");
  const token = await invite(other, "member@example.com", { role: "owner" });
  await database.transaction().execute(async (transaction) => {
    for (let number = 0; number < 49; number++) {
      const id = createId("account");
      const countsFor = accountIdOf(owner);
      const organization = { id, name: "One", plan: "free", createdAt: 0, countsFor } as const;
      await createOrganizationStore(database).create(transaction, organization);
      const membership = {
        organizationId: id,
        personId: accountIdOf(member),
        role: "owner",
        formIds: undefined,
        since: 1,
        addedBy: undefined,
      } as const;
      await createMemberStore(database).add(transaction, membership, { madeBy: undefined, at: 1 });
    }
  });
  assert.equal(await accept(member, token), "409 too_many_organizations");
  const changed = await owner.request("PATCH", `/api/members/${member.id}`, { role: "owner" });
  assert.deepEqual([changed.status, changed.body.code], [409, "too_many_organizations"]);
  // They make one all the same: others have made them an owner of those.
  assert.equal((await member.request("POST", "/api/organizations", { name: "Own" })).status, 200);
  await database.deleteFrom("organization").where("name", "=", "Own").execute();
  // Several at one moment count each other: of these, one has room.
  await switchTo(member, member.id);
  const { body } = await member.request("GET", "/api/organizations");
  const spare = body.organizations.find(({ id }: { id: string }) => id !== member.id && id !== owner.id).id;
  await database.deleteFrom("member").where("organization_id", "=", spare).execute();
  const create = async () => (await member.request("POST", "/api/organizations", { name: "One more" })).status;
  const promote = async () => (await owner.request("PATCH", `/api/members/${member.id}`, { role: "owner" })).status;
  const both = await Promise.all([accept(member, token), promote()]);
  assert.equal(both.filter((answer) => answer === 200).length, 1, String(both));
  // With their own one, 49 count for them: they make one more.
  await database
    .updateTable("organization")
    .set({ counts_for: member.id })
    .where("name", "=", "One")
    .where("id", "<>", spare)
    .execute();
  const made = await Promise.all([create(), create()]);
  assert.deepEqual(made.toSorted(), [200, 409]);
});

test("an organization is made for a person who is there and not disabled at that moment", async (t) => {
  const { service, owner } = await start(t);
  const { database } = service;
  const store = createOrganizationStore(database);
  const other = await owner.request("POST", "/api/organizations", { name: "Without a person" });
  const lock = (id: string) =>
    database.transaction().execute((transaction) => store.lockPerson(transaction, id as AccountId));
  assert.equal(await lock(owner.id), true);
  assert.equal(await lock(other.body.organization.id), false);
  assert.equal(await lock(createId("account")), false);
  await database.updateTable("person").set({ disabled_at: 1 }).where("id", "=", owner.id).execute();
  assert.equal(await lock(owner.id), false);
});

test("of somebody whose invitation ends while they sign up, no account stays", async (t) => {
  let meanwhile = async () => {};
  const service = await createTestService(t, {
    environment: { SEALPOST_SIGNUP: "first" },
    passwords: {
      hash: async (text) => {
        await meanwhile();
        return `hashed ${text}`;
      },
      verify: async ({ hash, password: text }) => hash === `hashed ${text}`,
    },
  });
  const owner = await service.signUp("owner@example.com");
  const body = { email: "guest@example.com", password };
  const signUp = async (invitation: string) =>
    service.request("POST", "/api/auth/sign-up/email", { body: { ...body, invitation } });
  const token = await invite(owner, "guest@example.com", { role: "auditor" });
  const { invitations } = (await owner.request("GET", "/api/invitations")).body;
  meanwhile = async () => void (await owner.request("DELETE", `/api/invitations/${invitations[0].id}`));
  const refused = await signUp(token);
  assert.deepEqual([refused.status, refused.body.code], [400, "invitation_unknown"]);
  assert.deepEqual(refused.headers.getSetCookie(), []);
  for (const table of ["person", "session", "credential"] as const)
    assert.equal((await service.database.selectFrom(table).select("id").execute()).length, 1, table);
  meanwhile = async () => {};
  assert.equal((await signUp(await invite(owner, "guest@example.com", { role: "auditor" }))).status, 200);
});

test("no character that is not seen, or turns text around, is in an organization's name or an invited address", async (t) => {
  const { owner } = await start(t);
  for (const mark of ["\u202e", "\u2066", "\u2028"]) {
    assert.equal((await owner.request("PATCH", "/api/organization", { name: `One${mark}Two` })).status, 400);
    const body = { email: `one${mark}two@example.com`, role: "auditor" };
    assert.equal((await owner.request("POST", "/api/invitations", body)).status, 400);
  }
  assert.equal(
    (await owner.request("POST", "/api/invitations", { email: "a\u200bb@example.com", role: "auditor" })).status,
    400,
  );
});

test("the address of an invitation goes thirty days after it has expired, and not before", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp();
  await owner.request("POST", "/api/invitations", { email: "guest@example.com", role: "auditor" });
  const invitations = createInvitationStore(service.database);
  const days = (count: number) => Date.now() + count * 86_400_000;
  const addresses = () => service.database.selectFrom("invitation").select("email").execute();
  assert.equal(await invitations.removeOld(days(36)), false);
  assert.equal((await addresses()).length, 1);
  assert.equal(await invitations.removeOld(days(38)), true);
  assert.deepEqual(await addresses(), []);
});
