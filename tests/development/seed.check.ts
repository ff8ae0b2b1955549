import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createClient, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { answersOf } from "../../scripts/seed/answers.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

const root = join(import.meta.dirname, "..", "..");

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function seed(...parameters: readonly string[]): Promise<Ended> {
  return seedWith({}, ...parameters);
}

async function seedWith(settings: Readonly<Record<string, string>>, ...parameters: readonly string[]): Promise<Ended> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", join(root, "scripts/seed/seed.ts"), ...parameters],
    { env: { ...environment, ...settings }, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const output = await text(child.stderr);
  return { code: await ended, output };
}

test("npm run seed seals submissions that the form's key opens, into a running service and into a data folder", async (t) => {
  const service = await createTestService(t);
  const { token } = await service.signUp();
  const client = createClient({ baseUrl: service.url, token });
  const { publicKey, privateKey } = takeKeyPair();
  const { id } = await client.forms.create({ name: "Contact", publicKey });
  const running = await seed("--url", service.url, "--form", id, "--submissions", "25");
  assert.equal(running.code, 0, running.output);
  assert.match(running.output, /25 of 25 submissions, \d+ a second, sealed/);

  await service.stop();
  const closed = await seed("--data", service.folder, "--submissions", "5");
  assert.equal(closed.code, 0, closed.output);

  const again = await createTestService(t, { folder: service.folder });
  const later = createClient({ baseUrl: again.url, token });
  const { submissions, total } = await later.submissions.list(id, { limit: 100 });
  assert.equal(total, 30);
  const keys = [await parseOpeningKey(privateKey, "the test's")];
  const messages = new Set<unknown>();
  for (const submission of submissions) {
    const opened = await openSubmission(id, submission, keys);
    assert.ok(opened.opened && opened.sealed);
    messages.add(opened.fields.email);
  }
  assert.deepEqual(messages, new Set(Array.from({ length: 25 }, (_, index) => answersOf(index).email)));
});

test("npm run seed opens a data folder with the configured secret, and leaves no other in it", async (t) => {
  const SEALPOST_SECRET = randomBytes(32).toString("base64");
  const service = await createTestService(t, { environment: { SEALPOST_SECRET } });
  const account = await service.signUp();
  await account.request("POST", "/api/forms", { name: "Contact" });
  await service.stop();
  const secret = join(service.folder, "secret");
  const without = await seed("--data", service.folder, "--submissions", "1");
  assert.equal(without.code, 1);
  assert.ok(without.output.includes(`${secret} is not there, and SEALPOST_SECRET is not set`), without.output);
  assert.ok(!existsSync(secret));

  const file = join(createTemporaryFolder(t), "secret");
  writeFileSync(file, SEALPOST_SECRET);
  for (const settings of [{ SEALPOST_SECRET }, { SEALPOST_SECRET_FILE: file }]) {
    const seeded = await seedWith(settings, "--data", service.folder, "--submissions", "3");
    assert.equal(seeded.code, 0, seeded.output);
  }
  assert.ok(!existsSync(secret));
  const again = await createTestService(t, { folder: service.folder, environment: { SEALPOST_SECRET } });
  assert.equal((await again.request("GET", "/api/forms", { token: account.token })).body.forms[0].submissionCount, 6);
});

test("npm run seed says what to do where no service runs, no form is named, or the options are wrong", async (t) => {
  const silent = await seed("--url", "http://localhost:1", "--form", "form_01kb0000000000000000000000");
  assert.equal(silent.code, 1);
  assert.match(silent.output, /No service answers at http:\/\/localhost:1\. Start one with npm run dev or npm start/);
  for (const [parameters, sentence] of [
    [["--url", "http://localhost:1"], /Which form\? Name one with --form/],
    [["--submissions", "100001"], /--submissions must be a whole number from 1 to 100000/],
    [["--data", join(createTemporaryFolder(t), "none")], /There is no folder/],
    [["--lunch"], /Unknown option '--lunch'/],
  ] as const) {
    const { code, output } = await seed(...parameters);
    assert.equal(code, 2, output);
    assert.match(output, sentence);
  }
});
