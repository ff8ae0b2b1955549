import assert from "node:assert/strict";
import { test } from "node:test";
import { generatePersonalKey, type NewMember } from "@sealpost/envelope";
import { languages } from "@sealpost/texts";
import { createId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createFounder, fetchList, signEntry, toProgram } from "../organizations/testing/test-member-list.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import {
  perDayOf,
  personEvents,
  type SecurityEvent,
  securityEmailsPerDay,
  securityEvents,
  signInEmailsPerDay,
} from "./mail.ts";
import { byNobody, createSendSecurityMail } from "./security-mail-store.ts";
import { writeSecurityMail } from "./security-mail-text.ts";
import { accountIdOf, baseUrl, createMailBench } from "./testing/mail-bench.ts";

const day = dayMilliseconds;

test("a new API key is announced by email, without its name, also to owners who opted out of emails", async (t) => {
  const { service, account, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  await account.request("PUT", "/api/notifications", { mail: false });
  const created = await account.request("POST", "/api/api-keys", { name: "Canary" });
  assert.equal(created.status, 200);
  await run();
  const mail = await smtp.next();
  assert.deepEqual([mail.to, mail.headers.get("subject")], [["owner@example.com"], "A new API key"]);
  assert.match(mail.text, new RegExp(`^${baseUrl}/api-keys$`, "m"));
  assert.doesNotMatch(mail.raw + mail.text, /canary|List-Unsubscribe/i);
  assert.ok(!(mail.raw + mail.text).includes(created.body.key.prefix));
  // A request that is refused tells nothing.
  for (let index = 0; index < 4; index++) await account.request("POST", "/api/api-keys", { name: `Key ${index}` });
  const refused = await account.request("POST", "/api/api-keys", { name: "One too many" });
  assert.equal(refused.status, 400);
  const { length } = await service.database.selectFrom("mail").selectAll().where("kind", "=", "security").execute();
  assert.equal(length, 5);
});

test("what `forms:write` may do by the interface is mailed to the owner, and other changes are not", async (t) => {
  const { service, account, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const formId = await createForm(account, { encryption: false }, "Canary");
  const { key } = (await account.request("POST", "/api/api-keys", { name: "K", permissions: ["forms:write"] })).body
    .key;
  const url = "https://canary.example.com/hook";
  const change = async (method: string, path: string, body?: object) => {
    const answer = await service.request(method, `/api/forms/${formId}${path}`, { token: key, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await run();
  };
  // The service has a worker too, so that what is sent may still be on its way when `run` finds nothing more to do.
  const expectNext = async (subject: string, words = /./) => {
    const { headers, raw, text } = await smtp.next();
    assert.equal(headers.get("subject"), subject);
    assert.match(text, words);
    assert.doesNotMatch(raw + text, /canary|List-Unsubscribe/i);
  };
  await run();
  await expectNext("A new API key");
  await change("PATCH", "", { settings: { webhookUrl: url } });
  await expectNext("A form's webhook address was changed", /sends its events to another address since/);
  await change("PATCH", "", { settings: { webhookUrl: url } });
  await change("PATCH", "", { settings: { webhookUrl: null } });
  await expectNext("A form's webhook was switched off", /sends its events nowhere since/);
  await change("PATCH", "", { settings: { encryption: true } });
  await expectNext("A form's encryption was changed");
  await change("PATCH", "", { name: "Canary 2", settings: { submissionsPerHour: 60 } });
  const { publicKey } = takeKeyPair();
  await change("POST", "/rotate-keys", { publicKey });
  await expectNext("A form has a new key pair");
  await change("DELETE", "?confirm=DELETE_FORM");
  await expectNext("A form was deleted");
  assert.equal(smtp.emails.length, 6, "and none of anything else");
});

test("owners hear by email that a signed list of members was begun, that a recovery key was added, and of every other entry", async (t) => {
  const { service, account, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const owner = await createFounder(service, account);
  await run();
  const expectNext = async (subject: string, words: RegExp) => {
    const { headers, to, text } = await smtp.next();
    assert.deepEqual([headers.get("subject"), to], [subject, ["owner@example.com"]]);
    assert.match(text, words);
  };
  await expectNext("Your organization's signed list of members was begun", /somebody else has that owner's session/);
  const add = async (member: NewMember) => {
    const list = await fetchList(owner);
    await owner.client.memberList.add(await signEntry(owner, list, { change: "add", member }), list.head);
    await run();
  };
  const { recipient } = await generatePersonalKey();
  const recovery = { id: createId("account"), name: "Sheets", role: "recovery", recipient, signingKey: null } as const;
  await add(recovery);
  await expectNext("Your organization has a new recovery key", /can read everything that is sealed/);
  await add(toProgram(createId("account"), await generatePersonalKey()));
  await expectNext("The signed list of members was changed", /An entry was added/);
});

test("who signs up with somebody else's address sends them nothing by changing the password, until it is verified", async (t) => {
  const { service, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const email = "victim@example.com";
  const passwords = ["correct horse battery", "another horse battery", "a third horse battery"] as const;
  const signUp = { name: "V", email, password: passwords[0] };
  let answer = await service.request("POST", "/api/auth/sign-up/email", { body: signUp });
  const change = async (currentPassword: string, newPassword: string) => {
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const headers = { cookie, origin: service.url };
    const body = { currentPassword, newPassword };
    answer = await service.request("POST", "/api/auth/change-password", { headers, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await run();
  };
  // The service has a worker too: what it is sending is not there yet when `run` finds nothing more to do.
  const next = async () => (await smtp.next()).headers.get("subject");
  assert.equal(await next(), "Verify your email address");
  await change(passwords[0], passwords[1]);
  await service.database.updateTable("person").set({ verification: "trusted" }).where("email", "=", email).execute();
  await change(passwords[1], passwords[2]);
  assert.equal(await next(), "Your password was changed");
  assert.equal(smtp.emails.length, 2, "of two changes of the password, one was mailed");
});

test("beyond a bound security emails are combined into one an hour, and none is dropped", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const send = createSendSecurityMail({ hasMail: true });
  const accountId = accountIdOf(account);
  const tell = (event: "api_key_created" | "form_deleted" | "personal_key_made") =>
    send(service.database, { accountId, event, by: byNobody, occurredAt: clock.now() });
  for (let index = 0; index < securityEmailsPerDay + 3; index++) await tell("api_key_created");
  await tell("form_deleted");
  await run();
  assert.equal(smtp.emails.length, securityEmailsPerDay);
  for (let index = 0; index < securityEmailsPerDay; index++)
    assert.equal((await smtp.next()).headers.get("subject"), "A new API key");
  // Keys that are rotated to bury the rest count as well.
  const formId = await createForm(account, {});
  const rotation = { accountId, formId, event: "keys_rotated", occurredAt: clock.now(), keyVersion: 2 } as const;
  await send(service.database, { ...rotation, by: byNobody });
  await run();
  assert.equal(smtp.emails.length, securityEmailsPerDay);
  clock.advance(hourMilliseconds + 60_000);
  await run();
  const gathered = await smtp.next();
  assert.equal(gathered.headers.get("subject"), "5 more changes to your account");
  for (const line of ["3 × API keys made", "1 × forms deleted", "1 × forms with a new key pair"])
    assert.match(gathered.text, new RegExp(`^  ${line}$`, "m"));
  assert.doesNotMatch(gathered.raw, /form_|List-Unsubscribe/);
  assert.deepEqual(await service.database.selectFrom("mail_gathered").selectAll().execute(), []);
  clock.advance(day);
  await tell("form_deleted");
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "A form was deleted", "a day later there is room again");

  // Emails about a sign-in are for its person, alone or combined, also where they own no organization.
  await service.database.updateTable("member").set({ role: "manager" }).execute();
  for (let index = 0; index < securityEmailsPerDay + 1; index++) await tell("personal_key_made");
  await tell("form_deleted");
  await run();
  clock.advance(hourMilliseconds + 60_000);
  await run();
  for (let index = 0; index < securityEmailsPerDay; index++)
    assert.match((await smtp.next()).headers.get("subject") ?? "", /key/);
  assert.match((await smtp.next()).text, /^ {2}1 × /m);
  assert.equal(smtp.emails.length, 2 * securityEmailsPerDay + 3, "what is for owners goes to owners alone");
});

test("every change of a person's own sign-in is announced at once, whatever else happened to them and to their organization", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const send = createSendSecurityMail({ hasMail: true });
  const accountId = accountIdOf(account);
  const tell = (event: Exclude<SecurityEvent, "keys_rotated">) =>
    send(service.database, { accountId, event, by: byNobody, occurredAt: clock.now() });
  for (let index = 0; index < securityEmailsPerDay + 2; index++) {
    await tell("webhook_url_changed");
    await tell("key_copy_added");
  }
  const before = 2 * securityEmailsPerDay;
  const signInEvents = personEvents.filter((event) => perDayOf(event) === signInEmailsPerDay);
  for (const event of signInEvents) await tell(event);
  await run();
  assert.equal(smtp.emails.length, before + signInEvents.length);
  // A control: they are bounded as well, each having been announced.
  for (let index = 0; index < signInEmailsPerDay; index++) await tell("password_changed");
  await run();
  assert.equal(smtp.emails.length, securityEmailsPerDay + signInEmailsPerDay);
  // Nobody leaves one out: each event that names a way to sign in is among them.
  const ways = personEvents.filter((one) =>
    /^(?:password|second_factor|backup|identity|passkey|sessions|account)_/.test(one),
  );
  assert.deepEqual(signInEvents.toSorted(), ways.toSorted());
});

test("a mail that tells of a form's change is sent although the form was deleted right after it", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const formId = await createForm(account, {}, "Canary");
  await createSendSecurityMail({ hasMail: true })(service.database, {
    accountId: accountIdOf(account),
    event: "webhook_url_changed",
    by: byNobody,
    occurredAt: clock.now(),
    formId: formId,
  });
  await account.request("DELETE", `/api/forms/${formId}?confirm=DELETE_FORM`);
  await run();
  const mail = await smtp.next();
  assert.equal(mail.headers.get("subject"), "A form's webhook address was changed");
  assert.match(mail.text, new RegExp(`^${baseUrl}/forms/${formId}/webhook$`, "m"));
  assert.doesNotMatch(mail.raw + mail.text, /canary/i);
});

test("every security mail says what happened and what to do, and names nobody and nothing", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const events = securityEvents.filter((event) => event !== "keys_rotated");
  for (const [index, event] of events.entries()) {
    await createSendSecurityMail({ hasMail: true })(service.database, {
      accountId: accountIdOf(account),
      event,
      by: byNobody,
      occurredAt: clock.now(),
      count: 2,
    });
    // There are more kinds than emails that a day has room for.
    if (index % securityEmailsPerDay !== securityEmailsPerDay - 1) continue;
    await run();
    clock.advance(day + 1);
  }
  await run();
  const subjects = new Set<string | undefined>();
  for (const _event of events) {
    const { headers, text, raw } = await smtp.next();
    subjects.add(headers.get("subject"));
    assert.match(text, /\nThis notice can't be switched off\.\n$/);
    assert.doesNotMatch(text, /undefined|NaN|owner@example/);
    assert.doesNotMatch(raw, /^List-/m);
  }
  assert.equal(subjects.size, events.length);
});

test("the email about members changed from a moved account names each with the role before and now, and says how many it leaves out", async () => {
  const members = [
    { address: "a@example.com", before: "owner", now: null },
    { address: "b@example.com", before: null, now: "manager" },
    { address: "c@example.com", before: "reader", now: "reader" },
  ] as const;
  const moved = { address: "moved@example.com", since: 0, members, more: 5 };
  const subject = { kind: "security", event: "member_move_undone", occurredAt: day, formId: undefined } as const;
  const { text } = writeSecurityMail(await languages[0].load.mail(), { ...subject, count: undefined, moved }, baseUrl);
  for (const line of [
    "  a@example.com: was owner, is no member now",
    "  b@example.com: was no member, is manager now",
    "  c@example.com: still reader, with other forms",
    "  and 5 more: the audit log has every change",
  ])
    assert.ok(text.includes(`\n${line}\n`), text);
  assert.match(text, /account of moved@example\.com, .* took it back on January 2, 1970 at 00:00 UTC/s);
  assert.match(text, new RegExp(`^${baseUrl}/members$`, "m"));
});
