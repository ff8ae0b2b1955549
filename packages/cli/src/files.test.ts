import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { chmod, type FileHandle, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import { createVersionSeed } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import type { Context } from "./context.ts";
import { readIdentityFile, writeSecretFile } from "./identity-file.ts";
import { parseInstanceUrl } from "./instance-url.ts";
import { createNewFile } from "./new-file.ts";
import { readKeyFile, readPrivateKeys, reserveKeyFile } from "./private-key-files.ts";
import { replaceFile } from "./replace-file.ts";

const rsa = takeKeyPair();
const { publicKey, privateKey } = rsa;
const seed = createVersionSeed();
const said: string[] = [];
// All of it that these use.
const here = { folder: "/nowhere", errors: { write: (line: string) => said.push(line) } } as unknown as Context;
/** Each way to write a file with private keys. */
const secretWriters: readonly ((path: string) => Promise<unknown>)[] = [
  (path) => reserveKeyFile(here, path, { rsa, seed }),
  (path) => writeSecretFile(here, path, "AGE-SECRET-KEY"),
];
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("an instance is an origin, and only on this machine may it go without encryption", () => {
  assert.equal(parseInstanceUrl("https://forms.example.org/"), "https://forms.example.org");
  for (const local of ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])
    assert.equal(parseInstanceUrl(local), local);
  for (const text of [
    "",
    "forms.example.org",
    "http://forms.example.org",
    "http://127.0.0.1.example.org",
    "https://a@b.example",
    "https://a.example/api",
    "ftp://a.example",
  ])
    assert.throws(() => parseInstanceUrl(text), { exit: "usage" }, text);
});

test("a key file holds the private key before anything is sent, mode 0600, and all the rest once it is complete", async (t) => {
  const path = join(createTemporaryFolder(t), "contact.json");
  const file = await reserveKeyFile(here, path, { rsa, seed });
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), { privateKey, seed });
  assert.equal(await modeOf(path), 0o600);
  const keyFile = await createKeyFile({
    formId: "form_1",
    formName: "Contact",
    keyVersion: 3,
    createdAt: 1,
    privateKey,
  });
  await file.complete(keyFile);
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), keyFile);
  assert.equal(await modeOf(path), 0o600);
  assert.deepEqual(await readdir(join(path, "..")), ["contact.json"]);
  const [key] = await readPrivateKeys(here, [path]);
  assert.deepEqual([key?.formId, key?.keyVersion, key?.fingerprint], ["form_1", 3, keyFile.fingerprint]);
});

test("a key file never overwrites another, and can be taken back", async (t) => {
  const path = join(createTemporaryFolder(t), "contact.json");
  await writeFile(path, "precious");
  await assert.rejects(reserveKeyFile(here, path, { rsa, seed }), {
    exit: "usage",
    message: /already exists and is never overwritten/,
  });
  assert.equal(await readFile(path, "utf8"), "precious");
  const second = await reserveKeyFile(here, `${path}.2`, { rsa, seed });
  await second.discard();
  assert.deepEqual(await readdir(join(path, "..")), ["contact.json"]);
  await assert.rejects(reserveKeyFile(here, join(path, "below"), { rsa, seed }), { exit: "usage" });
});

test("a recovery sheet that was typed or scanned is a key file", async (t) => {
  const path = join(createTemporaryFolder(t), "sealpost-contact-v1.key.json");
  const keyFile = await createKeyFile({ formName: "Contact form", keyVersion: 1, createdAt: 1, privateKey });
  await writeFile(path, `\uFEFF${JSON.stringify(keyFile, null, 2).replace(/.{50}/g, "$&\r\n")}`);
  const [key] = await readPrivateKeys(here, [path]);
  assert.equal(key?.fingerprint, keyFile.fingerprint);
});

