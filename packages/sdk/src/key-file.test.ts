import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deriveReplyKey, fingerprint, hybridFingerprint } from "@sealpost/wire";
import { isPrivateKeyOf } from "@sealpost/wire/open";
import { firstHybridPair, secondHybridPair } from "../../../tests/support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import type { KeyFileVector } from "../../wire/src/testing/key-file-vectors.ts";
import type { SeedVectors } from "../../wire/src/testing/seed-vectors.ts";
import { hybridVectorKeys, vectorKeys } from "../../wire/src/testing/vector-keys.ts";
import { cleanFileName, exportFileName } from "./file-name.ts";
import { createKeyFile, keyFileName } from "./key-file.ts";
import { parsePaperKey, toPaperKey } from "./paper-key.ts";
import { PrivateKeyError, parseOpeningKey } from "./private-key.ts";
import { openSubmission } from "./receiver.ts";
import { createdSealed, form, now } from "./testing/delivery.ts";

const { publicKey, privateKey } = takeKeyPair();

test("a key file survives being written and read, and opens what belongs to its form and key version only", async () => {
  const keyFile = await createKeyFile({
    formId: form.id,
    formName: form.name,
    keyVersion: 2,
    createdAt: now,
    privateKey,
  });
  assert.equal(keyFile.fingerprint, await fingerprint(publicKey));
  const key = await parseOpeningKey(JSON.parse(JSON.stringify(keyFile)), "the file");
  const { submission } = await createdSealed({ name: "Zoë" }, { publicKey, privateKey }, 2);
  const opened = { opened: true, sealed: true, fields: { name: "Zoë" } };
  assert.deepEqual(await openSubmission(form.id, submission, [key]), opened);
  const older = await createdSealed({ name: "Zoë" }, { publicKey, privateKey }, 1);
  assert.equal((await openSubmission(form.id, older.submission, [key])).opened, false);
});

test("with the fingerprint that the form's list of keys shows, exactly that key is used", async () => {
  const key = await parseOpeningKey(privateKey, "the key");
  const { submission } = await createdSealed({ name: "Zoë" }, { publicKey, privateKey }, 2);
  assert.equal((await openSubmission(form.id, submission, [key], await fingerprint(publicKey))).opened, true);
  const other = await openSubmission(form.id, submission, [key], "another");
  assert.equal(!other.opened && other.reason, "no_key");
});

const seedVectors: SeedVectors = JSON.parse(
  await readFile(new URL("../../wire/vectors/seeds.json", import.meta.url), "utf8"),
);
const vectors: readonly KeyFileVector[] = JSON.parse(
  await readFile(new URL("../../wire/vectors/key-files.json", import.meta.url), "utf8"),
);

test("key files are taken and refused as the vectors say, and what is said shows nothing of the key", async () => {
  const secrets = Object.values(vectorKeys).map(({ privateKey }) => privateKey.d.slice(0, 12));
  for (const { name, file, outcome, fingerprint } of vectors) {
    const read = parseOpeningKey(new TextEncoder().encode(file), "the file");
    const result = await read.then(
      (key) => ["taken", key.fingerprint],
      (error: unknown) => {
        assert.ok(error instanceof PrivateKeyError, name);
        assert.ok(secrets.every((secret) => !error.message.includes(secret)));
        return [error.reason === "newer_format" ? error.reason : "refused", undefined];
      },
    );
    assert.deepEqual(result, [outcome, fingerprint], name);
  }
});

