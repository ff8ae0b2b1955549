import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createForm, pair, postPlain, sealSubmission, webhookUrl } from "../forms/testing/test-form.ts";
import { sealedPrefix } from "../instance/secret-box.ts";
import type { TestAccount, TestService } from "../testing/test-service.ts";
import { byNobody, createSendSecurityMail } from "./security-mail-store.ts";
import { accountIdOf, baseUrl, createMailBench } from "./testing/mail-bench.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** With the email that a service queues which sends emails: that of the bench sends none. */
async function rotate(service: TestService, account: TestAccount, formId: string, occurredAt: number): Promise<void> {
  const { publicKey } = takeKeyPair();
  assert.equal((await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey })).status, 200);
  const about = { formId: formId as FormId, keyVersion: 2 }; // as the service answered it
  const mail = { accountId: accountIdOf(account), event: "keys_rotated", occurredAt, ...about } as const;
  await createSendSecurityMail({ hasMail: true })(service.database, { ...mail, by: byNobody });
}

test("the first submission is announced at once, those that follow within the hour in one email after it", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const formId = await createForm(account, { encryption: false });
  const other = await createForm(account, { encryption: false });
  await run();
  assert.equal(smtp.emails.length, 0, "nothing to tell");
  await postPlain(service, formId);
  await run();
  const first = await smtp.next();
  assert.deepEqual([first.from, first.to], ["forms@example.com", ["owner@example.com"]]);
  assert.equal(first.headers.get("subject"), "1 new submission");
  for (let index = 0; index < 3; index++) await postPlain(service, formId);
  clock.advance(hour - 1);
  await run();
  assert.equal(smtp.emails.length, 1, "an hour is not over");
  await postPlain(service, other);
  await run();
  assert.match(
    (await smtp.next()).text,
    new RegExp(`${baseUrl}/forms/${other}`),
    "another form has an hour of its own",
  );
  clock.advance(1);
  await run();
  const second = await smtp.next();
  assert.equal(second.headers.get("subject"), "3 new submissions");
  assert.equal(second.headers.get("list-id"), first.headers.get("list-id"));
  assert.notEqual(second.headers.get("message-id"), first.headers.get("message-id"));
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, 3);
});

test("a mail says that something came, never what: no content, no field, no form's name", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const name = "Canary Name <x@evil.example>, Bcc: y@evil.example";
  const plain = await createForm(account, { encryption: false, webhookUrl }, name);
  const sealed = await createForm(account, { webhookUrl }, "CanaryName two");
  await postPlain(service, plain, { canaryField: "canary-value", "Bcc: z@evil.example\r\n": "canary-value" });
  const posted = await sealSubmission(sealed);
  await service.request("POST", `/api/forms/${sealed}/submissions`, { body: posted });
  await rotate(service, account, sealed, clock.now());
  await service.database.updateTable("webhook").set({ failing_since: clock.now() }).execute();
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, 6, "submissions and webhook of both, keys of one, which nobody has proved");
  for (const { raw, headers, to, text } of smtp.emails) {
    const decoded = `${raw}\n${text}`;
    for (const canary of [/canary/i, /evil/i, /bcc:/i, /example\.com\/sealpost/, /sub_/, pair.publicKey.n])
      assert.doesNotMatch(decoded, new RegExp(canary), String(canary));
    assert.ok(!decoded.includes(posted.payload.data));
    assert.deepEqual(to, ["owner@example.com"]);
    assert.equal(headers.get("auto-submitted"), "auto-generated");
    assert.match(headers.get("content-type") ?? "", /^text\/plain; charset=utf-8/);
    assert.deepEqual(
      [...headers.keys()].toSorted(),
      [
        ...["auto-submitted", "content-transfer-encoding", "content-type", "date", "from", "list-archive", "list-id"],
        ...(headers.has("list-unsubscribe") ? ["list-unsubscribe", "list-unsubscribe-post"] : []),
        ...["message-id", "mime-version", "subject", "to", "x-auto-response-suppress"],
      ],
      "and no other",
    );
  }
  // Nor does the queue hold any of it.
  const rows = JSON.stringify(await service.database.selectFrom("mail").selectAll().execute());
  assert.doesNotMatch(rows, /canary|evil/i);
});

