import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { noticesPerDay } from "./mail.ts";
import { baseUrl, createMailBench } from "./testing/mail-bench.ts";

test("a notice is ended by one POST without a sign-in, for its form or for all; opening the link ends nothing", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const [one, other] = [
    await createForm(account, { encryption: false }),
    await createForm(account, { encryption: false }),
  ];
  await postPlain(service, one);
  await run();
  const { headers, text } = await smtp.next();
  assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  const link = /^<(.*)>$/.exec(headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  assert.ok(link.startsWith(`${baseUrl}/unsubscribe/`) && text.includes(link));
  const path = link.slice(baseUrl.length);
  const isWanted = async (formId: string) =>
    (await account.request("GET", `/api/forms/${formId}/notifications`)).body.mail;
  const post = async (token: string, body: string) =>
    (await service.request("POST", token, { body, headers: { "content-type": "application/x-www-form-urlencoded" } }))
      .status;

  assert.equal((await service.request("GET", path)).status, 200);
  assert.equal(await isWanted(one), true);
  for (const wrong of [`${path}x`, path.replace(one, other), "/unsubscribe/x", `/unsubscribe/${one}.`])
    assert.deepEqual([await post(wrong, ""), (await service.request("GET", wrong)).status], [404, 404], wrong);
  assert.deepEqual([await isWanted(one), await isWanted(other)], [true, true]);

  assert.equal(await post(path, "List-Unsubscribe=One-Click"), 200);
  assert.deepEqual([await isWanted(one), await isWanted(other)], [false, true]);
  await postPlain(service, one);
  clock.advance(3_600_000);
  await run();
  assert.equal(smtp.mails.length, 1);
  assert.equal(await post(path, "scope=account"), 200);
  assert.equal((await account.request("GET", "/api/notifications")).body.mail, false);
  const entries = await service.database.selectFrom("audit_entry").select(["action", "actor"]).execute();
  assert.equal(entries.filter(({ action, actor }) => action === "mails.turned_off" && actor === "nobody").length, 2);
});

test("an address gets thirty notices a day, however many forms there are, and what was not told is told the day after", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const forms = [];
  for (let index = 0; index < noticesPerDay + 2; index++)
    forms.push(await createForm(account, { encryption: false }, `Form ${index}`));
  for (const form of forms) await postPlain(service, form);
  await run();
  await run();
  assert.equal(smtp.mails.length, noticesPerDay);
  clock.advance(86_400_000);
  await run();
  assert.equal(smtp.mails.length, noticesPerDay + 2);
});

test("nobody gets notices of a disabled account, and what came meanwhile is told when it is enabled", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const form = await createForm(account, { encryption: false });
  await service.database.updateTable("account_holder").set({ disabled_at: clock.now() }).execute();
  await postPlain(service, form);
  await run();
  assert.equal(smtp.mails.length, 0);
  await service.database.updateTable("account_holder").set({ disabled_at: null }).execute();
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "1 new submission");
});
