import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, generatePersonalKey, generateSheet, sealKeyCopy, splitIdentity } from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { findLeaked } from "./file-secrets.ts";
import { findSecrets } from "./find-secrets.ts";
import { takeKeyPair } from "./key-pairs.ts";
import { makePersonalKey } from "./personal-key.ts";
import { createSecretLedger } from "./secret-ledger.ts";
import { shareBrowser } from "./shared-browser.ts";

test("a secret is found in every usual spelling, and nothing is found where there is none", () => {
  const text = "wq12e awyyr aqstj";
  const bytes = randomBytes(32);
  const secrets = [
    { what: "text", value: text },
    { what: "bytes", value: bytes },
  ];
  const find = (...spelled: readonly (string | Buffer)[]) =>
    findSecrets(secrets, [
      Buffer.concat([Buffer.from("before "), ...spelled.map((one) => Buffer.from(one)), Buffer.from("}")]),
    ]);
  for (const spelled of [
    text,
    text.toUpperCase(),
    text.replaceAll(" ", "-"),
    text.replaceAll(" ", ""),
    encodeURIComponent(text),
    Buffer.from(text).toString("hex"),
    Buffer.from(`x${text}`).toString("base64"),
    Buffer.from(`xy${text}`).toString("base64url"),
    Buffer.from(text, "utf16le"),
    Buffer.from(text, "utf16le").swap16(),
  ])
    assert.deepEqual(find(spelled), ["text"], String(spelled));
  for (const spelled of [
    bytes,
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64"),
    Buffer.concat([Buffer.from("a"), bytes, Buffer.from("b")]).toString("base64url"),
    Buffer.concat([Buffer.from("ab"), bytes]).toString("base64"),
    JSON.stringify([...bytes]),
    JSON.stringify(Object.fromEntries(bytes.entries())),
  ])
    assert.deepEqual(find(spelled), ["bytes"], String(spelled));
  assert.deepEqual(find(text, bytes), ["text", "bytes"]);
  assert.deepEqual(find(randomBytes(100_000), "wq12e awyyr"), []);
});

test("a page that sends what it shows, draws or has sealed, in address, header or body, is caught; one that does not is not", async (t) => {
  const ledger = createSecretLedger();
  const service = await createTestService(t, { log: ledger.log });
  const account = await service.signUp();
  ledger.record(service.app.server);
  const browser = await shareBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({ baseURL: service.url });
  await ledger.watch(context);
  const page = await context.newPage();
  await page.goto("/sign-in");

  const sheet = await generateSheet("personal");
  const shares = await splitIdentity((await generateSheet("organization")).identity, 2, 2);
  const key = await generatePersonalKey();
  const file = encodeBase64Url(await sealKeyCopy(key, { recipient: sheet.recipient }));
  const { recipient, signingKey } = key;
  const body = { recipient, signingKey, copies: [{ way: "sheet", name: "Sheet", file }] };
  assert.equal((await account.request("POST", "/api/account/personal-key", body)).status, 200);
  const words = "yo-yo felt-tip rumor crouch rumor hangover";
  const drawn = await page.evaluate(
    ([lists, words]) => {
      const show = (testId: string, items: readonly string[]) => {
        const list = document.createElement("ol");
        list.dataset.testid = testId;
        list.append(
          ...items.map((text) => {
            const item = document.createElement("li");
            item.textContent = text;
            return item;
          }),
        );
        document.body.append(list);
      };
      for (const lines of lists) show("sheet-lines", lines);
      show("words", words.split(" "));
      const code = document.createElement("pre");
      code.textContent = "http://localhost/join#adm_1.c2VjcmV0LW9mLWEtbGluaw.1-head";
      document.body.append(code);
      return [...crypto.getRandomValues(new Uint8Array(32))];
    },
    [[sheet.lines, ...shares.map(({ lines }) => lines)], words] as const,
  );
  await page.evaluate(() => fetch("/api/forms?limit=1", { headers: { "x-note": "nothing" } }));
  assert.deepEqual(await ledger.findLeaks(service.database), [], "a control: nothing was sent");

  const send = (secret: string, how: "address" | "header" | "body" | "beacon") =>
    page.evaluate(
      async ([secret, how]) => {
        if (how === "address") await fetch(`/api/forms?name=${encodeURIComponent(secret)}`);
        else if (how === "header") await fetch("/api/forms", { headers: { "x-note": secret } });
        else if (how === "body") await fetch("/api/forms", { method: "POST", body: secret });
        else navigator.sendBeacon("/api/forms", secret);
      },
      [secret, how] as const,
    );
  const seed = Buffer.from(key.signingSeed, "base64url");
  await send(sheet.lines[2] ?? "", "address");
  await send(seed.toString("hex"), "header");
  await send(JSON.stringify({ drawn }), "body");
  await send(key.seed, "body");
  await send(words.toUpperCase(), "beacon");
  await send(Buffer.from("c2VjcmV0LW9mLWEtbGluaw").toString("base64"), "body");
  await send(Buffer.from(shares[1]?.value ?? []).toString("base64"), "body");
  const found = async () =>
    new Set((await ledger.findLeaks(service.database)).map((what) => what.replace(/ \(.*/, "")));
  const wanted = [
    "a line of a sheet",
    "a signing seed",
    "a person's seed",
    "six words",
    "the secret of a link",
    "32 bytes of a page",
    "a share",
  ];
  for (;;) {
    const leaks = await found();
    // A beacon is answered by nobody: it is there with one of the next requests.
    if (wanted.every((what) => leaks.has(what))) break;
    await page.evaluate(() => fetch("/api/forms"));
  }
});

test("a secret of a key file or an identity is found in what a program prints and remembers, and none where there is none", async (t) => {
  const folder = createTemporaryFolder(t);
  mkdirSync(join(folder, "config"));
  const key = await generatePersonalKey();
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(key));
  const { privateKey } = takeKeyPair();
  writeFileSync(join(folder, "form.json"), JSON.stringify({ sealpost: "private-key", privateKey }, null, 2));
  assert.deepEqual(findLeaked(folder, [key.recipient, key.signingKey, JSON.stringify({ n: privateKey.n })]), []);
  assert.deepEqual(findLeaked(folder, [`found ${key.identity.toLowerCase()}`]), ["an identity"]);
  assert.deepEqual(findLeaked(folder, [Buffer.from(key.signingSeed, "base64url").toString("hex")]), ["a seed"]);
  assert.deepEqual(findLeaked(folder, [JSON.stringify(privateKey)]), ["a private key"]);
  writeFileSync(join(folder, "config/personal.heads.json"), JSON.stringify({ seed: key.seed }));
  assert.deepEqual(findLeaked(folder, []), ["a seed"]);
});

test("a service that logs a secret, at any level, is caught; one that logs its id is not", async (t) => {
  const ledger = createSecretLedger();
  const service = await createTestService(t, { log: ledger.log });
  const { key } = await makePersonalKey();
  service.app.log.debug({ signingKey: key.signingKey }, "A key was made");
  assert.deepEqual(await ledger.findLeaks(service.database), [], "a control");
  service.app.log.debug({ body: JSON.stringify({ signingSeed: key.signingSeed }) }, "A key was made");
  service.app.log.error({ err: new Error(`No key: ${key.identity}`) });
  assert.deepEqual((await ledger.findLeaks(service.database)).toSorted(), ["a personal key", "a signing seed"]);
});