test("emails about a form can be switched off, except the one about its keys", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const path = `/api/forms/${formId}/notifications`;
  assert.deepEqual((await account.request("GET", path)).body, { mail: true, available: false });
  await postPlain(service, formId);
  assert.deepEqual((await account.request("PUT", path, { mail: false })).body, { mail: false, available: false });
  assert.deepEqual((await account.request("GET", path)).body, { mail: false, available: false });
  await service.database
    .updateTable("webhook")
    .set({ failing_since: clock.now() - day })
    .execute();
  await run();
  assert.equal(smtp.emails.length, 0);
  await rotate(service, account, formId, clock.now());
  await run();
  const about = await smtp.next();
  assert.equal(about.headers.get("subject"), "A form has a new key pair");
  assert.match(about.text, /version 2/);
  await service.database.updateTable("webhook").set({ failing_since: null }).execute();
  await account.request("PUT", path, { mail: true });
  await run();
  assert.equal(smtp.emails.length, 1, "submissions of the meantime are not announced later");
  await postPlain(service, formId);
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "1 new submission");
  const { status } = await account.request("PUT", path, { mail: "yes" });
  assert.equal(status, 400);
});

test("an account switches off the emails about all of its forms at once, and no other account's", async (t) => {
  const { service, account, smtp, run } = await createMailBench(t);
  const other = await service.signUp("other@example.com");
  const forms = [await createForm(account, { encryption: false }), await createForm(account, { encryption: false })];
  const foreign = await createForm(other, { encryption: false });
  await run();
  const path = "/api/notifications";
  assert.deepEqual((await account.request("GET", path)).body, { mail: true, available: false, storage: true });
  assert.deepEqual((await account.request("PUT", path, { mail: false })).body, {
    mail: false,
    available: false,
    storage: true,
  });
  assert.deepEqual((await account.request("GET", path)).body, { mail: false, available: false, storage: true });
  for (const formId of [...forms, foreign]) await postPlain(service, formId);
  await run();
  assert.deepEqual(
    smtp.emails.map(({ to }) => to),
    [["other@example.com"]],
  );
  await account.request("PUT", path, { mail: true });
  await run();
  assert.equal(smtp.emails.length, 1, "submissions of the meantime are not announced later");
  await postPlain(service, forms[0] ?? "");
  await run();
  assert.equal(smtp.emails[1]?.headers.get("subject"), "1 new submission");
});

test("of several processes one sends each email, and a form's emails come once", async (t) => {
  const { service, account, smtp, createWorker } = await createMailBench(t);
  const forms = await Promise.all(Array.from({ length: 6 }, () => createForm(account, { encryption: false })));
  for (const formId of forms) await postPlain(service, formId);
  await Promise.all([1, 2, 3].map(() => createWorker().run()));
  const notified = smtp.emails.map(({ headers }) => headers.get("list-id")).toSorted();
  assert.deepEqual(notified, forms.map((formId) => `<${formId}.forms.example.com>`).toSorted());
});

test("an instance that starts to send emails does not announce older submissions", async (t) => {
  const { service, account, clock, smtp, createWorker } = await createMailBench(t);
  const formId = await createForm(account, { encryption: false });
  await postPlain(service, formId);
  clock.advance(1);
  await service.database
    .updateTable("instance")
    .set({ value: String(clock.now()) })
    .where("key", "=", "emails_since")
    .execute();
  const worker = createWorker();
  await worker.run();
  assert.equal(smtp.emails.length, 0);
  await postPlain(service, formId);
  await worker.run();
  assert.equal(smtp.emails.length, 1);
});

