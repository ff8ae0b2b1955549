import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import foreign from "../../wire/vectors/foreign.json" with { type: "json" };
import good from "../../wire/vectors/good.json" with { type: "json" };
import hostile from "../../wire/vectors/hostile.json" with { type: "json" };
import hybrid from "../../wire/vectors/hybrid.json" with { type: "json" };
import keyPairs from "../../wire/vectors/keys.json" with { type: "json" };
import { createCommandLine } from "./testing/run-command-line.ts";

const privateKeys: Readonly<Record<string, { readonly privateKey: unknown }>> = keyPairs;

interface Bound {
  readonly formId: string;
  readonly submissionId: string;
  readonly keyVersion: number;
  readonly payload: unknown;
}

function createBody(event: string, { formId, submissionId: id, keyVersion, payload }: Bound): string {
  const submission = { id, payload, keyVersion, timestamp: 1, receivedAt: 2 };
  return JSON.stringify({ event, timestamp: 2, form: { id: formId, name: "Contact" }, submission });
}

test("webhooks open prints what is in every good vector, and nothing of any other", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  for (const [name, { privateKey }] of Object.entries(privateKeys))
    await writeFile(join(here, `${name}.json`), JSON.stringify(privateKey));
  const open = (vector: Bound & { readonly keys: readonly { readonly name: string }[] }) =>
    run(["webhooks", "open", ...vector.keys.flatMap(({ name }) => ["--key", `${name}.json`])], {
      input: createBody("submission.created", vector),
    });
  for (const vector of good) {
    const { code, output, errors } = await open(vector);
    assert.deepEqual([code, JSON.parse(output), errors], [0, JSON.parse(vector.plaintext), ""], vector.name);
  }
  for (const vector of hostile) {
    // Those are about which of several keys is taken.
    if (vector.outcome === "no_key") continue;
    const { code, output, errors } = await open(vector);
    assert.ok(code === 7 || code === 2, `${vector.name}: ${code}`);
    assert.equal(output, "", vector.name);
    assert.notEqual(errors, "", vector.name);
  }
});

test("webhooks open says that a page has sealed something along that it does not show", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  const vector = foreign.find((candidate) => candidate.outcome === "opened" && candidate.sealpost !== undefined);
  assert.ok(vector);
  const keys = vector.keys.map(({ name }) => ({ name, key: privateKeys[name]?.privateKey }));
  for (const { name, key } of keys) await writeFile(join(here, `${name}.json`), JSON.stringify(key));
  const { code, output, errors } = await run(
    ["webhooks", "open", ...keys.flatMap(({ name }) => ["--key", `${name}.json`])],
    { input: createBody("submission.created", vector) },
  );
  assert.equal(code, 0);
  assert.ok(!output.includes("sealpost"), "the answers are alone");
  assert.match(errors, /sealed something along/);
});

test("webhooks open names a hybrid key that the key file of the version does not have", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  await writeFile(join(here, "key.json"), JSON.stringify(privateKeys.small?.privateKey));
  const vector = hybrid.find(({ outcome, keyVersion }) => outcome === "opened" && keyVersion === 1);
  assert.ok(vector);
  const { code, output, errors } = await run(["webhooks", "open", "--key", "key.json"], {
    input: createBody("submission.created", vector),
  });
  assert.deepEqual([code, output], [7, ""]);
  assert.match(errors, /^Sealed to a hybrid key of version 1 that is not in this key file/m);
});

test("webhooks open says what is wrong with what is no sealed submission", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  await writeFile(join(here, "key.json"), JSON.stringify(privateKeys.small?.privateKey));
  const open = (input: string) => run(["webhooks", "open", "--key", "key.json"], { input });
  const [first] = good;
  assert.ok(first);
  assert.match((await open("no JSON")).errors, /not JSON/);
  const deleted = await open(createBody("submission.deleted", first));
  assert.deepEqual([deleted.code, deleted.output], [2, ""]);
  assert.match(deleted.errors, /submission\.deleted event contains nothing/);
  const plain = { encrypted: false, version: "plain1", fields: { name: "Zoë\u001b[2J" } };
  const body = createBody("submission.created", { ...first, payload: plain });
  const refused = await open(body);
  assert.deepEqual([refused.code, refused.output], [8, ""]);
  assert.match(refused.errors, /Nobody sealed this submission/);
  const { code, output, errors } = await run(["webhooks", "open", "--plain", "--key", "key.json"], { input: body });
  assert.equal(code, 0);
  assert.match(errors, /Nobody sealed it/);
  assert.equal(output, '{"name":"Zoë\\u001b[2J"}\n', "nothing acts on the terminal");
  assert.equal((await run(["webhooks", "open"], { input: "{}" })).code, 2);
});