test("a key file and a sheet have the version's seed, and one that is no seed is refused, as the vectors say", async () => {
  for (const { name, file, outcome, seed } of seedVectors.keyFiles) {
    const read = parseOpeningKey(new TextEncoder().encode(file), "the file");
    if (outcome === "refused") await assert.rejects(read, { reason: "seed" }, name);
    else {
      const { formId = "", keyVersion: version = 0, replyKey } = await read;
      assert.equal(replyKey, seed && (await deriveReplyKey(seed, { formId, version })).replyKey, name);
    }
  }
  for (const { kind, key, hybridKey, seed, lines, code } of seedVectors.sheets) {
    const { privateKey } = vectorKeys[key];
    const hybridPrivateKey = hybridKey && hybridVectorKeys[hybridKey].privateKey;
    assert.deepEqual(await toPaperKey(privateKey, hybridPrivateKey, seed), { lines, code }, `${kind}`);
    for (const text of [lines.join("\n"), code]) {
      const read = await parsePaperKey(text);
      assert.ok("key" in read, `${kind}`);
      assert.deepEqual([read.key.n, read.hybridPrivateKey, read.seed], [privateKey.n, hybridPrivateKey, seed]);
    }
    const cut = await parsePaperKey(lines.slice(0, -1).join("\n"));
    assert.ok(!("key" in cut), "a sheet that ends before its last part");
  }
  await assert.rejects(toPaperKey(vectorKeys.small.privateKey, undefined, "AAAA"), TypeError);
});

test("whether a private key is that of a fingerprint is asked of every number of it", async () => {
  for (const { name, file, outcome, fingerprint } of vectors) {
    if (!file.startsWith('{"kty":"RSA"') || file.includes('"privateKey"') || name.includes("twice")) continue;
    const is = await isPrivateKeyOf(fingerprint ?? vectorKeys.small.fingerprint, JSON.parse(file));
    assert.equal(is, outcome === "taken", name);
  }
  const [first, second] = [firstHybridPair, secondHybridPair];
  const expected = await hybridFingerprint(first.publicKey);
  assert.ok(await isPrivateKeyOf(expected, first.privateKey));
  assert.ok(!(await isPrivateKeyOf(expected, second.privateKey)));
  assert.ok(!(await isPrivateKeyOf(expected, { ...first.privateKey, priv: second.privateKey.priv })));
});

test("a key file that was read but not parsed is said to be that, not taken for no key", async () => {
  const { submission } = await createdSealed({ name: "Zoë" }, { publicKey, privateKey }, 2);
  // As a program without types gives it.
  const unparsed: unknown[] = [await parseOpeningKey(privateKey, "the key"), { privateKey }];
  await assert.rejects(Reflect.apply(openSubmission, undefined, [form.id, submission, unparsed]), {
    name: "TypeError",
    message: /^keys\[1\] is not ready for opening.*parseOpeningKey/,
  });
});

test("the name of a key file is harmless whatever the form is called", () => {
  assert.equal(keyFileName("Kontakt – Zoë", 1), "sealpost-kontakt-zoe-v1.key.json");
  assert.equal(keyFileName("../../etc/passwd", 2), "sealpost-etc-passwd-v2.key.json");
  assert.equal(keyFileName("问卷", 1), "sealpost-form-v1.key.json");
  assert.equal(keyFileName("-".repeat(99), 1), "sealpost-form-v1.key.json");
  assert.match(keyFileName("a\0b\n".repeat(99), 1), /^sealpost-[a-z-]{1,40}-v1\.key\.json$/);
  assert.equal(exportFileName("Kontakt – Zoë", 0, "csv"), "sealpost-kontakt-zoe-1970-01-01.csv");
});

test("a stranger's name for a file becomes one that no system takes for more than a name", () => {
  const names = {
    "report.pdf": "report.pdf",
    "Bericht März 2026.tar.gz": "Bericht März 2026.tar.gz",
    "../../etc/passwd": "_.._etc_passwd",
    "C:\\Windows\\a.exe": "C__Windows_a.exe",
    "invoice\u202efdp.exe": "invoicefdp.exe",
    "a\u0000b\nc.txt": "abc.txt",
    ".htaccess": "htaccess",
    "-rf.txt": "rf.txt",
    "con.txt": "_con.txt",
    NUL: "_NUL",
    "trailing. . ": "trailing",
    "\u200b": "file",
    "": "file",
    "…": "…",
    [`${"n".repeat(300)}.jpeg`]: `${"n".repeat(80)}.jpeg`,
    [`a.${"x".repeat(300)}`]: `a.${"x".repeat(78)}`,
    "half \ud83d.png": "half.png",
    "日本.文書": "日本.文書",
  };
  for (const [name, expected] of Object.entries(names)) {
    assert.equal(cleanFileName(name), expected);
    assert.equal(cleanFileName(expected), expected);
  }
});
