import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { openWithPassphrase, parseIdentities, passphraseForms, protectWithPassphrase } from "@sealpost/envelope";
import { createKeyFile, parseOpeningKey } from "@sealpost/sdk";
import { answerAge } from "@sealpost/vault";
import { armor, Decrypter, Encrypter } from "age-encryption";
import type { Context } from "../../packages/cli/src/context.ts";
import { readIdentityFile } from "../../packages/cli/src/identity-file.ts";
import { readPrivateKeys } from "../../packages/cli/src/private-key-files.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

// Vite makes an address of this; no reader below starts a worker.
registerHooks({
  resolve: (name, context, next) =>
    name.endsWith("?worker&url")
      ? { url: "data:text/javascript,export default ''", shortCircuit: true }
      : next(name, context),
});
// The starter of workers looks for it when it is loaded.
Object.assign(globalThis, { window: globalThis });
// By names that the compiler does not follow: it knows no addresses of workers.
const dashboard = "../../packages/dashboard/src";
const { readKey } = (await import(`${dashboard}/keys/read-key.ts`)) as {
  readKey(file: Bytes): Promise<{
    readonly kind: string;
    readonly found?: { readonly key: { readonly fingerprint: string }; readonly formName?: string };
  }>;
};
const { answerPool } = (await import(`${dashboard}/offline/answer-pool.ts`)) as {
  answerPool(request: { readonly act: "look"; readonly bytes: Bytes }): Promise<unknown>;
};

const keyFile = await createKeyFile({ keyVersion: 1, createdAt: 0, privateKey: takeKeyPair().privateKey });
const text = `${JSON.stringify({ ...keyFile, formName: "Zoë – 問い" }, null, 2)}\n`;
const { fingerprint } = keyFile;

type Bytes = Uint8Array<ArrayBuffer>;

/** As editors and shells write a text; the second is that of `>` in Windows PowerShell. */
const encodings: Readonly<Record<string, (text: string) => Bytes>> = {
  "UTF-8": (text) => new TextEncoder().encode(text),
  "UTF-16LE with its mark": (text) => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le")),
  "UTF-16BE with its mark": (text) => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le").swap16()),
  "UTF-8 with a mark": (text) => new TextEncoder().encode(`\uFEFF${text}`),
};

const forms = ["NFC", "NFD"] as const;
const words = "Zoë naïve – Ångström";

function contextOf(folder: string, input = ""): Context {
  return { folder, input: Readable.from([Buffer.from(input)]), errors: { write() {} } } as unknown as Context; // all of it that reading uses
}

/** Made by any program of age, which takes the passphrase as it comes. */
async function protect(content: string, passphrase: string): Promise<Bytes> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(4);
  return new Uint8Array(await encrypter.encrypt(content));
}

/** Everything of ours that opens a file with a passphrase; gives its text, or what can be known of it. */
const openers: Readonly<Record<string, (file: Bytes, passphrase: string, folder: string) => Promise<unknown>>> = {
  envelope: async (file, passphrase) => {
    const opened = await openWithPassphrase(file, passphrase);
    return typeof opened === "string" ? opened : opened.plain;
  },
  "dashboard and opener": async (file, passphrase) => {
    const answer = await answerAge({ act: "decrypt", file, passphrase });
    return answer.outcome === "decrypted" ? answer.plain : answer.outcome;
  },
  "identity files of the command line": async (file, passphrase, folder) => {
    await writeFile(join(folder, "file.age"), file);
    return readIdentityFile(contextOf(folder, passphrase), "file.age", "-");
  },
  "key files of the command line": async (file, passphrase, folder) => {
    await writeFile(join(folder, "file.age"), file);
    const [key] = await readPrivateKeys(contextOf(folder, passphrase), ["file.age"], "-");
    return key?.fingerprint === fingerprint ? text : key;
  },
};

