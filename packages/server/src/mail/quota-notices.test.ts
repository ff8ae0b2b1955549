import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { purge } from "../retention/testing/purge.ts";
import { noticesPerDay as perDayOf } from "./mail.ts";
import { baseUrl, createMailBench, type MailBench } from "./testing/mail-bench.ts";

const noticesPerDay = perDayOf.quota;
const gibibyte = 1_073_741_824;
const day = 86_400_000;

/** A form's stored bytes, as a part of the free plan's gibibyte. */
async function fill({ service }: MailBench, formId: string, share: number): Promise<void> {
  const bytes = Math.round(share * gibibyte);
  await service.database.updateTable("form_count").set({ bytes }).where("form_id", "=", formId).execute();
}

const subjects = ({ smtp }: MailBench) => smtp.emails.map(({ headers }) => headers.get("subject"));

test("an owner is notified once that an account or a form is nearly full, once that it is full, and again after it has emptied", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, smtp, run, createWorker, clock } = bench;
  const forms = [];
  for (const name of ["CanaryName", "Second", "Third"])
    forms.push(await createForm(account, { encryption: false }, name));
  const [one = "", two = "", three = ""] = forms;
  const expectNext = async (...expected: readonly string[]) => {
    const before = smtp.emails.length;
    // Several processes look, at the same moment and one after another.
    await Promise.all([createWorker().run(), createWorker().run()]);
    await run();
    assert.deepEqual(subjects(bench).slice(before).toSorted(), expected.toSorted());
  };
  await fill(bench, one, 0.39);
  await expectNext();
  await fill(bench, one, 0.4);
  await expectNext("A form is nearly full");
  const [first] = smtp.emails;
  assert.match(first?.text ?? "", new RegExp(`four fifths[^]*${baseUrl}/forms/${one}\n[^]*/unsubscribe/${one}`));
  for (const { raw } of smtp.emails) assert.doesNotMatch(raw, /canary/i);
  await fill(bench, two, 0.41);
  await expectNext("A form is nearly full", "Your account is nearly full");
  await fill(bench, one, 0.5);
  await expectNext("A form is full");
  await fill(bench, three, 0.2);
  await expectNext("Your account is full");
  assert.match(smtp.emails.at(-1)?.text ?? "", new RegExp(`${baseUrl}/account\n[^]*/unsubscribe/${account.id}`));
  // Coming and going at the bound is no news.
  await fill(bench, one, 0.49);
  await expectNext();
  await fill(bench, one, 0.5);
  await expectNext();
  await fill(bench, one, 0.1);
  await expectNext();
  await fill(bench, one, 0.45);
  await expectNext("A form is nearly full", "Your account is full");
  clock.advance(2 * day);
  await expectNext();
  await account.request("DELETE", `/api/forms/${one}?confirm=DELETE_FORM`);
  await purge(service, clock);
  await run();
  const rows = await service.database.selectFrom("quota_notice").select("id").execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    [two],
    "nothing is left of what is deleted, or has emptied",
  );
});

test("everybody who shares a room is notified when all of it is nearly full, as visitors are refused for all of it", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, run } = bench;
  const first = await createForm(account, { encryption: false }, "First");
  const { body } = await account.request("POST", "/api/organizations", { name: "Second practice" });
  const other = body.organization.id;
  assert.equal((await account.request("POST", `/api/organizations/${other}/switch`)).status, 200);
  const second = await createForm(account, { encryption: false }, "Second");
  await fill(bench, first, 0.39);
  await fill(bench, second, 0.39);
  await run();
  assert.deepEqual(subjects(bench), []);
  await fill(bench, second, 0.395);
  await fill(bench, first, 0.406);
  await run();
  assert.deepEqual(subjects(bench).toSorted(), [
    "A form is nearly full",
    "Your account is nearly full",
    "Your account is nearly full",
  ]);
  // A plan that an operator gives has room of its own.
  await service.database.updateTable("organization").set({ plan: "pro" }).where("id", "=", other).execute();
  await run();
  const rows = await service.database.selectFrom("quota_notice").select("id").orderBy("id").execute();
  assert.deepEqual(
    rows.map(({ id }) => id),
    [first],
  );
});

