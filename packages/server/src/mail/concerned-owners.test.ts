import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { invite, switchTo } from "../organizations/testing/test-organization.ts";
import { onEither } from "../testing/test-database.ts";
import type { TestAccount, TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { organizationEvents, securityEmailsPerDay } from "./mail.ts";
import { byNobody, createSendSecurityMail } from "./security-mail-store.ts";
import { accountIdOf, createMailBench, type MailBench } from "./testing/mail-bench.ts";

/** Another owner, whose address is verified. */
async function addOwner(service: TestService, inviter: TestAccount, email: string): Promise<TestAccount> {
  const person = await service.signUp(email);
  await service.database
    .updateTable("person")
    .set({ verification: "trusted", email_verified: sql`(1 = 1)` })
    .where("email", "=", email)
    .execute();
  const token = await invite(inviter, email, { role: "owner" });
  const accepted = await person.request("POST", "/api/invitations/accept", { token });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  await switchTo(person, accepted.body.organizationId);
  return person;
}

/** Sends all that is due, by whatever worker has it. Returns how many emails came until then. */
async function settle({ service, smtp, run }: MailBench): Promise<number> {
  const findLeft = () =>
    service.database
      .selectFrom("mail")
      .select("id")
      .where("finished_at", "is", null)
      .where("kind", "<>", "security_gathered")
      .executeTakeFirst();
  do {
    await run();
    await setTimeout(20);
  } while ((await findLeft()) !== undefined);
  return smtp.emails.length;
}

/** How somebody ceases to be an owner right after what the emails are about, and the subject of the email that says so to them. */
const ends = {
  "is removed": {
    end: (by: TestAccount, id: string) => by.request("DELETE", `/api/members/${id}`),
    heard: "You are no longer a member of an organization",
  },
  "gets another role": {
    end: (by: TestAccount, id: string) => by.request("PATCH", `/api/members/${id}`, { role: "manager" }),
    heard: "You are no longer an owner of an organization",
  },
  leaves: {
    end: (_by: TestAccount, _id: string, self: TestAccount) => self.request("POST", "/api/members/leave"),
    heard: undefined,
  },
};

for (const [how, { end, heard }] of Object.entries(ends))
  test(
    `an owner who ${how} hears of all that was done before, alone or combined, and of the end`,
    onEither,
    async (t) => {
      const bench = await createMailBench(t, { isServiceMailing: true });
      const { service, account, clock, smtp } = bench;
      const [earlier, later] = ["earlier@example.com", "later@example.com"];
      const gone = await addOwner(service, account, earlier);
      const other = await addOwner(service, account, later);
      const formId = await createForm(account, {});
      assert.equal((await end(account, gone.id, gone)).status, 200);
      const from = await settle(bench);
      const send = createSendSecurityMail({ hasMail: true });
      const accountId = accountIdOf(account);
      for (const event of organizationEvents) {
        const occurredAt = clock.now();
        if (event === "keys_rotated")
          await send(service.database, { accountId, event, by: byNobody, occurredAt, formId, keyVersion: 2 });
        else await send(service.database, { accountId, event, by: byNobody, occurredAt });
      }
      assert.equal((await end(account, other.id, other)).status, 200);
      await settle(bench);
      clock.advance(2 * hourMilliseconds);
      await settle(bench);
      const subjectsOf = (address: string) =>
        smtp.emails
          .slice(from)
          .filter(({ to }) => to.includes(address))
          .map(({ headers }) => headers.get("subject"));
      const ofAll = subjectsOf("owner@example.com");
      assert.ok(
        ofAll.some((subject) => subject?.includes("more changes")),
        `${ofAll}`,
      );
      assert.deepEqual(
        ofAll.filter((subject) => !subjectsOf(later).includes(subject)),
        [],
      );
      const ofEnd = subjectsOf(later).filter((subject) => subject?.startsWith("You are no longer"));
      assert.deepEqual(ofEnd, heard === undefined ? [] : [heard]);
      // Who was no owner any more hears of none of it, and nobody of what comes afterwards.
      assert.deepEqual(subjectsOf(earlier), []);
      const before = subjectsOf(later).length;
      await send(service.database, { accountId, event: "plan_changed", by: byNobody, occurredAt: clock.now() });
      await settle(bench);
      assert.equal(subjectsOf(later).length, before);
    },
  );

/** Owners of the organization, without a request for each. */
async function insertOwners(service: TestService, account: TestAccount, emails: readonly string[], since: number) {
  const people: TestAccount[] = [];
  for (const email of emails) people.push(await service.signUp(email));
  const member = { organization_id: account.id, role: "owner", since, form_ids: "[]" };
  await service.database
    .insertInto("member")
    .values(people.map(({ id }) => ({ ...member, person_id: id, added_by: null, unproven_address: null })))
    .execute();
  await service.database
    .updateTable("person")
    .set({ verification: "trusted", email_verified: sql`(1 = 1)` })
    .where("email", "in", emails)
    .execute();
  return people;
}

test("an owner who is removed gets what waits as an email of their own, with nothing that was done or counted afterwards, and no address of anybody", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, clock, smtp } = bench;
  const [gone, newcomer] = ["gone@example.com", "newcomer@example.com"];
  const [former] = await insertOwners(service, account, [gone], clock.now());
  const send = createSendSecurityMail({ hasMail: true });
  const accountId = accountIdOf(account);
  const tell = async (count: number) => {
    for (let index = 0; index < count; index++)
      await send(service.database, { accountId, event: "api_key_created", by: byNobody, occurredAt: clock.now() });
  };
  await tell(securityEmailsPerDay + 3);
  assert.equal((await account.request("DELETE", `/api/members/${former?.id}`)).status, 200);
  await insertOwners(service, account, [newcomer], clock.now());
  await tell(40);
  clock.advance(2 * hourMilliseconds);
  await settle(bench);
  const counts = (address: string) =>
    smtp.emails
      .filter(({ to, headers }) => to.includes(address) && headers.get("subject")?.includes("more changes"))
      .map(({ text }) => /(\d+) × API keys made/.exec(text)?.[1] ?? text);
  const own = smtp.emails.filter(({ to }) => to.includes(gone));
  assert.deepEqual(new Set(own.flatMap(({ to }) => to)), new Set([gone]));
  assert.ok(own.every(({ raw, text }) => !`${raw}${text}`.includes(newcomer)));
  assert.equal(own.filter(({ headers }) => headers.get("subject") === "A new API key").length, securityEmailsPerDay);
  assert.deepEqual([counts(gone), counts(newcomer)], [["3"], ["43"]]);
});

