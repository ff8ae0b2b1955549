import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import type { KeyFile } from "@sealpost/sdk";
import { type FormId, fingerprint, hybridFingerprint, verifyKeyLog } from "@sealpost/wire";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createReadingProgram } from "./testing/reading-program.ts";
import { createCommandLine } from "./testing/run-command-line.ts";
import { readSnippet } from "./verify/snippet.ts";

async function createScene(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { run: runLine, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const run = (...parameters: readonly string[]) => runLine(parameters, { environment });
  const formId = (await run("forms", "create", "Contact")).output.trim();
  const versions = async () =>
    (await account.request("GET", `/api/forms/${formId}/keys`)).body.keys.map(
      ({ version }: { readonly version: number }) => version,
    );
  const readKey = (name: string): KeyFile => JSON.parse(readFileSync(join(folder, name), "utf8"));
  return { run, runLine, environment, folder, formId, versions, readKey, account };
}

for (const kind of ["RSA", "hybrid"] as const)
  test(`a rotation is prepared: the ${kind} key is saved, its pin is printed with the present one, and nothing changes until it is used`, async (t) => {
    const { run, folder, formId, versions, readKey } = await createScene(t);
    const prepared = await run("forms", "rotate", formId, "--prepare", ...(kind === "hybrid" ? ["--hybrid"] : []));
    assert.equal(prepared.code, 0, prepared.errors);
    assert.deepEqual(await versions(), [1], "nothing was sent");
    const name = "sealpost-contact-v2.key.json";
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    const file = readKey(name);
    assert.deepEqual([file.formId, file.formName, file.keyVersion], [formId, "Contact", 2]);
    const pin = file.hybridPrivateKey ? await hybridFingerprint(file.hybridPrivateKey) : file.fingerprint;
    assert.equal(file.hybridPrivateKey !== undefined, kind === "hybrid");
    assert.equal(prepared.output, `${pin}\n`);
    const before = readKey("sealpost-contact-v1.key.json").fingerprint;
    const snippet = /<script[\s\S]*<\/script>/.exec(prepared.errors)?.[0] ?? assert.fail(prepared.errors);
    const { forms, unclear } = readSnippet(snippet);
    assert.deepEqual(unclear, []);
    assert.equal(snippet.split(JSON.stringify({ keyFingerprint: [before, pin] })).length, 3, "in attribute and call");
    assert.deepEqual(
      forms.map(({ id }) => id),
      [formId],
    );
    assert.match(prepared.errors, new RegExp(`forms rotate ${formId} --prepared ${name}`));
    assert.doesNotMatch(prepared.errors, /Rotated/);

    const rotated = await run("forms", "rotate", formId, "--prepared", name);
    assert.deepEqual([rotated.code, rotated.output], [0, "2\n"], rotated.errors);
    assert.deepEqual((await versions()).toSorted(), [1, 2]);
    assert.deepEqual(readKey(name), file, "the file stays as it was");
    const shown = JSON.parse((await run("forms", "show", formId, "--json")).output);
    assert.equal(await fingerprint(shown.publicKey ?? shown.form.publicKey), file.fingerprint);
    assert.doesNotMatch(rotated.errors, /takes no answers/);

    const again = await run("forms", "rotate", formId, "--prepared", name);
    assert.deepEqual([again.code, again.output], [0, "2\n"], "after a lost answer the command can be given again");
    assert.match(again.errors, /has this key already/);
    assert.deepEqual((await versions()).toSorted(), [1, 2]);
  });

test("a key that was prepared for another form or version, or not prepared, is refused, and stays where it is", async (t) => {
  const { run, folder, formId, versions, readKey } = await createScene(t);
  const other = (await run("forms", "create", "Other")).output.trim();
  assert.equal((await run("forms", "rotate", other, "--prepare")).code, 0);
  assert.equal((await run("forms", "rotate", formId, "--prepare", "--key-file", "late.json")).code, 0);
  const { formId: _, ...bare } = readKey("late.json");
  writeFileSync(join(folder, "bare.json"), JSON.stringify(bare));
  const { seed: __, ...seedless } = readKey("late.json");
  writeFileSync(join(folder, "seedless.json"), JSON.stringify(seedless));
  const refused = async (file: string, sentence: RegExp) => {
    const { code, output, errors } = await run("forms", "rotate", formId, "--prepared", file);
    assert.deepEqual([code, output], [2, ""], errors);
    assert.match(errors, sentence);
    assert.ok(file === "none.json" || existsSync(join(folder, file)));
  };
  await refused("sealpost-other-v2.key.json", /for another form/);
  await refused("bare.json", /not written by --prepare/);
  await refused("seedless.json", /not written by --prepare/);
  await refused("none.json", /there is no such file/);
  assert.deepEqual(await versions(), [1]);
  assert.equal((await run("forms", "rotate", formId)).code, 0);
  await refused("sealpost-contact-v1.key.json", /for key version 1.*next is 3/);
  await refused("late.json", /for key version 2.*next is 3/);
  assert.deepEqual((await versions()).toSorted(), [1, 2]);
  for (const [option, ...values] of [["--hybrid"], ["--key-file", "x.json"], ["--prepare"]]) {
    const both = await run("forms", "rotate", formId, "--prepared", "late.json", option ?? "", ...values);
    assert.deepEqual([both.code, both.output], [2, ""], both.errors);
  }
  const early = await run("forms", "rotate", formId, "--prepare", "--end-older", "2030-01-01");
  assert.deepEqual([early.code, early.output], [2, ""], early.errors);
});

test("a prepared key goes into the form's envelope and its key log, once, and a file for another version into none", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const withKey = ["--identity", "key.txt"];
  const run = (...parameters: readonly string[]) => world.runAs(owner.account.token, parameters);
  const made = await run("forms", "create", "Press", ...withKey);
  assert.equal(made.code, 0, made.errors);
  const formId = made.output.trim() as FormId; // as the service made it
  const newest = async () => Math.max(...(await owner.client.forms.keys(formId)).map(({ version }) => version));
  const before = await newest();
  const prepared = await run("forms", "rotate", formId, "--prepare", "--key-file", "next.json");
  assert.equal(prepared.code, 0, prepared.errors);
  assert.equal(await newest(), before);
  assert.equal((await run("forms", "rotate", formId, "--prepare", "--key-file", "other.json")).code, 0);
  const file: KeyFile = JSON.parse(readFileSync(join(folder, "next.json"), "utf8"));
  const rotated = await run("forms", "rotate", formId, ...withKey, "--prepared", "next.json");
  assert.deepEqual([rotated.code, rotated.output], [0, `${before + 1}\n`], rotated.errors);
  assert.match(rotated.errors, /next\.json/);
  const keys = await owner.client.forms.keys(formId);
  assert.equal(keys.find(({ version }) => version === before + 1)?.fingerprint, file.fingerprint);
  const log = await verifyKeyLog(await owner.client.forms.keyLog(formId), { formId });
  assert.ok(typeof log !== "string");
  assert.equal(log.entry.key.fingerprint, file.fingerprint);
  const opened = await run("keys", "readers", "list", "--form", formId, ...withKey);
  assert.equal(opened.code, 0, opened.errors);

  const again = await run("forms", "rotate", formId, ...withKey, "--prepared", "next.json");
  assert.deepEqual([again.code, again.output], [0, `${before + 1}\n`], again.errors);
  const late = await run("forms", "rotate", formId, ...withKey, "--prepared", "other.json");
  assert.deepEqual([late.code, late.output], [2, ""], late.errors);
  assert.match(late.errors, new RegExp(`for key version ${before + 1}.*next is ${before + 2}`));
  assert.equal(await newest(), before + 1);
});

test("at a terminal a rotation that turns visitors of pinned pages away is asked about first", async (t) => {
  const { runLine, environment, formId, versions } = await createScene(t);
  const asked = await runLine(["forms", "rotate", formId], { environment, typed: "no\r" });
  assert.deepEqual([asked.code, asked.output], [2, ""], asked.errors);
  assert.match(asked.errors, /--prepare/);
  assert.deepEqual(await versions(), [1]);
  const agreed = await runLine(["forms", "rotate", formId], { environment, typed: "yes\r" });
  assert.equal(agreed.code, 0, agreed.errors);
  const unasked = await runLine(["forms", "rotate", formId, "--yes"], { environment, typed: "" });
  assert.equal(unasked.code, 0, unasked.errors);
});