test("a mail server that is busy is asked again, and one that says no for good is not", async (t) => {
  const { service, account, clock, smtp, run, logged } = await createMailBench(t, { refusals: [451, 451, undefined] });
  const formId = await createForm(account, { encryption: false });
  await postPlain(service, formId);
  await run();
  clock.advance(minute - 1);
  await run();
  assert.equal(logged.length, 1, "not before its time");
  clock.advance(1);
  await run();
  clock.advance(5 * minute);
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "1 new submission");
  assert.deepEqual(
    logged.map(({ message }) => message),
    Array(2).fill("a mail could not be sent, and is tried again"),
  );
  assert.doesNotMatch(JSON.stringify(logged), /@|form_/, "a log names no address");
});

test("a mail that nobody takes is given up with a line in the log, and kept for an operator; the next one goes its own way", async (t) => {
  const { service, account, clock, smtp, run, logged } = await createMailBench(t, { refusals: [554, undefined] });
  const formId = await createForm(account, { encryption: false });
  await postPlain(service, formId);
  await run();
  assert.deepEqual(
    logged.map(({ message }) => message),
    ["a mail could not be sent, and is given up"],
  );
  const row = await service.database.selectFrom("mail").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.finished_at, row.failed_at], [clock.now(), clock.now()]);
  assert.deepEqual(JSON.parse(row.failed_to ?? ""), ["owner@example.com"]);
  await postPlain(service, formId);
  clock.advance(hour);
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "2 new submissions", "nobody has heard of the first");
  clock.advance(day + 1);
  await run();
  const left = await service.database.selectFrom("mail").select("id").execute();
  const ids = left.map(({ id }) => id);
  assert.deepEqual(ids, [row.id], "and in a day the one that was sent is forgotten");
  clock.advance(29 * day);
  await run();
  assert.deepEqual(await service.database.selectFrom("mail").select("id").execute(), []);
});

test("while one mail waits for the mail server, a form has no second, and none is lost by a restart", async (t) => {
  const { service, account, clock, smtp, run, createWorker } = await createMailBench(t, {
    refusals: [451, 451, undefined],
  });
  const formId = await createForm(account, { encryption: false });
  await postPlain(service, formId);
  await run();
  await postPlain(service, formId);
  clock.advance(minute);
  await run();
  clock.advance(hour);
  await createWorker().run();
  clock.advance(hour);
  await createWorker().run();
  assert.deepEqual(
    smtp.emails.map(({ headers }) => headers.get("subject")),
    ["1 new submission", "1 new submission"],
  );
});

test("a process that ends while it sends leaves the mail to others when its lease is over", async (t) => {
  const { service, account, clock, smtp, run, store } = await createMailBench(t);
  const formId = await createForm(account, { encryption: false });
  await store.addReset(accountIdOf(account), "secret-token", clock.now());
  const [lost] = await store.claim(clock.now(), 1);
  assert.ok(lost !== undefined);
  await run();
  assert.equal(smtp.emails.length, 0);
  clock.advance(3 * minute);
  await run();
  const mail = await smtp.next();
  assert.match(mail.text, new RegExp(`^${baseUrl}/reset-password#secret-token$`, "m"));
  assert.equal(mail.headers.has("list-unsubscribe"), false);
  // Too late: it says nothing any more.
  await store.putBack(lost, clock.now());
  const row = await service.database.selectFrom("mail").selectAll().executeTakeFirstOrThrow();
  assert.ok(row.finished_at !== null && formId !== undefined);
});

test("emails that can't be sent for lack of their secret keep no other one waiting", async (t) => {
  const { service, account, clock, smtp, run, store } = await createMailBench(t);
  const id = accountIdOf(account);
  const details = JSON.stringify({ token: `${sealedPrefix(99)}${"a".repeat(80)}` });
  const now = clock.now();
  const sealed = { kind: "verify_email", account_id: id, is_personal: 1, details, created_at: now - 1, attempts: 0 };
  const ids = Array.from({ length: 20 }, (_, index) => `mail_${index}`);
  await service.database
    .insertInto("mail")
    .values(ids.map((mail) => ({ ...sealed, id: mail, due_at: now - 1, expires_at: now + day })))
    .execute();
  await store.addReset(id, "secret-token", now);
  await run();
  assert.match((await smtp.next()).text, /secret-token/);
});

