import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { accountIdOf, createMailBench } from "./testing/mail-bench.ts";

const minute = 60_000;
/** Shorter than a session. */
const days = 5 * 86_400_000;

test("a clock that was days ahead holds up no mail once it is right again", async (t) => {
  const { service, account, clock, smtp, store, run } = await createMailBench(t, {
    refusals: [undefined, undefined, undefined, undefined, 451, undefined],
  });
  const next = async () => (await smtp.next()).headers.get("subject");
  const [form, other] = [
    await createForm(account, { encryption: false }),
    await createForm(account, { encryption: false }),
  ];
  clock.advance(days);
  for (const token of ["one", "two", "three"]) await store.addReset(accountIdOf(account), token, clock.now());
  await postPlain(service, form);
  await run();
  const early = [await next(), await next(), await next(), await next()];
  assert.equal(early.filter((subject) => subject === "1 new submission").length, 1);
  await postPlain(service, other);
  await run();
  assert.equal(smtp.emails.length, 4, "the mail about the other form waits for another try");

  clock.advance(-days);
  await postPlain(service, form);
  await store.addReset(accountIdOf(account), "four", clock.now());
  await run();
  const subjects = [await next(), await next(), await next()];
  assert.deepEqual(subjects.toSorted(), ["1 new submission", "1 new submission", "Set a new password"]);
  await postPlain(service, form);
  clock.advance(minute);
  await run();
  assert.equal(smtp.emails.length, 7, "a quiet hour is one again");
});

test("a mail that waits while its form is deleted is not sent", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t, { refusals: [451, undefined] });
  const [gone, kept] = [
    await createForm(account, { encryption: false }),
    await createForm(account, { encryption: false }),
  ];
  await postPlain(service, gone);
  await run();
  assert.equal(smtp.emails.length, 0);
  // Rows that the purge has not reached yet.
  const rows = await service.database.selectFrom("mail").selectAll().execute();
  assert.equal((await account.request("DELETE", `/api/forms/${gone}?confirm=DELETE_FORM`)).status, 200);
  await service.database.deleteFrom("mail").execute();
  await service.database.insertInto("mail").values(rows).execute();
  await postPlain(service, kept);
  clock.advance(minute);
  await run();
  assert.match((await smtp.next()).text, new RegExp(kept));
  assert.equal(smtp.emails.length, 1);
});
