import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, hybridFingerprint } from "@sealpost/wire";
import { firstHybridPair, secondHybridPair } from "../../../tests/support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createKeyFile } from "./key-file.ts";
import { parseOpeningKey } from "./private-key.ts";
import { createReceiver, openSubmission } from "./receiver.ts";
import { createdHybrid, createdSealed, form, now, secret, sign } from "./testing/delivery.ts";

const rsaPair = takeKeyPair();
const keyFile = await createKeyFile({
  formId: form.id,
  keyVersion: 2,
  createdAt: now,
  privateKey: rsaPair.privateKey,
  hybridPrivateKey: firstHybridPair.privateKey,
});
const sealed = await createdSealed({ sealed: "sp1" }, rsaPair, 2);
const hybrid = await createdHybrid({ sealed: "sp2" }, firstHybridPair.publicKey, 2);

test("one key file opens what is sealed to either key of its version", async () => {
  const key = await parseOpeningKey(JSON.parse(JSON.stringify(keyFile)), "the file");
  const fingerprints = [
    undefined,
    await fingerprint(rsaPair.publicKey),
    await hybridFingerprint(firstHybridPair.publicKey),
  ];
  for (const expected of fingerprints)
    for (const [version, { submission }] of [["sp1", sealed] as const, ["sp2", hybrid] as const])
      assert.deepEqual(
        await openSubmission(form.id, submission, [key], expected),
        { opened: true, sealed: true, fields: { sealed: version } },
        `${version} with ${expected}`,
      );
  for (const { submission } of [sealed, hybrid]) {
    const other = await openSubmission(form.id, submission, [key], "another");
    assert.equal(!other.opened && other.reason, "no_key");
  }
});

test("a bare RSA key, given first, does not hide the key file of the same version", async () => {
  const keys = [await parseOpeningKey(rsaPair.privateKey, "bare"), await parseOpeningKey(keyFile, "the file")];
  for (const [version, { submission }] of [["sp1", sealed] as const, ["sp2", hybrid] as const])
    assert.deepEqual(
      await openSubmission(form.id, submission, keys, keyFile.fingerprint),
      { opened: true, sealed: true, fields: { sealed: version } },
      version,
    );
});

test("a webhook's submission opens with a key file of both keys", async () => {
  const receiver = await createReceiver({ secrets: secret, privateKeys: [keyFile], now: () => now });
  for (const [version, body] of [["sp1", sealed] as const, ["sp2", hybrid] as const]) {
    const received = await receiver.receive(await sign(body));
    assert.ok(received.verified && received.event.event === "submission.created");
    assert.deepEqual(received.event.opened, { opened: true, sealed: true, fields: { sealed: version } });
  }
});

test("without its RSA key's hybrid key, what is sealed against quantum computers has no key", async () => {
  const { hybridPrivateKey: _, hybridFingerprint: __, ...older } = keyFile;
  const key = await parseOpeningKey(older, "the file");
  assert.equal((await openSubmission(form.id, sealed.submission, [key])).opened, true);
  for (const expected of [undefined, keyFile.fingerprint, keyFile.hybridFingerprint]) {
    const opened = await openSubmission(form.id, hybrid.submission, [key], expected);
    assert.equal(!opened.opened && opened.reason, "no_key");
  }
});

test("where the runtime does not know hybrid keys, the same file opens sp1, and sp2 is a format that it can't open", async (t) => {
  const supports = Object.getOwnPropertyDescriptor(SubtleCrypto, "supports");
  assert.ok(supports);
  Object.defineProperty(SubtleCrypto, "supports", { value: undefined, configurable: true });
  t.after(() => Object.defineProperty(SubtleCrypto, "supports", supports));
  const key = await parseOpeningKey(keyFile, "the file");
  assert.equal(key.hybrid, undefined);
  assert.equal((await openSubmission(form.id, sealed.submission, [key])).opened, true);
  const opened = await openSubmission(form.id, hybrid.submission, [key]);
  assert.deepEqual(opened, {
    opened: false,
    sealed: true,
    reason: "unknown_version",
    message: "This payload has a format that this version cannot open",
  });
});

test("half a key file, and halves that do not belong together, are refused with what is wrong and without the key", async () => {
  const { privateKey: _, ...withoutRsa } = keyFile;
  const { hybridPrivateKey: __, ...withoutHybrid } = keyFile;
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [withoutRsa, /half a key file: it lacks privateKey/],
    [withoutHybrid, /half a key file: it lacks hybridPrivateKey/],
    [firstHybridPair.privateKey, /a hybrid key without the RSA key/],
    [{ ...keyFile, privateKey: firstHybridPair.privateKey }, /a hybrid key without the RSA key/],
    [{ ...keyFile, hybridPrivateKey: firstHybridPair.publicKey }, /hybridPrivateKey is not a hybrid private key/],
    [{ ...keyFile, hybridPrivateKey: rsaPair.privateKey }, /hybridPrivateKey is not a hybrid private key/],
    [{ ...keyFile, hybridPrivateKey: secondHybridPair.privateKey }, /another hybrid key than its hybridFingerprint/],
    [
      { ...keyFile, hybridPrivateKey: { ...firstHybridPair.privateKey, priv: secondHybridPair.privateKey.priv } },
      /not a usable hybrid private key/,
    ],
  ];
  for (const [input, message] of wrong)
    await assert.rejects(parseOpeningKey(input, "the file"), (error: Error) => {
      assert.match(error.message, message);
      for (const { privateKey } of [firstHybridPair, secondHybridPair])
        assert.ok(!error.message.includes(privateKey.priv));
      return error instanceof TypeError;
    });
});