test("a webhook that accepts nothing for a day is reported once, and again only after it had recovered", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const setFailing = (since: number | null) =>
    service.database.updateTable("webhook").set({ failing_since: since }).where("form_id", "=", formId).execute();
  await setFailing(clock.now());
  clock.advance(day - 1);
  await run();
  assert.equal(smtp.emails.length, 0);
  clock.advance(1);
  await run();
  const mail = await smtp.next();
  assert.equal(mail.headers.get("subject"), "A webhook has been failing for a day");
  assert.match(mail.text, new RegExp(`${baseUrl}/forms/${formId}/webhook`));
  clock.advance(3 * day);
  await run();
  assert.equal(smtp.emails.length, 1);
  await setFailing(null);
  await run();
  await setFailing(clock.now());
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, 2);
  // Another address starts over.
  await setFailing(clock.now() - 5 * day);
  const body = { settings: { webhookUrl: "https://other.example.com/" } };
  assert.equal((await service.request("PATCH", `/api/forms/${formId}`, { token: key, body })).status, 200);
  await run();
  assert.equal(smtp.emails.length, 2);
});

test("an email that can't be read is dropped, and blocks none after it", async (t) => {
  const { service, account, clock, smtp, run, store } = await createMailBench(t);
  for (const token of ["token-1", "token-2"]) await store.addReset(accountIdOf(account), token, clock.now());
  const { id } = await service.database.selectFrom("mail").select("id").limit(1).executeTakeFirstOrThrow();
  const details = JSON.stringify({ token: Buffer.alloc(40).toString("base64") });
  await service.database.updateTable("mail").set({ details }).where("id", "=", id).execute();
  await run();
  assert.equal(smtp.emails.length, 1);
});

test("an account gets three reset emails an hour at most, and the queue holds no link", async (t) => {
  const { service, account, clock, smtp, run, store } = await createMailBench(t);
  for (const token of ["token-1", "token-2", "token-3", "token-4"])
    await store.addReset(accountIdOf(account), token, clock.now());
  const rows = JSON.stringify(await service.database.selectFrom("mail").selectAll().execute());
  assert.doesNotMatch(rows, /token-/);
  await run();
  assert.equal(smtp.emails.length, 3);
  clock.advance(hour);
  await store.addReset(accountIdOf(account), "token-5", clock.now());
  await run();
  assert.equal(smtp.emails.length, 4);
});

test("a clock that is not trusted has no email given up for its age: it is sent once the clock is right", async (t) => {
  let isTrusted = false;
  const bench = await createMailBench(t, { isClockTrusted: () => isTrusted });
  const { clock, account, smtp, run, store } = bench;
  await store.addReset(accountIdOf(account), "token-1", clock.now());
  clock.jump(400 * day);
  await run();
  assert.equal(smtp.emails.length, 0);
  clock.jump(-400 * day);
  isTrusted = true;
  await run();
  assert.equal(smtp.emails.length, 1);
});

test("a clock that is not trusted has no finished email removed", async (t) => {
  let isTrusted = false;
  const bench = await createMailBench(t, { isClockTrusted: () => isTrusted });
  const { service, clock, account, smtp, run } = bench;
  const formId = await createForm(account, { encryption: false });
  await run();
  await postPlain(service, formId);
  clock.advance(hour);
  await run();
  await smtp.next();
  const count = async () => (await service.database.selectFrom("mail").select("id").execute()).length;
  const sent = await count();
  assert.ok(sent > 0);
  clock.advance(400 * day);
  await run();
  assert.ok((await count()) >= sent);
  isTrusted = true;
  await run();
  assert.equal(await count(), 0);
});
