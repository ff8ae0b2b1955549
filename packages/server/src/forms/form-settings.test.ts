import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, modulusBytes, paddedSize } from "@sealpost/wire";
import type { TSchema } from "typebox";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { defaultSettings, sealedBytesLeast, settingNames, settings } from "./form-settings.ts";
import { parseSettingColumns, printCheckedSettings, toSettingColumns } from "./setting-columns.ts";
import { createForm, listEvents, pair, postPlain, silentWebhooks } from "./testing/test-form.ts";

/** For each setting a value that is not its default, and another one to change it to. */
const given = Object.fromEntries(settingNames.map((name) => [name, settings[name].examples[0]]));
const changed = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].examples[1] ?? settings[name].default]),
);

test("each given setting is stored, shown, listed where it says, changed, sent to the receiver, and reset to its default", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, given);
  const get = async () => (await account.request("GET", `/api/forms/${formId}`)).body.form.settings;
  const list = async () => (await account.request("GET", "/api/forms")).body.forms[0].settings;
  const listed = settingNames.filter((name) => settings[name].shownIn.some((place) => place === "list"));
  assert.deepEqual(await get(), given);
  assert.deepEqual(await list(), Object.fromEntries(listed.map((name) => [name, given[name]])));
  for (const [name, value] of Object.entries(changed)) {
    clock.advance(1);
    const { body } = await account.request("PATCH", `/api/forms/${formId}`, { settings: { [name]: value } });
    assert.deepEqual(body.form.settings[name], value, name);
    const events = await listEvents(service, formId, "form.updated");
    assert.deepEqual(events.at(-1).changes, { settings: { [name]: value } });
  }
  assert.deepEqual(await get(), changed);
  assert.deepEqual(await list(), Object.fromEntries(listed.map((name) => [name, changed[name]])));
  await account.request("PATCH", `/api/forms/${formId}`, { settings: defaultSettings });
  assert.deepEqual(await get(), defaultSettings);
  const row = await service.database
    .selectFrom("form")
    .select("settings")
    .where("id", "=", formId)
    .executeTakeFirstOrThrow();
  assert.equal(row.settings, "{}");
});

test("the public form shows the settings that the embed needs and no other, and its tag changes with each of them", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const tags = new Set<string | null>();
  const shown = settingNames.filter((name) => settings[name].shownIn.some((place) => place === "public"));
  assert.deepEqual(shown.toSorted(), ["country", "encryption", "piiStrip", "piiTypes"]);
  for (const name of [undefined, ...shown]) {
    if (name !== undefined)
      await account.request("PATCH", `/api/forms/${formId}`, { settings: { [name]: given[name] } });
    const { headers, body } = await service.request("GET", `/api/forms/${formId}/public`);
    tags.add(headers.get("etag"));
    assert.deepEqual(Object.keys(body.form.settings), shown);
    if (name !== undefined) assert.deepEqual(body.form.settings[name], given[name]);
  }
  assert.equal(tags.size, shown.length + 1);
});

test("what a form's settings say that a newer version wrote is left out, and the rest is kept", () => {
  const columns = toSettingColumns(defaultSettings);
  const parsed = parseSettingColumns({ ...columns, settings: '{"binDays":3,"notYetKnown":true}' });
  assert.deepEqual(parsed, { ...defaultSettings, binDays: 3 });
});

test("a submission is checked once more after a change of what it was checked against, and of nothing else", () => {
  const printed = (values: object) => printCheckedSettings(toSettingColumns({ ...defaultSettings, ...values }));
  for (const name of settingNames)
    assert.equal(printed({ [name]: given[name] }) !== printed({}), settings[name].isCheckedAtIngest, name);
});

test("a form whose settings another version wrote, in another order and with one more, takes submissions", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const written = '{"submissionsPerHour":100,"notYetKnown":true,"country":"DE"}';
  await service.database.updateTable("form").set({ settings: written }).where("id", "=", formId).execute();
  await postPlain(service, formId, { name: "Ada" });
});

/** Whether a value of a setting is, or has, a text of the caller's own: no choice among some, and no number. */
const isOfTexts = (schema: TSchema): boolean => {
  const { type, enum: choices, anyOf = [], items } = Object(schema);
  if (choices !== undefined) return false;
  return [type].flat().includes("string") || [...anyOf, ...(items === undefined ? [] : [items])].some(isOfTexts);
};

/** Texts that a careless reader would store: around what a setting takes, or in its place. */
const careless: readonly (readonly [what: string, spoil: (text: string) => string])[] = [
  ["spaces around it", (text) => `  ${text}\u00a0`],
  ["no character that is seen", () => " "],
  ["a character that PostgreSQL can't store", (text) => `${text}\u0000`],
  ["half a character", (text) => `${text}\ud800`],
  ["a line break", (text) => `${text}\nsecond`],
  ["no end", (text) => text + "a".repeat(10_000)],
];

test("a setting that is a text, or a list of texts, is stored trimmed and bounded, or refused with a sentence at its place", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const ofTexts = settingNames.filter((name) => isOfTexts(settings[name].input ?? settings[name].schema));
  assert.deepEqual(ofTexts, ["webhookUrl", "allowedOrigins", "country"], "a control: those of other types are not");
  for (const name of ofTexts)
    for (const [what, spoil] of careless) {
      const example = given[name];
      const spoiled = Array.isArray(example) ? example.map((one) => spoil(String(one))) : spoil(String(example));
      const { status, body } = await account.request("PATCH", `/api/forms/${formId}`, {
        settings: { [name]: spoiled },
      });
      const places = Object.keys(body.details ?? {}).map((path) => path.split(".")[0]);
      if (status === 400) assert.deepEqual([...new Set(places)], [name], `${name}, ${what}`);
      else assert.deepEqual([status, body.form?.settings[name]], [200, example], `${name}, ${what}`);
    }
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
    country: "Must be a country code of two capital letters, such as DE, or null",
    piiTypes: "Entry 2: Must be a type of personal data, such as EMAIL_ADDRESS: /api/docs lists them",
    submissionBytesMax: "Must be at least 1024",
    submissionsPerHour: "Must be at least 1",
    binDays: "Must be an integer",
  });
});

test("a sealed form is not limited to less than an empty sealed submission takes, nor sealed while it is", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const details = {
    submissionBytesMax:
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
