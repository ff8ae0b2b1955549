import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createCommandLine } from "../testing/run-command-line.ts";

interface Vector {
  readonly name: string;
  readonly formId: string;
  readonly keyVersion: number;
  readonly submissionId: string;
  readonly keys: readonly { readonly name: string }[];
  readonly payload: unknown;
  readonly outcome: string;
  readonly plaintext: string;
}

const folder = join(import.meta.dirname, "../../../wire/vectors");
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
const privateKeys: Readonly<Record<string, { readonly privateKey: unknown }>> = read("keys.json");
const vectors: readonly Vector[] = [...read("good.json"), ...read("hostile.json")];

function createBody(event: string, { formId, submissionId: id, keyVersion, payload }: Omit<Vector, "keys">): string {
  const submission = { id, payload, keyVersion, timestamp: 1, receivedAt: 2 };
  return JSON.stringify({ event, timestamp: 2, form: { id: formId, name: "Contact" }, submission });
}

test("webhooks open prints what is in every good vector, and nothing of any other", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  for (const [name, { privateKey }] of Object.entries(privateKeys))
    await writeFile(join(here, `${name}.json`), JSON.stringify(privateKey));
  let opened = 0;
  for (const vector of vectors) {
    // Those are about which of several keys is taken.
    if (vector.outcome === "no_key") continue;
    const keys = vector.keys.flatMap(({ name }) => ["--key", `${name}.json`]);
    const { code, output, errors } = await run(["webhooks", "open", ...keys], {
      input: createBody("submission.created", vector),
    });
    if (vector.outcome === "opened") {
      opened += 1;
      assert.deepEqual([code, JSON.parse(output), errors], [0, JSON.parse(vector.plaintext), ""], vector.name);
    } else {
      assert.ok(code === 7 || code === 2, `${vector.name}: ${code}`);
      assert.equal(output, "", vector.name);
      assert.notEqual(errors, "", vector.name);
    }
  }
  assert.ok(opened > 20, `${opened} opened`);
});

test("webhooks open says what is wrong with what is no sealed submission", async (t) => {
  const { run, folder: here } = createCommandLine(t);
  await writeFile(join(here, "key.json"), JSON.stringify(privateKeys.small?.privateKey));
  const open = (input: string) => run(["webhooks", "open", "--key", "key.json"], { input });
  const [first] = vectors;
  assert.ok(first);
  assert.match((await open("no JSON")).errors, /not JSON/);
  const deleted = await open(createBody("submission.deleted", first));
  assert.deepEqual([deleted.code, deleted.output], [2, ""]);
  assert.match(deleted.errors, /submission\.deleted event holds nothing/);
  const plain = { encrypted: false, version: "plain1", fields: { name: "Zoë\u001b[2J" } };
  const { code, output } = await open(createBody("submission.created", { ...first, payload: plain }));
  assert.equal(code, 0);
  assert.equal(output, '{"name":"Zoë\\u001b[2J"}\n', "nothing acts on the terminal");
  assert.equal((await run(["webhooks", "open"], { input: "{}" })).code, 2);
});