for (const [opener, open] of Object.entries(openers)) {
  for (const made of forms) {
    for (const typed of forms) {
      test(`${opener}: what was made with a passphrase in ${made} opens with the same letters in ${typed}`, async (t) => {
        const file = await protect(text, words.normalize(made));
        assert.equal(await open(file, words.normalize(typed), createTemporaryFolder(t)), text);
        await assert.rejects(async () => {
          const opened = await open(file, words.toUpperCase().normalize(typed), createTemporaryFolder(t));
          if (opened === "wrong_passphrase") throw new Error("refused");
        });
      });
    }
  }
  for (const [encoding, encode] of Object.entries(encodings)) {
    test(`${opener}: an armored file in ${encoding} opens, and so does one with such a text inside`, async (t) => {
      const folder = createTemporaryFolder(t);
      assert.equal(await open(encode(armor.encode(await protect(text, words))), words, folder), text);
      const encrypter = new Encrypter();
      encrypter.setPassphrase(words);
      encrypter.setScryptWorkFactor(4);
      assert.equal(await open(new Uint8Array(await encrypter.encrypt(encode(text))), words, folder), text);
    });
  }
}

/** Everything of ours that reads a key file without a passphrase. */
const readers: Readonly<Record<string, (file: Bytes, folder: string) => Promise<unknown>>> = {
  dashboard: async (file) => {
    const reading = await readKey(file);
    return reading.found ? [reading.found.key.fingerprint, reading.found.formName] : reading;
  },
  opener: async (file) => answerPool({ act: "look", bytes: file }),
  SDK: async (file) => (await parseOpeningKey(file, "key")).fingerprint,
  "command line": async (file, folder) => {
    await writeFile(join(folder, "key.json"), file);
    return (await readPrivateKeys(contextOf(folder), ["key.json"]))[0]?.fingerprint;
  },
};

for (const [reader, read] of Object.entries(readers))
  for (const [encoding, encode] of Object.entries(encodings))
    test(`${reader}: a key file in ${encoding} is read`, async (t) => {
      const folder = createTemporaryFolder(t);
      const plain = await read(new TextEncoder().encode(text), folder);
      assert.deepEqual(await read(encode(text), folder), plain);
      assert.doesNotMatch(JSON.stringify(plain), /refused|damaged/);
    });

test("an identity file in any of these encodings is read", async (t) => {
  const folder = createTemporaryFolder(t);
  const identity =
    "# made by age-keygen\nAGE-SECRET-KEY-PQ-19XNFCX5C7LYKYXCSR3295QG35JUJLQ37QY3JQYF0W5TLGP3QPW2Q2N53V0\n";
  for (const encode of Object.values(encodings)) {
    await writeFile(join(folder, "identity.txt"), encode(identity));
    const read = await readIdentityFile(contextOf(folder), "identity.txt");
    assert.deepEqual(parseIdentities(read), parseIdentities(identity));
    assert.equal(read, identity);
  }
});

test("a key file is made with NFC, whatever the keyboard gives", async () => {
  for (const form of forms) {
    const file = await protectWithPassphrase(text, words.normalize(form), 4);
    const decrypter = new Decrypter();
    decrypter.addPassphrase(words.normalize("NFC"));
    assert.equal(await decrypter.decrypt(file, "text"), text);
  }
});

test("a passphrase of ASCII is tried once: each try takes a second", () => {
  assert.deepEqual(passphraseForms("correct horse"), ["correct horse"]);
  assert.equal(passphraseForms(words.normalize("NFC")).length, 2);
});

test("the SDK says that a key file has a passphrase, and never quotes one that is no JSON", async () => {
  const file = await protect(text, words);
  await assert.rejects(
    parseOpeningKey(file, "my key"),
    /^TypeError: my key has a passphrase: open it with the command line/,
  );
  await assert.rejects(parseOpeningKey(new TextEncoder().encode(text.slice(0, -5)), "my key"), {
    message: "my key is not a key file: it is not JSON",
  });
});
