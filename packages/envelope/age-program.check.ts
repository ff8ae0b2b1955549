/**
 * The `age` program opens what this package makes, as the README says, and this package opens what `age` makes. `npm run test:clients -- age`
 * builds the program and runs this; by hand, SEALPOST_TEST_AGE names the program.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import { generateSheet, openEnvelope, RefusalError, sealEnvelope, sealKeyCopy } from "./src/index.ts";
import { envelopes, findList } from "./src/testing/conformance.ts";
import { formId, toFormKey } from "./src/testing/envelope-maker.ts";
import { findPersonalKey, idOf, type KeyName, toSigner } from "./src/testing/people.ts";

const program = process.env.SEALPOST_TEST_AGE ?? "age";

/** A folder with an envelope and the identity of a reader, and `age` run in it. */
async function prepare(t: TestContext, file: Uint8Array, reader: KeyName) {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-age-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "envelope.age"), file);
  writeFileSync(join(folder, "identity.txt"), `${(await findPersonalKey(reader)).identity}\n`);
  return {
    folder,
    run: (...parameters: readonly string[]) => spawnSync(program, parameters, { cwd: folder, encoding: "utf8" }),
  };
}

async function createHybridEnvelope() {
  const list = await findList("hybrid keys");
  const signer = await toSigner("hybrid owner");
  const readerIds = [idOf("hybrid owner"), idOf("hybrid reader")];
  const keys = [toFormKey(1, "first", true), toFormKey(2, "second")];
  return { list, keys, ...(await sealEnvelope({ list, signer, formId, readerIds, keys })) };
}

test("age -d opens an envelope with every reader's identity, and shows the form's private keys", async (t) => {
  const { file, keys } = await createHybridEnvelope();
  for (const reader of ["hybrid owner", "hybrid reader", "hybrid recovery"] as const) {
    const { run } = await prepare(t, file, reader);
    const { status, stdout, stderr } = run("-d", "-i", "identity.txt", "envelope.age");
    assert.equal(status, 0, stderr);
    const [line = "", signature = "", ...rest] = stdout.split("\n");
    assert.deepEqual(JSON.parse(line).keys, keys);
    assert.match(signature, /^\{"signature":"[\w-]{86}"\}$/);
    assert.deepEqual(rest, [""]);
  }
});

test("age -d opens an envelope of the test vectors", async (t) => {
  const [vector] = envelopes;
  const file = decodeBase64(vector?.envelope ?? "");
  assert.ok(vector && file);
  const { run } = await prepare(t, file, vector.reader);
  const { status, stdout, stderr } = run("-d", "-i", "identity.txt", "envelope.age");
  assert.equal(status, 0, stderr);
  assert.equal(JSON.parse(stdout.split("\n")[0] ?? "").formId, vector.formId);
});

test("age -d opens no envelope with somebody else's identity", async (t) => {
  const { file } = await createHybridEnvelope();
  const { run } = await prepare(t, file, "stranger");
  const { status, stdout, stderr } = run("-d", "-i", "identity.txt", "envelope.age");
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /no identity matched/);
});

test("what age makes of the same text for the same recipients is the same envelope to us", async (t) => {
  const { file, list, keys } = await createHybridEnvelope();
  const { folder, run } = await prepare(t, file, "hybrid owner");
  assert.equal(run("-d", "-i", "identity.txt", "-o", "content.txt", "envelope.age").status, 0);
  const people = ["hybrid owner", "hybrid reader", "hybrid recovery"] as const;
  const recipients = await Promise.all(people.map(async (name) => (await findPersonalKey(name)).recipient));
  const made = run(...recipients.flatMap((recipient) => ["-r", recipient]), "-o", "again.age", "content.txt");
  assert.equal(made.status, 0, made.stderr);
  const again = new Uint8Array(readFileSync(join(folder, "again.age")));
  const { identity } = await findPersonalKey("hybrid recovery");
  const opened = await openEnvelope(again, identity, { list, formId, firstVersion: 1, revision: 1 });
  assert.ok(!(opened instanceof RefusalError));
  assert.deepEqual(opened.content.keys, keys);
});

test("age -d opens a copy of a personal key with a recovery sheet, and what comes out opens an envelope", async (t) => {
  const { file } = await createHybridEnvelope();
  const { folder, run } = await prepare(t, file, "stranger");
  const sheet = await generateSheet("personal");
  const copy = await sealKeyCopy(await findPersonalKey("hybrid reader"), { recipient: sheet.recipient });
  writeFileSync(join(folder, "copy.age"), copy);
  writeFileSync(join(folder, "sheet.txt"), `${sheet.identity}\n`);
  const opened = run("-d", "-i", "sheet.txt", "-o", "personal-key.txt", "copy.age");
  assert.equal(opened.status, 0, opened.stderr);
  const { status, stdout, stderr } = run("-d", "-i", "personal-key.txt", "envelope.age");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\{"format":"sealpost-envelope\/1"/);
});
