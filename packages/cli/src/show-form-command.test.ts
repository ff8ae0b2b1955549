import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../../server/src/forms/testing/test-form.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("a form is shown with its counts, every version of its key, the proof of the newest, and its settings", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const id = (await run(["forms", "create", "Contact"], { environment })).output.trim();
  assert.equal((await run(["forms", "rotate", id], { environment })).code, 0);
  const shown = await run(["forms", "show", id], { environment });
  assert.equal(shown.code, 0, shown.errors);
  const { form } = (await account.request("GET", `/api/forms/${id}`)).body;
  const { keys } = (await account.request("GET", `/api/forms/${id}/keys`)).body;
  assert.equal(keys.length, 2);
  for (const { version, fingerprint } of keys)
    assert.match(shown.output, new RegExp(`^${version} +${fingerprint} +20\\S+Z`, "m"));
  assert.match(shown.output, /^stored +0$/m);
  assert.match(shown.output, /^key +proved: /m);
  for (const name of Object.keys(form.settings)) assert.match(shown.output, new RegExp(`^${name} +\\S`, "m"));
  const json = JSON.parse((await run(["forms", "show", id, "--json"], { environment })).output);
  assert.deepEqual(json, { ...form, receivedCount: 0, keys });

  const plain = await createForm(account, { encryption: false });
  const submissionId = await postPlain(service, plain);
  await postPlain(service, plain);
  await account.request("DELETE", `/api/forms/${plain}/submissions/${submissionId}`);
  const counted = await run(["forms", "show", plain], { environment });
  assert.match(counted.output, /^stored +1$/m);
  assert.match(counted.output, /^received +2$/m);
  assert.doesNotMatch(counted.output, /^key /m);
  assert.equal((await run(["forms", "show", "form_01hk153x00e5rbcwg8rxcnh8w4"], { environment })).code, 4);
});

test("a form that refuses visitors says so, with the cause and since when, where it is shown and in the list", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const form = await createForm(account, { encryption: false, allowedOrigins: ["https://a.example"] });
  const quiet = await run(["forms", "list"], { environment });
  assert.doesNotMatch(quiet.errors, /refused/);
  const body = { payload: { encrypted: false, version: "plain1", fields: {} } };
  const headers = { origin: "https://b.example" };
  const refused = await service.request("POST", `/api/forms/${form}/submissions`, { body, headers });
  assert.equal(refused.status, 403);
  const shown = await run(["forms", "show", form], { environment });
  assert.match(shown.output, /^refused +origin since 20\S+Z, last 20\S+Z$/m);
  const listed = await run(["forms", "list"], { environment });
  assert.match(listed.errors, /^Visitors of .* are refused: origin since 20\S+Z, last 20\S+Z\.$/m);
});
