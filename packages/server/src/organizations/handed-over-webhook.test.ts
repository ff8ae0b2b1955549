import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { purge } from "../retention/testing/purge.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { switchTo } from "./testing/test-organization.ts";

const { host } = new URL(webhookUrl);
const elsewhere = "https://other.example.com/hook";

/** A form with a webhook, and another organization of its owner. */
async function start(t: TestScope, settings: object = { webhookUrl }) {
  const clock = createFakeClock(Date.UTC(2026, 10, 30, 12));
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const created = await owner.request("POST", "/api/organizations", { name: "Another" });
  const other: string = created.body.organization.id;
  const formId = await createForm(owner, { encryption: false, ...settings }, "Contact");
  const form = `/api/forms/${formId}`;
  const handOver = (webhook?: object | null) =>
    owner.request("POST", `${form}/hand-over`, { organizationId: other, ...(webhook !== undefined && { webhook }) });
  const findSecret = async () => (await owner.request("GET", `${form}/webhook-secret`)).body;
  const findForm = async () => (await owner.request("GET", form)).body.form;
  const listChanges = async (action: string) =>
    (await owner.request("GET", `/api/audit-log?action=${action}`)).body.entries.map(
      ({ details }: { details?: { changes: unknown } }) => details?.changes,
    );
  return { clock, service, owner, other, formId, form, handOver, findSecret, findForm, listChanges };
}

test("a form with a webhook is handed over only by somebody who has seen where it sends, and says what becomes of it", async (t) => {
  const { owner, form, handOver } = await start(t);
  for (const webhook of [undefined, { url: elsewhere, secret: "new" }, { url: elsewhere, secret: "kept" }]) {
    const { status, body } = await handOver(webhook);
    assert.deepEqual([status, body.code], [409, "form_hand_over_webhook"]);
    assert.match(body.message, new RegExp(`sends to ${host},`));
  }
  // Changed after it was seen: the address that it is now was not.
  await owner.request("PATCH", form, { settings: { webhookUrl: elsewhere } });
  assert.match((await handOver({ url: webhookUrl, secret: "new" })).body.message, /sends to other\.example\.com,/);
  await owner.request("PATCH", form, { settings: { webhookUrl: null } });
  const gone = await handOver({ url: elsewhere, secret: "new" });
  assert.deepEqual([gone.status, gone.body.code], [409, "form_hand_over_webhook"]);
  for (const webhook of [{ url: elsewhere }, { url: elsewhere, secret: "old" }, "keep"])
    assert.equal((await handOver(webhook as object)).status, 400);
  assert.equal((await handOver()).status, 200);
});

test("with a new secret the webhook continues, and the secrets before sign for 24 hours", async (t) => {
  const { clock, owner, other, handOver, findSecret, findForm, listChanges } = await start(t);
  const before = await findSecret();
  const end = clock.now() + dayMilliseconds;
  const { webhook } = (await handOver({ url: webhookUrl, secret: "new" })).body;
  assert.deepEqual(webhook, { host, kept: true, secret: "new", previousSecretExpiresAt: end });
  const changes = [
    { setting: "webhookHost", from: host, to: host },
    { setting: "webhookSecret", from: "kept", to: "new" },
  ];
  assert.deepEqual(await listChanges("form.handed_over"), [changes]);
  await switchTo(owner, other);
  assert.deepEqual(await listChanges("form.taken_over"), [changes]);
  const after = await findSecret();
  assert.notEqual(after.secret, before.secret);
  assert.equal(after.previousSecretExpiresAt, end);
  const { settings, webhookSecretKnownSince } = await findForm();
  assert.deepEqual([settings.webhookUrl, webhookSecretKnownSince], [webhookUrl, undefined]);
});

test("a secret that is kept is shown as known until it is rotated, and signs for no other address", async (t) => {
  const { clock, owner, other, form, handOver, findSecret, findForm, listChanges } = await start(t);
  const { secret } = await findSecret();
  const since = clock.now();
  const { webhook } = (await handOver({ url: webhookUrl, secret: "kept" })).body;
  assert.deepEqual(webhook, { host, kept: true, secret: "kept" });
  await switchTo(owner, other);
  assert.equal((await findSecret()).secret, secret);
  assert.equal((await findForm()).webhookSecretKnownSince, since);
  // The same address again, or another setting, is no other receiver.
  await owner.request("PATCH", form, { settings: { webhookUrl, binDays: 3 } });
  assert.equal((await findForm()).webhookSecretKnownSince, since);
  await owner.request("PATCH", form, { settings: { webhookUrl: elsewhere } });
  assert.equal((await findForm()).webhookSecretKnownSince, undefined);
  const replaced = await findSecret();
  assert.notEqual(replaced.secret, secret);
  assert.equal(replaced.previousSecretExpiresAt, undefined);
  assert.equal((await listChanges("webhook_secret.rotated")).length, 1);
  // A secret that nobody else knows stays.
  await owner.request("PATCH", form, { settings: { webhookUrl } });
  assert.equal((await findSecret()).secret, replaced.secret);
});

test("a rotation ends what an organization before knows", async (t) => {
  const { owner, other, form, handOver, findForm } = await start(t);
  assert.equal((await handOver({ url: webhookUrl, secret: "kept" })).status, 200);
  await switchTo(owner, other);
  assert.equal((await owner.request("POST", `${form}/webhook-secret/rotate`)).status, 200);
  assert.equal((await findForm()).webhookSecretKnownSince, undefined);
});

test("without the address nothing goes to it, the secret is another one, and what waited ends at once", async (t) => {
  const { service, clock, owner, other, formId, form, handOver, findSecret, findForm } = await start(t);
  const { secret } = await findSecret();
  await postPlain(service, formId);
  const { webhook } = (await handOver(null)).body;
  assert.deepEqual(webhook, { host, kept: false, secret: "new" });
  await switchTo(owner, other);
  assert.equal((await findForm()).settings.webhookUrl, null);
  const after = await findSecret();
  assert.notEqual(after.secret, secret);
  assert.equal(after.previousSecretExpiresAt, undefined);
  await purge(service, clock);
  // They are due, and end now (`retention/ended-queue.test.ts`); their bodies stay in the log, to be sent again.
  const queued = await service.database.selectFrom("delivery_queue").select("due_at").execute();
  assert.ok(queued.every(({ due_at }) => due_at <= clock.now()));
  const { body } = await owner.request("PATCH", form, { settings: { webhookUrl: elsewhere } });
  assert.equal(body.form.settings.webhookUrl, elsewhere);
  assert.equal((await findSecret()).secret, after.secret);
});

test("a form without an address has another secret in its new organization", async (t) => {
  const { owner, other, handOver, findSecret, listChanges } = await start(t, {});
  const { secret } = await findSecret();
  assert.deepEqual((await handOver()).body, { success: true, organizationId: other });
  assert.deepEqual(await listChanges("form.handed_over"), [undefined]);
  await switchTo(owner, other);
  assert.notEqual((await findSecret()).secret, secret);
});
