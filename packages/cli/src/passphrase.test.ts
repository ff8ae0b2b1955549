import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";

import { armor, Encrypter } from "age-encryption";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../sdk/src/testing/delivery.ts";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import type { Context } from "./context.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

const passphrase = "correct horse – Zoë ";
const pair = takeKeyPair();
const keyFile = await createKeyFile({ keyVersion: 1, createdAt: 0, privateKey: pair.privateKey });

/** A file as the dashboard and `age --passphrase` write it. */
async function protect(words = passphrase): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(words);
  encrypter.setScryptWorkFactor(10);
  return encrypter.encrypt(JSON.stringify(keyFile));
}

/** A person at a terminal who answers one question after the other. */
function createPerson(folder: string, ...answers: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const errors = new PassThrough();
  let shown = "";
  errors.on("data", (chunk) => {
    shown += chunk;
    if (`${chunk}`.endsWith(": ")) setImmediate(() => input.write(`${answers.shift()}\r`)); // as a terminal does, never in the same turn
  });
  const context = { folder, input, errors, signal: new AbortController().signal } as unknown as Context; // all of it that reading uses
  return { context, shown: () => shown };
}

test("a key file with a passphrase opens with what is typed at the terminal, which shows nothing of it", async (t) => {
  const folder = createTemporaryFolder(t);
  await writeFile(join(folder, "v1.age"), await protect());
  await writeFile(join(folder, "v2.age"), armor.encode(await protect()));
  const person = createPerson(folder, "wrong", passphrase);
  const keys = await readPrivateKeys(person.context, ["v1.age", "v2.age"]);
  assert.deepEqual(
    keys.map(({ fingerprint }) => fingerprint),
    [keyFile.fingerprint, keyFile.fingerprint],
  );
  assert.equal(person.shown().split("Passphrase of").length, 3, "two questions, and none for the second file");
  assert.doesNotMatch(person.shown(), /wrong|horse/);
});

test("three wrong passphrases end the command, and the message shows none of them", async (t) => {
  const folder = createTemporaryFolder(t);
  await writeFile(join(folder, "v1.age"), await protect());
  const person = createPerson(folder, "wrong", "wrong", "wrong", passphrase);
  await assert.rejects(readPrivateKeys(person.context, ["v1.age"]), {
    exit: "usage",
    message: `That passphrase does not open the key file ${join(folder, "v1.age")}`,
  });
});

test("a program gives passphrases in a file or on standard input, one a line, and never as an argument", async (t) => {
  const { run, folder } = createCommandLine(t);
  await writeFile(join(folder, "v1.age"), await protect());
  await writeFile(join(folder, "secret"), `another\r\n${passphrase}\n`);
  await writeFile(join(folder, "wrong"), "another\n");
  const input = JSON.stringify(await createdSealed({ name: "Zoë" }, pair));
  const open = (...parameters: string[]) => run(["webhooks", "open", "--key", "v1.age", ...parameters], { input });
  assert.deepEqual(await open("--passphrase-file", "secret"), { code: 0, output: '{"name":"Zoë"}\n', errors: "" });
  const refusals = [
    [open(), /protected with a passphrase: give a file that contains it with --passphrase-file/],
    [open("--passphrase-file", "wrong"), /No passphrase in wrong opens the key file/],
    [open("--passphrase-file", "none"), /The passphrase file none cannot be read/],
    [open("--passphrase-file", "-"), /must name a file here/],
  ] as const;
  for (const [refused, reason] of refusals) {
    const { code, output, errors } = await refused;
    assert.deepEqual([code, output], [2, ""]);
    assert.match(errors, reason);
    assert.doesNotMatch(errors, /horse|another/);
  }
  const context = { folder, input: Readable.from([passphrase]) } as unknown as Context; // all of it that reading uses
  assert.equal((await readPrivateKeys(context, ["v1.age"], "-")).length, 1);
});

test("a damaged key file with a passphrase is called damaged, whatever is typed", async (t) => {
  const { run, folder } = createCommandLine(t);
  await writeFile(join(folder, "secret"), passphrase);
  const whole = await protect();
  for (const bytes of [whole.slice(0, -1), whole.slice(0, 80), Buffer.from("-----BEGIN AGE ENCRYPTED FILE-----\n")]) {
    await writeFile(join(folder, "v1.age"), bytes);
    const { code, errors } = await run(["webhooks", "open", "--key", "v1.age", "--passphrase-file", "secret"]);
    assert.equal(code, 2);
    assert.match(errors, /is damaged/);
  }
  await writeFile(join(folder, "v1.age"), new Uint8Array(70_000));
  assert.match((await run(["webhooks", "open", "--key", "v1.age"])).errors, /is too large for a key file/);
});