test("a file that holds no usable private key is named, and nothing of it is shown", async (t) => {
  const folder = createTemporaryFolder(t);
  const path = join(folder, "key.json");
  const { d: _, ...incomplete } = privateKey;
  for (const content of [
    "",
    "-----BEGIN PRIVATE KEY-----",
    JSON.stringify(publicKey),
    JSON.stringify(incomplete),
    `${JSON.stringify(privateKey)}x`,
  ]) {
    await writeFile(path, content);
    await assert.rejects(readPrivateKeys(here, [path]), (error: Error & { exit?: string }) => {
      assert.equal(error.exit, "usage");
      assert.ok(error.message.includes(path));
      for (const hidden of [privateKey.n.slice(0, 8), "BEGIN"])
        assert.ok(!error.message.includes(hidden), error.message);
      return true;
    });
  }
  await assert.rejects(readPrivateKeys(here, [join(folder, "none.json")]), {
    exit: "usage",
    message: /cannot be read/,
  });
});

/** Names of files that are there at each flush of a file or folder, by what is flushed. */
async function watchFlushes(t: TestContext, folder: string, run: () => Promise<unknown>) {
  const probe = await open(join(folder, "probe"), "w");
  const prototype = Object.getPrototypeOf(probe) as FileHandle; // that of every handle
  const { sync } = prototype;
  const flushes: [flushed: string, there: readonly string[]][] = [];
  t.mock.method(prototype, "sync", function (this: FileHandle) {
    flushes.push([relative(folder, readlinkSync(`/proc/self/fd/${this.fd}`)), readdirSync(folder)]);
    return sync.call(this);
  });
  await probe.close();
  await rm(join(folder, "probe"));
  await run();
  t.mock.restoreAll();
  return flushes;
}

const onLinux = { skip: process.platform !== "linux" };

test("a file is on the disk before it has its name, and then the name", onLinux, async (t) => {
  const folder = createTemporaryFolder(t);
  const written = join(folder, "out");
  const exported = await watchFlushes(t, folder, async () => {
    const file = await createNewFile(written, "out");
    file.stream.write("a line\n");
    await file.complete();
  });
  assert.deepEqual(exported, [
    ["out.part", ["out.part"]],
    ["", ["out"]],
  ]);
  const replaced = await watchFlushes(t, folder, () => replaceFile(written, "another"));
  assert.deepEqual(
    replaced.map(([flushed, there]) => [flushed.replace(/out\..*/, "temporary"), there.length]),
    [
      ["temporary", 2],
      ["", 1],
    ],
  );
  await rm(written);
  for (const write of secretWriters) {
    const flushed = await watchFlushes(t, folder, () => write(join(folder, "secret")));
    assert.deepEqual(flushed, [
      ["secret", ["secret"]],
      ["", ["secret"]],
    ]);
    await rm(join(folder, "secret"));
  }
});

test("a file with private keys that can't be written whole is not left cut off, and is written when there is room", async (t) => {
  const path = join(createTemporaryFolder(t), "secret");
  for (const write of secretWriters) {
    const probe = await open(`${path}.probe`, "w");
    const prototype = Object.getPrototypeOf(probe) as FileHandle; // that of every handle
    await probe.close();
    t.mock.method(prototype, "sync", async () => {
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    });
    await assert.rejects(write(path), { exit: "usage", message: /no space left/ });
    t.mock.restoreAll();
    await assert.rejects(stat(path), { code: "ENOENT" });
    await write(path);
    await assert.rejects(write(path), { exit: "usage", message: /already exists and is never overwritten/ });
    await rm(path);
  }
});

test(
  "where others may read an identity, the command says so; browsers save key files like that",
  onLinux,
  async (t) => {
    const path = join(createTemporaryFolder(t), "secret");
    const keyFile = await createKeyFile({ formName: "Contact form", keyVersion: 1, createdAt: 1, privateKey });
    await writeFile(path, JSON.stringify(keyFile));
    for (const [read, isWarned] of [
      [() => readPrivateKeys(here, [path]), false],
      [() => readKeyFile(here, path), false],
      [() => readIdentityFile(here, path), true],
    ] as const)
      for (const [mode, isOpen] of [
        [0o600, false],
        [0o640, true],
        [0o604, true],
      ] as const) {
        await chmod(path, mode);
        said.length = 0;
        await read();
        const warnings = said.filter((line) => line.includes(`read ${path}: chmod 600`));
        assert.equal(warnings.length, isWarned && isOpen ? 1 : 0, `${mode}`);
      }
  },
);
