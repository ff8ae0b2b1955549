/**
 * The `age` program opens an envelope from the API, with the identity that `sealpost keys program` makes and with the key that `keys unlock` writes.
 * `npm run test:clients -- age` builds the program and runs this; by hand, SEALPOST_TEST_AGE names the program.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { createReadingProgram } from "./src/testing/reading-program.ts";

const program = process.env.SEALPOST_TEST_AGE ?? "age";

test("age -d opens an envelope from the API, and the key in it opens a submission from the API", async (t) => {
  const world = await createReadingProgram(t);
  const { formId, folder, identity } = world;
  await world.changeList("add");
  await world.write([world.member.id]);
  const id = await world.submit({ name: "Zoë" });
  const headers = { authorization: `Bearer ${world.token}` };
  const answer = await fetch(`${world.service.url}/api/forms/${formId}/envelopes/1`, { headers });
  const envelope = join(folder, "envelope.age");
  writeFileSync(envelope, new Uint8Array(await answer.arrayBuffer()));
  const saved = await world.run(["keys", "envelope", "--form", formId, "--output", "saved.age"]);
  assert.equal(saved.code, 0, saved.errors);
  assert.deepEqual(readFileSync(join(folder, "saved.age")), readFileSync(envelope));
  const personal = join(folder, "key.txt");
  writeFileSync(personal, formatPersonalKey(world.owner.key), { mode: 0o600 });
  for (const reader of [identity, personal]) {
    const { status, stdout, stderr } = spawnSync(program, ["-d", "-i", reader, envelope], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const { keys } = JSON.parse(stdout.split("\n")[0] ?? "");
    const key = await parseOpeningKey({ formId, privateKey: keys[0].privateKey }, "The key that age gave");
    const submission = await world.owner.client.submissions.get(formId, id);
    const opened = await openSubmission(formId, submission, [key]);
    assert.deepEqual(opened.opened && opened.fields, { name: "Zoë" });
  }
});

test("age -d opens nothing once the program is no reader any longer", async (t) => {
  const world = await createReadingProgram(t);
  await world.changeList("add");
  await world.write([]);
  await world.run(["keys", "envelope", "--form", world.formId, "--output", "envelope.age"]);
  const envelope = join(world.folder, "envelope.age");
  const { status, stdout, stderr } = spawnSync(program, ["-d", "-i", world.identity, envelope], { encoding: "utf8" });
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /no identity matched/);
});
