import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { defaultSettings } from "./form-settings.ts";
import { createForm, listEvents, pair, silentWebhooks, webhookUrl } from "./testing/test-form.ts";

test("an update keeps what it omits, and says what changed", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const settings = {
    ...defaultSettings,
    encryption: false,
    piiStrip: true,
    webhookUrl,
    allowedOrigins: ["https://example.com"],
  };
  const formId = await createForm(account, settings, "Contact");
  clock.advance(5000);
  const renamed = await account.request("PATCH", `/api/forms/${formId}`, { name: "  Contact us " });
  assert.deepEqual(renamed.body, { form: { id: formId, name: "Contact us", updatedAt: clock.now(), settings } });
  clock.advance(5000);
  const changed = await account.request("PATCH", `/api/forms/${formId}`, {
    settings: { piiStrip: false, allowedOrigins: ["*"] },
  });
  const expected = { ...settings, piiStrip: false, allowedOrigins: ["*"] };
  assert.deepEqual(changed.body, {
    form: { id: formId, name: "Contact us", updatedAt: clock.now(), settings: expected },
  });
  const { body } = await account.request("GET", `/api/forms/${formId}`);
  assert.deepEqual(body.form.settings, expected);
  assert.equal(body.form.updatedAt, clock.now());
  const events = await listEvents(service, formId, "form.updated");
  assert.deepEqual(
    events.map(({ form, changes }) => ({ form, changes })),
    [
      { form: { id: formId, name: "Contact us" }, changes: { name: "Contact us" } },
      {
        form: { id: formId, name: "Contact us" },
        changes: { settings: { piiStrip: false, allowedOrigins: ["*"] } },
      },
    ],
  );
});

test("an update that changes nothing leaves updatedAt and emits nothing", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl }, "Contact");
  const before = (await account.request("GET", `/api/forms/${formId}`)).body.form;
  clock.advance(5000);
  for (const change of [
    {},
    { settings: {} },
    { name: " Contact" },
    { name: "Contact", settings: { encryption: true, piiStrip: false, webhookUrl, allowedOrigins: ["*"] } },
  ]) {
    const { status, body } = await account.request("PATCH", `/api/forms/${formId}`, change);
    assert.equal(status, 200);
    assert.equal(body.form.updatedAt, before.updatedAt, JSON.stringify(change));
  }
  assert.deepEqual((await account.request("GET", `/api/forms/${formId}`)).body.form, before);
  assert.deepEqual(await listEvents(service, formId, "form.updated"), []);
});

test("a webhook URL of null ends webhooks, and another one takes over", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl });
  const { body } = await account.request("PATCH", `/api/forms/${formId}`, { settings: { webhookUrl: null } });
  assert.equal(body.form.settings.webhookUrl, null);
  await account.request("PATCH", `/api/forms/${formId}`, { name: "nobody is notified" });
  assert.deepEqual(await listEvents(service, formId, "form.updated"), []);
  const other = "https://other.example.com:8443/hook";
  await account.request("PATCH", `/api/forms/${formId}`, { settings: { webhookUrl: other } });
  const queued = await service.database.selectFrom("delivery_queue").select("destination").execute();
  assert.deepEqual(
    queued.map(({ destination }) => destination),
    [`${account.id} other.example.com:8443`],
  );
});

test("updates of different members at the same time lose none of them", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const changes = [
    { name: "New name" },
    { settings: { encryption: false } },
    { settings: { piiStrip: true } },
    { settings: { allowedOrigins: ["https://example.com"] } },
  ];
  await Promise.all(changes.map((change) => account.request("PATCH", `/api/forms/${formId}`, change)));
  const { name, settings } = (await account.request("GET", `/api/forms/${formId}`)).body.form;
  assert.deepEqual(
    { name, settings },
    {
      name: "New name",
      settings: {
        ...defaultSettings,
        encryption: false,
        piiStrip: true,
        webhookUrl: null,
        allowedOrigins: ["https://example.com"],
      },
    },
  );
});

test("fifty creates of one name at the same time make one form, whatever the case", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const other = await service.signUp();
  const names = ["Straße", "STRASSE", " straße ", "ＳＴＲＡＳＳＥ", "strasse"];
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      account.request("POST", "/api/forms", { name: names[index % names.length], publicKey: pair.publicKey }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const refused = answers.filter(({ status }) => status === 409);
  assert.equal(refused.length, 49);
  for (const { body } of refused)
    assert.deepEqual(body, {
      error: "conflict",
      message: "A form with this name already exists",
      code: "form_name_taken",
    });
  assert.equal((await account.request("GET", "/api/forms")).body.total, 1);
  await createForm(other, {}, "Straße");
});

test("ten renames to one name at the same time succeed once", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const ids: string[] = [];
  for (let index = 0; index < 10; index++) ids.push(await createForm(account));
  const answers = await Promise.all(
    ids.map((id, index) => account.request("PATCH", `/api/forms/${id}`, { name: index % 2 === 0 ? "Taken" : "TAKEN" })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(409)]);
  const winner = ids[answers.findIndex(({ status }) => status === 200)];
  const again = await account.request("PATCH", `/api/forms/${winner}`, { name: "taken" });
  assert.equal(again.status, 200, "a form may change the case of its own name");
});
