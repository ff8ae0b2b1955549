import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { addPerson, switchTo } from "./testing/test-organization.ts";

async function start(t: TestScope) {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const created = await owner.request("POST", "/api/organizations", { name: "Another" });
  const other: string = created.body.organization.id;
  const handOver = async (by: TestAccount, formId: string, organizationId: string, webhook?: object | null) => {
    const body = { organizationId, ...(webhook !== undefined && { webhook }) };
    const answer = await by.request("POST", `/api/forms/${formId}/hand-over`, body);
    return answer.status === 200 ? 200 : `${answer.status} ${answer.body.code}`;
  };
  return { service, owner, other, handOver };
}

const kept = { url: webhookUrl, secret: "new" };

test("a form that is handed over keeps its id, submissions, keys and, where its owner says so, its webhook, and nobody of before reaches it", async (t) => {
  const { service, owner, other, handOver } = await start(t);
  const form = await createForm(owner, { encryption: false, webhookUrl }, "Contact");
  const submission = await postPlain(service, form);
  const reader = await addPerson(service, owner, "reader@example.com", { role: "reader", forms: [form] });
  assert.equal((await reader.request("GET", `/api/forms/${form}`)).status, 200);
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key", forms: [form] })).body;
  const askByKey = (path: string) => service.request("GET", path, { token: key.key });
  assert.equal((await askByKey(`/api/forms/${form}`)).status, 200);
  assert.equal(await handOver(owner, form, other, kept), 200);
  for (const person of [owner, reader]) {
    assert.equal((await person.request("GET", `/api/forms/${form}`)).status, 404);
    assert.equal((await person.request("GET", "/api/forms")).body.total, 0);
  }
  await postPlain(service, form);
  // Deliveries from now on are those of the organization that has it.
  const queued = await service.database
    .selectFrom("delivery_queue")
    .select("destination")
    .orderBy("delivery_id")
    .execute();
  assert.equal(queued.at(-1)?.destination, `${other} ${new URL(webhookUrl).hostname}:443`);
  await switchTo(owner, other);
  assert.equal((await owner.request("GET", `/api/forms/${form}`)).body.form.settings.webhookUrl, webhookUrl);
  const { submissions } = (await owner.request("GET", `/api/forms/${form}/submissions`)).body;
  assert.equal(submissions.length, 2);
  assert.equal(submissions[1].id, submission);
  assert.deepEqual((await owner.request("GET", "/api/forms")).body.total, 1);
  const { entries } = (await owner.request("GET", "/api/audit-log?action=form.taken_over")).body;
  assert.deepEqual([entries.length, entries[0].target.id], [1, form]);
  // Back again, its former reader does not reach it.
  assert.equal(await handOver(owner, form, owner.id, kept), 200);
  assert.equal((await reader.request("GET", `/api/forms/${form}`)).status, 404);
  // Nor does a key that was limited to it; it reaches nothing, instead of everything.
  assert.equal((await askByKey(`/api/forms/${form}`)).status, 404);
  assert.deepEqual((await askByKey("/api/forms")).body.forms, []);
  await switchTo(owner, owner.id);
  assert.deepEqual((await owner.request("GET", "/api/api-keys")).body.keys[0].forms, []);
  assert.equal((await owner.request("GET", `/api/forms/${form}`)).status, 200);
});

test("a held form is handed over by no owner: the hold is lifted first, of which all owners are mailed", async (t) => {
  const { owner, other, handOver } = await start(t);
  const form = await createForm(owner, {}, "Contact");
  assert.equal((await owner.request("PUT", `/api/forms/${form}/hold`, { reason: "Case 7" })).status, 200);
  const refused = await owner.request("POST", `/api/forms/${form}/hand-over`, { organizationId: other });
  assert.deepEqual([refused.status, refused.body.code], [409, "form_held"]);
  assert.match(
    refused.body.message,
    /^This form has been under legal hold since \d{4}-\d\d-\d\d: it can't be handed over /,
  );
  const { hold } = (await owner.request("GET", `/api/forms/${form}`)).body.form;
  assert.equal(hold.reason, "Case 7");
  assert.equal((await owner.request("DELETE", `/api/forms/${form}/hold`)).status, 200);
  assert.equal(await handOver(owner, form, other), 200);
  const { entries } = (await owner.request("GET", `/api/audit-log?target=${form}`)).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.sort(), ["form.created", "form.handed_over", "form.hold_lifted", "form.hold_set"]);
});

test("a form goes only to an organization that the same person owns, and where its name is free", async (t) => {
  const { service, owner, other, handOver } = await start(t);
  const form = await createForm(owner, {}, "Contact");
  const stranger = await service.signUp("stranger@example.com");
  await addPerson(service, stranger, "second@example.com", { role: "owner" });
  for (const id of [stranger.id, "acc_1", "acc_00000000000000000000000000"])
    assert.equal(await handOver(owner, form, id), "403 not_owner_there");
  assert.equal(await handOver(owner, form, owner.id), "400 organization_same");
  assert.equal(await handOver(stranger, form, stranger.id), "404 form_not_found");
  await switchTo(owner, other);
  await createForm(owner, {}, "contact");
  await switchTo(owner, owner.id);
  assert.equal(await handOver(owner, form, other), "409 form_name_taken");
  const totals = (await owner.request("GET", "/api/forms")).body.total;
  assert.equal(totals, 1);
});
