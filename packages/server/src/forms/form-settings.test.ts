import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, modulusBytes, paddedSize } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import {
  defaultFurtherSettings,
  type FurtherSettings,
  furtherSettings,
  parseFurtherSettings,
  sealedBytesLeast,
} from "./form-settings.ts";
import { createForm, listEvents, pair, silentWebhooks, webhookUrl } from "./testing/test-form.ts";

/** For each setting two values that are not its default: a new setting that is missing here does not compile. */
const values = {
  country: ["DE", "FR"],
  piiTypes: [["EMAIL_ADDRESS"], ["PHONE_NUMBER", "IBAN_CODE"]],
  submissionBytesMax: [4096, 65_536],
  submissionsPerHour: [10, 1000],
  binDays: [0, 7],
} satisfies Record<keyof FurtherSettings, readonly [unknown, unknown]>;
const at = (index: 0 | 1) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value[index]]));

test("each setting that is given is stored, shown, changed, told to the receiver, and reset to its default", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { ...at(0), webhookUrl });
  const get = async () => (await account.request("GET", `/api/forms/${formId}`)).body.form.settings;
  assert.deepEqual(await get(), { encryption: true, piiStrip: false, webhookUrl, allowedOrigins: ["*"], ...at(0) });
  for (const [name, [, value]] of Object.entries(values)) {
    clock.advance(1);
    const { body } = await account.request("PATCH", `/api/forms/${formId}`, { settings: { [name]: value } });
    assert.deepEqual(body.form.settings[name], value, name);
    assert.deepEqual((await get())[name], value, name);
    const events = await listEvents(service, formId, "form.updated");
    assert.deepEqual(events.at(-1).changes, { settings: { [name]: value } });
  }
  await account.request("PATCH", `/api/forms/${formId}`, { settings: { ...defaultFurtherSettings } });
  assert.deepEqual(await get(), {
    encryption: true,
    piiStrip: false,
    webhookUrl,
    allowedOrigins: ["*"],
    ...defaultFurtherSettings,
  });
  const { settings } = await service.database
    .selectFrom("form")
    .select("settings")
    .where("id", "=", formId)
    .executeTakeFirstOrThrow();
  assert.equal(settings, "{}");
});

test("the public form shows the settings that the embed needs and no other, and its tag changes with each of them", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const tags = new Set<string | null>();
  const isPublic = Object.entries(furtherSettings).filter(([, setting]) => setting.isPublic);
  for (const [name] of [["none"], ...isPublic]) {
    if (name !== "none") await account.request("PATCH", `/api/forms/${formId}`, { settings: { [name]: at(0)[name] } });
    const { headers, body } = await service.request("GET", `/api/forms/${formId}/public`);
    tags.add(headers.get("etag"));
    assert.deepEqual(Object.keys(body.form.settings).sort(), ["encryption", "piiStrip", "country", "piiTypes"].sort());
  }
  assert.equal(tags.size, isPublic.length + 1);
});

test("what a form's settings say that a newer version wrote is left out, and the rest is kept", () => {
  const { binDays, ...others } = parseFurtherSettings('{"binDays":3,"notYetKnown":true}');
  const { binDays: _default, ...defaults } = defaultFurtherSettings;
  assert.deepEqual([binDays, others], [3, defaults]);
});

test("a setting out of its bounds is refused with a sentence at its place", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { status, body } = await account.request("POST", "/api/forms", {
    name: "Contact",
    settings: {
      country: "Germany",
      piiTypes: ["EMAIL_ADDRESS", "SHOE_SIZE"],
      submissionBytesMax: 1,
      submissionsPerHour: 0,
      binDays: 1.5,
    },
  });
  assert.equal(status, 400);
  assert.deepEqual(body.details, {
    "settings.country": "Must be a country code of two capital letters, such as DE, or null",
    "settings.piiTypes.1": "Must be a type of personal data, such as EMAIL_ADDRESS: /api/docs lists them",
    "settings.submissionBytesMax": "Must be at least 1024",
    "settings.submissionsPerHour": "Must be at least 1",
    "settings.binDays": "Must be an integer",
  });
});

test("a sealed form is not limited to less than an empty sealed submission takes, nor sealed while it is", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const details = {
    "settings.submissionBytesMax":
      "Must be at least 3072 on a form with encryption: an empty sealed submission takes nearly as much",
  };
  const change = async (settings: object, id = formId) => {
    const answer = await account.request("PATCH", `/api/forms/${id}`, { settings });
    return [answer.status, answer.body.details];
  };
  assert.deepEqual(await change({ submissionBytesMax: 3071 }), [400, details]);
  assert.equal((await change({ submissionBytesMax: 3072 }))[0], 200);
  const body = { name: "Another", settings: { submissionBytesMax: 3071 }, publicKey: pair.publicKey };
  const created = await account.request("POST", "/api/forms", body);
  assert.deepEqual([created.status, created.body.details], [400, details]);

  const plain = await createForm(account, { encryption: false, submissionBytesMax: 1024 });
  assert.deepEqual(await change({ encryption: true }, plain), [400, details]);
  assert.equal((await change({ encryption: true, submissionBytesMax: 3072 }, plain))[0], 200);
  const row = service.database.updateTable("form").set({ settings: '{"submissionBytesMax":1024}' });
  await row.where("id", "=", plain).execute();
  assert.equal((await change({ piiStrip: true }, plain))[0], 200, "one from before can be changed otherwise");
});

test("an empty sealed submission fits into the least that a sealed form can be limited to, with the longest key", async () => {
  const modulus = Buffer.alloc(512, 0xab).toString("base64url");
  assert.equal(modulusBytes({ n: modulus }), 512);
  const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;
  const payload = {
    encrypted: true,
    version: "sp1",
    data: "x".repeat(base64Length(paddedSize(2) + 16)),
    key: "x".repeat(base64Length(512)),
    iv: "x".repeat(16),
  };
  const body = { id: createId("submission"), payload, keyVersion: 1000, timestamp: Date.now() };
  assert.ok(JSON.stringify(body).length <= sealedBytesLeast);
});