test("an owner is notified once that the audit log is nearly full, and once that it is full, apart from the account", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, smtp, run } = bench;
  const setLog = async (share: number) => {
    const owner_id = `log ${account.id}`;
    await service.database.deleteFrom("counted_bytes").where("owner_id", "=", owner_id).execute();
    // Half of what the plan allows is what everybody may fill.
    await service.database
      .insertInto("counted_bytes")
      .values({ owner_id, bytes: Math.round((share * gibibyte) / 2) })
      .execute();
    await run();
  };
  const form = await createForm(account, { encryption: false });
  await setLog(0.79);
  assert.deepEqual(subjects(bench), []);
  await setLog(0.8);
  await setLog(0.9);
  assert.deepEqual(subjects(bench), ["Your audit log is nearly full"]);
  assert.match(smtp.emails[0]?.text ?? "", new RegExp(`${baseUrl}/audit-log\n[^]*/unsubscribe/${account.id}`));
  await setLog(1);
  await setLog(2);
  assert.deepEqual(subjects(bench).slice(1), ["Your audit log is full"]);
  await fill(bench, form, 0.81);
  await setLog(0.1);
  assert.deepEqual(subjects(bench).slice(2).toSorted(), ["A form is full", "Your account is nearly full"]);
  await setLog(0.85);
  assert.deepEqual(subjects(bench).slice(4), ["Your audit log is nearly full"], "again after it has been shortened");
});

test("notices about quotas have their part of the thirty of a day, end with one click, and come where they are wanted alone", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, clock, smtp, run } = bench;
  const forms = [];
  for (let index = 0; index <= noticesPerDay; index++)
    forms.push(await createForm(account, { encryption: false }, `Form ${index}`));
  const { database } = service;
  for (const form of forms) await fill(bench, form, 0.5);
  await run();
  await run();
  assert.equal(smtp.emails.length, noticesPerDay + 1, "and the account's own");
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, noticesPerDay + 2, "that of the last form");

  const about = smtp.emails.find(({ headers }) => headers.get("subject") === "Your account is full");
  const link = /^<(.*)>$/.exec(about?.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  const path = link.slice(baseUrl.length);
  const page = await service.request("GET", path);
  assert.deepEqual(
    [page.status, page.body.includes("No more about full storage"), page.body.includes("this form")],
    [200, true, false],
  );
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const posted = await service.request("POST", path, { body: "List-Unsubscribe=One-Click", headers });
  assert.equal(posted.status, 200);
  const { mail, storage } = (await account.request("GET", "/api/notifications")).body;
  assert.deepEqual([mail, storage], [true, false]);
  await database.deleteFrom("quota_notice").execute();
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, 2 * noticesPerDay + 2, "of forms alone");
  clock.advance(day);
  await run();
  assert.equal(smtp.emails.length, 2 * noticesPerDay + 3);
  await account.request("PUT", "/api/notifications", { mail: true, storage: true });
  await run();
  assert.equal(smtp.emails.length, 2 * noticesPerDay + 4, "a quota that is still full is announced then");
});

test("nobody is notified of a quota that does not apply", async (t) => {
  const bench = await createMailBench(t);
  const { service, account, run, smtp } = bench;
  const form = await createForm(account, { encryption: false });
  await fill(bench, form, 900);
  await service.database.updateTable("organization").set({ plan: "enterprise" }).execute();
  await run();
  assert.equal(smtp.emails.length, 0);
  await service.database.updateTable("organization").set({ plan: "free" }).execute();
  await run();
  assert.equal(smtp.emails.length, 2, "a control");
});
