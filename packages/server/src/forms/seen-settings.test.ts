import assert from "node:assert/strict";
import { test } from "node:test";
import { roles } from "../access/roles.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { defaultSettings, type SettingName, settingNames, settings } from "./form-settings.ts";
import { createForm, silentWebhooks } from "./testing/test-form.ts";

/** By the table of roles in docs/teams.md. The others see every setting. */
const hidden: Readonly<Partial<Record<string, readonly SettingName[]>>> = {
  reader: ["webhookUrl", "webhookRedirects"],
};

test("every role sees each setting of a form that the table of roles gives it, and a webhook's address is in no answer for a reader", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const given = Object.fromEntries(settingNames.map((name) => [name, settings[name].examples[0]]));
  const form = await createForm(owner, given);
  const { paths } = (await owner.request("GET", "/api/openapi.json")).body;
  const asked = Object.keys(paths)
    .filter((path) => paths[path].get !== undefined && !path.replace("{form_id}", "").includes("{"))
    .map((path) => path.replace("{form_id}", form));
  assert.ok(asked.length > 20, `a control: ${asked.length} paths`);
  const url = String(given.webhookUrl);
  for (const role of roles) {
    const forms = role === "reader" || role === "developer" ? { forms: [form] } : {};
    const person: TestAccount =
      role === "owner" ? owner : await addPerson(service, owner, `${role}@example.com`, { role, ...forms });
    const expected = Object.fromEntries(
      settingNames.map((name) => [name, hidden[role]?.includes(name) ? defaultSettings[name] : given[name]]),
    );
    const seen = (await person.request("GET", `/api/forms/${form}`)).body.form;
    assert.deepEqual(seen.settings, expected, role);
    if (role !== "reader") continue;
    for (const path of asked) {
      const { body } = await person.request("GET", path);
      assert.equal(JSON.stringify(body ?? "").includes(url), false, path);
    }
  }
});
