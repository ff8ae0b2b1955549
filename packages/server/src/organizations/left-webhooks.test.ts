import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, silentWebhooks, webhookUrl as url } from "../forms/testing/test-form.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { invite, switchTo } from "./testing/test-organization.ts";

test("removing somebody names the forms whose webhook address they were the last to choose, by session or key, and the owners' email counts them", async (t) => {
  const service = await createTestService(t, {
    deliveries: silentWebhooks,
    environment: { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", SEALPOST_MAIL_FROM: "Forms <forms@example.com>" },
  });
  const owner = await service.signUp("owner@example.com");
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  const [first, second] = [await service.signUp("manager@example.com"), await service.signUp("other@example.com")];
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  for (const [person, email] of [
    [first, "manager@example.com"],
    [second, "other@example.com"],
  ] as const) {
    const token = await invite(owner, email, { role: "manager" });
    assert.equal((await person.request("POST", "/api/invitations/accept", { token })).status, 200);
    await switchTo(person, owner.id);
  }
  const made = await first.request("POST", "/api/api-keys", { name: "Program" });
  const byKey = (method: string, path: string, body: object) =>
    service.request(method, path, { token: made.body.key.key, body });
  const set = async (who: Pick<TestAccount, "request">["request"], id: string, webhookUrl: string | null) =>
    assert.equal((await who("PATCH", `/api/forms/${id}`, { settings: { webhookUrl } })).status, 200);
  await createForm(owner, { webhookUrl: url }, "Owner's own");
  const created = await createForm(first, { webhookUrl: url }, "Created with one");
  const [bySession, ofKey, replaced, ended] = [
    await createForm(owner, {}, "Set by session"),
    await createForm(owner, {}, "Set by key"),
    await createForm(owner, {}, "Replaced"),
    await createForm(owner, {}, "Ended"),
  ];
  await set(first.request, bySession, url);
  await set(byKey as TestAccount["request"], ofKey, url);
  await set(first.request, replaced, url);
  await set(owner.request, replaced, `${url}/other`);
  await set(first.request, ended, url);
  await set(owner.request, ended, null);
  await service.database.deleteFrom("mail").execute();

  const removed = await owner.request("DELETE", `/api/members/${first.id}`);
  assert.deepEqual(removed.body, {
    success: true,
    webhookForms: [
      { id: created, name: "Created with one" },
      { id: ofKey, name: "Set by key" },
      { id: bySession, name: "Set by session" },
    ],
  });
  const mail = await service.database.selectFrom("mail").select("details").execute();
  const counts = mail.map(({ details }) => JSON.parse(details)).filter(({ event }) => event === "member_removed");
  assert.deepEqual(
    counts.map(({ count }) => count),
    [3],
  );
  const other = await owner.request("DELETE", `/api/members/${second.id}`);
  assert.deepEqual(other.body, { success: true, webhookForms: [] });
});
