import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { hasNamedForms, operationRoles, type Role, roles } from "../access/roles.ts";
import { completeMove, saveMove } from "../accounts/address-move-store.ts";
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

for (const from of operationRoles.updateForm)
  test(`when the rights of a member, who is ${from}, become any others, the answer and the email name those of their webhooks that they could not set now, and no other`, async (t) => {
    const service = await createTestService(t, {
      deliveries: silentWebhooks,
      environment: { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", SEALPOST_MAIL_FROM: "Forms <forms@example.com>" },
    });
    const trust = () => service.database.updateTable("person").set({ verification: "trusted" }).execute();
    const owner = await service.signUp("owner@example.com");
    await trust();
    const person = await service.signUp("person@example.com");
    await trust();
    const forms = {
      sealed: await createForm(owner, {}, "Sealed"),
      plain: await createForm(owner, { encryption: false }, "Plain"),
      other: await createForm(owner, {}, "Other"),
    };
    const named = [forms.sealed, forms.plain];
    const wants = (role: Role, namedForms: readonly string[]) => ({
      role,
      ...(hasNamedForms(role) && { forms: [...namedForms] }),
    });
    const token = await invite(owner, "person@example.com", wants(from, Object.values(forms)));
    assert.equal((await person.request("POST", "/api/invitations/accept", { token })).status, 200);
    await switchTo(person, owner.id);
    const change = (grant: object) => owner.request("PATCH", `/api/members/${person.id}`, grant);
    const mayPoint = async (id: string, to: string) =>
      (await person.request("PATCH", `/api/forms/${id}`, { settings: { webhookUrl: to } })).status === 200;

    let [namedEver, mailed] = [0, 0];
    for (const to of roles)
      for (const formIds of hasNamedForms(to) ? [named, Object.values(forms)] : [[]]) {
        await change(wants(from, Object.values(forms)));
        const set: string[] = [];
        for (const id of Object.values(forms)) {
          await owner.request("PATCH", `/api/forms/${id}`, { settings: { webhookUrl: null } });
          if (await mayPoint(id, url)) set.push(id);
        }
        assert.ok(set.length > 0, "a control");
        await service.database.deleteFrom("mail").execute();
        const changed = await change(wants(to, formIds));
        const left = changed.body.webhookForms.map(({ id }: { id: string }) => id);
        const mail = await service.database.selectFrom("mail").select("details").execute();
        const counts = mail.map(({ details }) => JSON.parse(details)).filter(({ event }) => event === "member_changed");
        assert.deepEqual(
          (await change(wants(to, formIds))).body.webhookForms,
          changed.body.webhookForms,
          "asked again",
        );
        const beyond = [];
        for (const id of set) if (!(await mayPoint(id, `${url}/now`))) beyond.push(id);
        assert.deepEqual(left.toSorted(), beyond.toSorted(), `${from} to ${to}`);
        if (counts.length > 0) assert.deepEqual(new Set(counts.map(({ count }) => count)), new Set([left.length]), to);
        namedEver += left.length;
        mailed += counts.length;
      }
    assert.ok(namedEver > 0 && mailed > 0, "a control");
  });

test("where an undone move of an address lowers somebody again, the owners' email counts the webhooks that they chose meanwhile", async (t) => {
  const service = await createTestService(t, {
    deliveries: silentWebhooks,
    environment: { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", SEALPOST_MAIL_FROM: "Forms <forms@example.com>" },
  });
  const { database } = service;
  const trust = () => database.updateTable("person").set({ verification: "trusted" }).execute();
  const people = [];
  for (const name of ["founder", "mover", "helper"]) {
    people.push(await service.signUp(`${name}@example.com`));
    await trust();
  }
  const [founder, mover, helper] = people;
  assert.ok(founder && mover && helper);
  const form = await createForm(founder, {}, "Contact");
  for (const [person, role] of [
    [mover, "owner"],
    [helper, "auditor"],
  ] as const) {
    const token = await invite(founder, `${person === mover ? "mover" : "helper"}@example.com`, { role });
    assert.equal((await person.request("POST", "/api/invitations/accept", { token })).status, 200);
    await switchTo(person, founder.id);
  }
  const begunAt = Date.now();
  const raised = await mover.request("PATCH", `/api/members/${helper.id}`, { role: "owner" });
  assert.deepEqual([raised.status, raised.body.webhookForms], [200, []]);
  const set = await helper.request("PATCH", `/api/forms/${form}`, { settings: { webhookUrl: url } });
  assert.equal(set.status, 200);
  for (const { id } of [founder, mover])
    assert.equal((await helper.request("DELETE", `/api/members/${id}`)).status, 200);
  await database.deleteFrom("mail").execute();
  const move = {
    ...{ personId: mover.id as AccountId, oldEmail: "mover@example.com", newEmail: "moved@example.com" },
    ...{ oldToken: "old", newToken: "new" },
  };
  const token = await database.transaction().execute(async (transaction) => {
    await saveMove(transaction, move, begunAt);
    return completeMove(transaction, move, begunAt);
  });
  const headers = { origin: service.url };
  const undone = await service.request("POST", "/api/auth/address/refuse", { headers, body: { token } });
  assert.deepEqual(undone.body, { status: "undone" });
  const members = await database.selectFrom("member").select("role").where("person_id", "=", helper.id).execute();
  assert.ok(
    members.some(({ role }) => role === "auditor"),
    "a control",
  );
  const mail = await database.selectFrom("mail").select("details").where("kind", "=", "security").execute();
  const counts = mail.map(({ details }) => JSON.parse(details)).filter(({ event }) => event === "member_changed");
  assert.deepEqual(new Set(counts.map(({ count }) => count)), new Set([1]));
});
