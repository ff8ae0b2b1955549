import assert from "node:assert/strict";
import { test } from "node:test";
import { settingNames, settings as settingTable } from "../../server/src/forms/form-settings.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("every setting of a form is shown and can be changed, and what is not named stays", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact" })).body;
  const settings = (...parameters: string[]) => run(["forms", "settings", form.id, ...parameters], { environment });
  const load = async () => (await account.request("GET", `/api/forms/${form.id}`)).body.form.settings;

  assert.deepEqual(JSON.parse((await settings("--json")).output), await load());
  const changes = Object.fromEntries(settingNames.map((name) => [name, settingTable[name].examples.at(-1)]));
  const changed = await settings(...Object.entries(changes).map(([name, value]) => `${name}=${value}`));
  assert.equal(changed.code, 0, changed.errors);
  assert.match(changed.errors, /Submissions can now arrive unsealed/);
  assert.deepEqual(await load(), changes);
  for (const line of ["country             FR", "piiTypes            PHONE_NUMBER,IBAN_CODE", "binDays             7"])
    assert.ok(changed.output.includes(`${line}\n`), changed.output);

  assert.equal((await settings("webhookUrl=null", "submissionsPerHour=null", "encryption=true")).code, 0);
  assert.deepEqual(await load(), { ...changes, webhookUrl: null, submissionsPerHour: null, encryption: true });

  for (const [assignment, reason] of [
    ["colour=red", /name=value, with one of encryption, piiStrip/],
    ["constructor=1", /name=value/],
    ["piiStrip", /name=value/],
    ["piiStrip=yes", /piiStrip must be true or false/],
    ["binDays=-1", /binDays must be a whole number/],
  ] as const) {
    const { code, output, errors } = await settings(assignment);
    assert.deepEqual([code, output], [2, ""]);
    assert.match(errors, reason);
  }
  const refused = await settings("country=Germany");
  assert.equal(refused.code, 5);
  assert.match(refused.errors, / {2}country: /);
});

test("the help names null for the settings that take it, and for no other", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact" })).body;
  const { output } = await run(["forms", "settings", "--help"]);
  for (const name of Object.keys(form.settings)) {
    const [line = ""] = new RegExp(`^  ${name} .*$`, "m").exec(output) ?? [];
    const { code } = await run(["forms", "settings", form.id, `${name}=null`], { environment });
    assert.equal(line.includes("null"), code === 0, `${name}: ${line}`);
  }
});
