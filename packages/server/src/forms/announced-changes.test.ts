import assert from "node:assert/strict";
import { test } from "node:test";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { type SettingName, settingNames, settings } from "./form-settings.ts";
import { pair } from "./testing/test-form.ts";

async function createBench(t: Parameters<typeof createMailBench>[0]) {
  const { service, account, clock } = await createMailBench(t, { isServiceMailing: true });
  const permissions = ["forms:write", "submissions:delete"];
  const made = await account.request("POST", "/api/api-keys", { name: "Key", permissions });
  const token: string = made.body.key.key;
  const ask = (method: string, path: string, body: object) =>
    service.request(method, `/api/forms${path}`, { token, body });
  return {
    createForm: async (settings: object, name: string) =>
      (await ask("POST", "", { name, settings, publicKey: pair.publicKey })).body.form.id as string, // as the service answered it
    change: (formId: string, settings: object) => ask("PATCH", `/${formId}`, { settings }),
    retain: (formId: string, days: number | null) => ask("PUT", `/${formId}/retention`, { days }),
    /** The events of the security emails that `change` caused. */
    async announced(change: () => Promise<{ readonly status: number; readonly body: unknown }>): Promise<string[]> {
      await service.database.deleteFrom("mail").execute();
      // A day has room for so many.
      clock.advance(dayMilliseconds + 1);
      const { status, body } = await change();
      assert.equal(status, 200, JSON.stringify(body));
      const rows = await service.database.selectFrom("mail").select("details").where("kind", "=", "security").execute();
      return rows.map(({ details }) => JSON.parse(details).event).toSorted();
    },
  };
}

/** The first of the examples, which is a shorter time of the bin. */
const given = (name: SettingName) => ({ [name]: settings[name].examples[0] });

test("owners get the email about a change of a form's setting that its declaration names, and no other", async (t) => {
  const { createForm, change, announced } = await createBench(t);
  for (const name of settingNames) {
    const isStripping = settings[name].announced === "stripping_changed";
    const formId = await createForm(isStripping && name !== "piiStrip" ? { piiStrip: true } : {}, name);
    const expected = settings[name].announced === undefined ? [] : [settings[name].announced];
    assert.deepEqual(await announced(() => change(formId, given(name))), expected, name);
    assert.deepEqual(await announced(() => change(formId, given(name))), [], `${name}, unchanged`);
  }
  const all = Object.assign({}, ...settingNames.map(given));
  const formId = await createForm({}, "all");
  const every = [...new Set(settingNames.flatMap((name) => settings[name].announced ?? []))];
  assert.deepEqual(
    await announced(() => change(formId, all)),
    every.toSorted(),
    "each once, whatever is changed together",
  );
  assert.deepEqual(await announced(() => change(formId, { binDays: 30 })), [], "nothing is lost with more days");
  assert.deepEqual(await announced(() => change(formId, { piiStrip: false })), ["stripping_changed"]);
  assert.deepEqual(await announced(() => change(formId, { country: null })), [], "while nothing is stripped");
});

test("days after which submissions are deleted are announced when there are fewer of them", async (t) => {
  const { createForm, retain, announced } = await createBench(t);
  const formId = await createForm({}, "Contact");
  for (const [days, isFewer] of [
    [365, true],
    [365, false],
    [400, false],
    [30, true],
    [null, false],
  ] as const)
    assert.deepEqual(await announced(() => retain(formId, days)), isFewer ? ["keeping_shortened"] : [], `${days} days`);
});