test(
  "each of many owners who are removed while an email waits gets it, and it puts off none of the others",
  onEither,
  async (t) => {
    const bench = await createMailBench(t);
    const { service, account, clock, smtp } = bench;
    const emails = Array.from({ length: 25 }, (_, index) => `owner${index}@example.com`);
    const people = await insertOwners(service, account, emails, clock.now());
    const send = createSendSecurityMail({ hasMail: true });
    const tell = () =>
      send(service.database, {
        ...{ accountId: accountIdOf(account), event: "api_key_created" },
        ...{ by: byNobody, occurredAt: clock.now() },
      });
    await tell();
    for (const { id } of people) assert.equal((await account.request("DELETE", `/api/members/${id}`)).status, 200);
    await tell();
    await settle(bench);
    const heard = smtp.emails.filter(({ headers }) => headers.get("subject") === "A new API key").map(({ to }) => to);
    const sorted = (all: readonly string[]) => all.toSorted();
    assert.deepEqual(sorted(heard.flat()), sorted(["owner@example.com", "owner@example.com", ...emails]));
    assert.ok(heard.every((to) => to.length === 1));
  },
);

test("a founder who is removed, and gets another id with it, hears of what was done before", onEither, async (t) => {
  const bench = await createMailBench(t, { isServiceMailing: true });
  const { service, account, clock, smtp } = bench;
  const other = await addOwner(service, account, "other@example.com");
  const from = await settle(bench);
  const send = createSendSecurityMail({ hasMail: true });
  await send(service.database, {
    accountId: accountIdOf(account),
    event: "api_key_created",
    by: byNobody,
    occurredAt: clock.now(),
  });
  assert.equal((await other.request("DELETE", `/api/members/${account.id}`)).status, 200);
  await settle(bench);
  const received = smtp.emails.slice(from).filter(({ to }) => to.includes("owner@example.com"));
  assert.deepEqual(received.map(({ headers }) => headers.get("subject")).toSorted(), [
    "A new API key",
    "You are no longer a member of an organization",
  ]);
});

test(
  "keys that are rotated right before a form is handed over or deleted are announced to those who had it",
  onEither,
  async (t) => {
    const bench = await createMailBench(t, { isServiceMailing: true });
    const { service, account, smtp } = bench;
    const colleague = "colleague@example.com";
    await addOwner(service, account, colleague);
    const { id: to } = (await account.request("POST", "/api/organizations", { name: "Another" })).body.organization;
    const acts = [
      (form: string) => account.request("POST", `/api/forms/${form}/hand-over`, { organizationId: to }),
      (form: string) => account.request("DELETE", `/api/forms/${form}?confirm=DELETE_FORM`),
    ];
    for (const act of acts) {
      const from = await settle(bench);
      const form = await createForm(account, {});
      const { publicKey } = takeKeyPair();
      assert.equal((await account.request("POST", `/api/forms/${form}/rotate-keys`, { publicKey })).status, 200);
      assert.equal((await act(form)).status, 200);
      await settle(bench);
      const heard = smtp.emails
        .slice(from)
        .filter(({ headers }) => headers.get("subject") === "A form has a new key pair");
      assert.deepEqual(
        heard.map((email) => email.to.includes(colleague)),
        [true],
      );
    }
  },
);

test(
  "all owners of an organization get its security emails, however many they are, in emails that mail servers take",
  onEither,
  async (t) => {
    const bench = await createMailBench(t);
    const { service, account, clock, smtp } = bench;
    const colleagues = [await service.signUp("first@example.com")];
    for (let index = 0; index < 23; index++) colleagues.push(await service.signUp(`owner${index}@example.com`));
    const since = clock.now();
    const members = colleagues.map(({ id }) => ({ organization_id: account.id, person_id: id, role: "owner", since }));
    await service.database
      .insertInto("member")
      .values(members.map((one) => ({ ...one, form_ids: "[]", added_by: null, unproven_address: null })))
      .execute();
    const send = createSendSecurityMail({ hasMail: true });
    await send(service.database, {
      accountId: accountIdOf(account),
      event: "api_key_created",
      by: byNobody,
      occurredAt: clock.now(),
    });
    await settle(bench);
    assert.deepEqual(
      smtp.emails.map(({ to }) => to.length).toSorted((one, two) => one - two),
      [5, 20],
    );
    assert.equal(new Set(smtp.emails.flatMap(({ to }) => to)).size, 25);
  },
);
