import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { fingerprint, keyLogPageBytesMax, type LoggedKey } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { embedCode, keyLogCode, untilState } from "../testing/browser.ts";
import { createKeyLog, createLogSigner } from "../testing/key-log.ts";
import type { TestService } from "../testing/service.ts";
import { startSiteAndService } from "../testing/site.ts";

// Pages that pin their form's key log: they seal to its newest key and to nothing else, whatever the service says.

const { service, site } = await startSiteAndService();
const [signer, stranger] = await Promise.all([createLogSigner(), createLogSigner()]);
const older = takeKeyPair();
const first: LoggedKey = {
  version: 2,
  fingerprint: await fingerprint(older.publicKey),
  hybridFingerprint: null,
  replyKey: null,
};
const newest: LoggedKey = { ...first, version: 3, fingerprint: service.fingerprint };
const hybrid: LoggedKey = { ...newest, hybridFingerprint: service.hybridFingerprint };
const form = `<form><input name="secret" value="hunter2"><button>Send</button></form>`;

beforeEach(async () => {
  await site.reset();
  service.reset();
});

/** A log whose first entry is pinned, and that has a second one. */
async function makeLog(second = newest) {
  const log = createKeyLog(service.formId, signer);
  const pin = await log.add(first);
  const head = await log.add(second);
  service.keyLogAnswer = (from) => ({ body: log.page(from) });
  return { log, pin, head };
}

async function openPage(keyLog: string, more: Record<string, unknown> = {}): Promise<Page> {
  return site.open(form + keyLogCode(service, { keyLog, ...more }));
}

const submit = (page: Page) => page.evaluate(() => Reflect.get(window, "handle").submit());
const logRequests = () => service.requests.filter(({ path }) => path.includes("/keys/log")).map(({ path }) => path);

/** Nothing was sent, what was typed is there and offered as a file, and the visitor reads the sentence of `code`. */
async function refused(page: Page, code: string, sentence: RegExp): Promise<void> {
  const outcome = await submit(page);
  assert.deepEqual([outcome.sent, outcome.code], [false, code]);
  assert.match((await page.locator("[role=alert]").textContent()) ?? "", sentence);
  assert.match(outcome.message, /Your answers are still here: save them/);
  assert.equal(await page.inputValue("input"), "hunter2");
  assert.deepEqual(service.posts, []);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save your answers" }).click();
  assert.equal(await readFile(await (await download).path(), "utf8"), "secret: hunter2\n");
}

test("a page seals to the newest key of the log that it pins, of whatever version and kind, and asks only for what follows its pin", async () => {
  const { pin, head } = await makeLog();
  const page = await openPage(pin);
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
  assert.ok(logRequests().every((path) => /from=[12]$/.test(path)));
  const other = await openPage(head);
  assert.equal((await submit(other)).sent, true);
  assert.match(logRequests().at(-1) ?? "", /from=2$/);
  service.reset({ hybrid: true });
  service.publicAnswer = ({ form }) => ({
    body: { form: { ...form, hybridKeyFingerprint: service.hybridFingerprint } },
  });
  const withHybrid = await makeLog(hybrid);
  const third = await openPage(withHybrid.pin, { keyFingerprint: service.hybridFingerprint });
  assert.deepEqual([(await submit(third)).sent, JSON.parse(service.posts[0] ?? "{}").payload.version], [true, "sp2"]);
});

const swapped = takeKeyPair();
const swappedFingerprint = await fingerprint(swapped.publicKey);
const offers: readonly (readonly [string, TestService["publicAnswer"]])[] = [
  [
    "another key",
    ({ form }) => ({
      body: { form: { ...form, publicKey: { ...swapped.publicKey }, keyFingerprint: swappedFingerprint } },
    }),
  ],
  ["the key as another version", ({ form }) => ({ body: { form: { ...form, keyVersion: 4 } } })],
  [
    "the key before",
    ({ form }) => ({
      body: {
        form: { ...form, keyVersion: 2, publicKey: { ...older.publicKey }, keyFingerprint: first.fingerprint },
      },
    }),
  ],
];

test("a key that is not the newest of the log gets nothing: another one, another version, a hidden or an added hybrid key, or one that keyFingerprint forbids", async () => {
  const { pin } = await makeLog();
  for (const [name, answer] of offers) {
    service.publicAnswer = answer;
    await refused(await openPage(pin), "key_log_key", /not the newest of its list of keys/);
    assert.ok(name);
  }
  service.publicAnswer = (body) => ({ body });
  const pinned = await submit(await openPage(pin, { keyFingerprint: first.fingerprint }));
  assert.equal(pinned.code, "key_refused");
  await makeLog(hybrid);
  await refused(await openPage((await makeLog(hybrid)).pin), "key_log_key", /not the newest/);
  service.reset({ hybrid: true });
  service.publicAnswer = ({ form }) => ({
    body: { form: { ...form, hybridKeyFingerprint: service.hybridFingerprint } },
  });
  await refused(await openPage((await makeLog()).pin), "key_log_key", /not the newest/);
});

test("a log that was given up, forked, shortened, signed by a stranger, of another form, damaged or too long gets nothing, and each says so", async () => {
  const { log, pin, head } = await makeLog();
  const answer = (body: unknown, status = 200) => {
    service.keyLogAnswer = () => ({ status, body });
  };
  answer({ error: "not_found", message: "", code: "key_log_none" }, 404);
  await refused(await openPage(pin), "key_log_gone", /no longer has the list of keys/);
  const fork = createKeyLog(service.formId, stranger);
  await fork.add(first, stranger, [stranger]);
  await fork.add(newest, stranger, [stranger]);
  answer(fork.page(1));
  await refused(await openPage(pin), "key_log_forked", /not the one that this page knows/);
  answer("");
  await refused(await openPage(head), "key_log_short", /ends before the entry that this page knows/);
  const foreign = createKeyLog(service.formId, signer);
  const foreignPin = await foreign.add(first);
  await foreign.addForeign(newest, stranger);
  answer(foreign.page(1));
  await refused(await openPage(foreignPin), "key_log_signer", /not signed by somebody who may/);
  const elsewhere = createKeyLog("form_00000000000000000000000000", signer);
  const elsewherePin = await elsewhere.add(newest);
  answer(elsewhere.page(1));
  await refused(await openPage(elsewherePin), "key_log_damaged", /is damaged/);
  answer(log.page(1).slice(0, -10));
  await refused(await openPage(pin), "key_log_damaged", /is damaged/);
  answer(log.page(1).repeat(Math.ceil(keyLogPageBytesMax / log.page(1).length) + 1));
  await refused(await openPage(pin), "key_log_long", /is too long/);
  assert.equal((await submit(await openPage(pin, { messages: { key_log_long: "Zu lang" } }))).message, "Zu lang");
});

test("the ordinary script sends nothing with the option, nor does its own with a malformed pin, and neither asks for anything", async () => {
  const { pin } = await makeLog();
  const ordinary = await site.open(form + embedCode(service, { keyLog: pin }));
  assert.equal((await submit(ordinary)).code, "misconfigured");
  for (const options of [
    { keyLog: pin.slice(0, -1) },
    { keyLog: `0${pin}` },
    { keyLog: `2147483648${pin.slice(1)}` },
    { keyLog: "" },
    { keyLog: null },
    { keyLog: pin, encryption: false },
    { keyLog: pin, keylog: pin },
  ])
    assert.equal(
      (await submit(await site.openNext(form + keyLogCode(service, options as never)))).code,
      "misconfigured",
    );
  assert.deepEqual(
    service.requests.filter(({ path }) => path.startsWith("/api")),
    [],
  );
});

test("a log that does not come is waited for: nothing is sent without it, and what was typed is sent once it is there", async () => {
  const { log, pin } = await makeLog();
  for (const broken of ["lose", { status: 503, body: { error: "unavailable", message: "" } }] as const) {
    service.keyLogAnswer = () => broken;
    const page = await site.open(form + keyLogCode(service, { keyLog: pin }), {}, ({ clock }) => clock.install());
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.click("button");
    assert.match(await untilState(page, "waiting"), /your answers will be sent/);
    assert.deepEqual(service.posts, []);
    service.keyLogAnswer = (from) => ({ body: log.page(from) });
    await page.clock.fastForward(2_000);
    await untilState(page, "sent");
    service.reset();
  }
});

test("an ended key is taken for the newest of the log at once, even where the browser still had the older answers", async () => {
  const { log, pin } = await makeLog();
  const kept = log.fork();
  const rotated = { ...newest, version: 4 };
  service.publicAnswer = ({ form }) => ({ body: { form: { ...form, keyVersion: 4 } } });
  const ended = { kind: "answer", status: 410, body: { error: "gone", code: "key_version_ended" } } as const;
  const page = await openPage(pin);
  // Until the refusal the page sees the state from before the rotation.
  let isRotated = false;
  service.publicAnswer = ({ form }) => ({ body: { form: { ...form, keyVersion: isRotated ? 4 : 3 } } });
  await log.add(rotated);
  service.keyLogAnswer = (from) => ({ body: (isRotated ? log : kept).page(from) });
  service.nextPosts.push(ended);
  const posted = service.posted(1).then(() => {
    isRotated = true;
  });
  const outcome = await submit(page);
  await posted;
  assert.equal(outcome.sent, true);
  assert.deepEqual(
    service.posts.map((body) => JSON.parse(body).keyVersion),
    [3, 4],
  );
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
});

test("a page that has seen a newer head takes no older log, and no other continuation", async () => {
  const { log, pin } = await makeLog();
  const fork = log.fork();
  const old = log.fork();
  const page = await openPage(pin);
  await log.add({ ...newest, version: 4 });
  await fork.add({ ...newest, version: 5 });
  service.publicAnswer = ({ form }) => ({ body: { form: { ...form, keyVersion: 4 } } });
  assert.equal((await submit(page)).sent, true);
  service.reset();
  await page.fill("input", "hunter2");
  await page.clock.install();
  await page.clock.fastForward(2_000);
  service.keyLogAnswer = (from) => ({ body: old.page(from) });
  await refused(page, "key_log_short", /ends before/);
  service.keyLogAnswer = (from) => ({ body: fork.page(from) });
  await refused(page, "key_log_forked", /not the one/);
});

test("a log of several pages is followed to its end, an entry never twice", async () => {
  const log = createKeyLog(service.formId, signer);
  const pin = await log.add({ ...first, version: 1 });
  for (let count = 0; count < 140; count++) await log.add({ ...first, version: 1 });
  await log.add(newest);
  service.keyLogAnswer = (from) => ({ body: log.page(from) });
  assert.equal((await submit(await openPage(pin))).sent, true);
  assert.deepEqual(
    [...new Set(logRequests())].map((path) => path.split("=")[1]),
    ["1", "128"],
  );
});

test("a browser without Ed25519 checks the same by the library: the log verifies, and a wrong signature does not", async () => {
  const { pin } = await makeLog();
  const withoutEd25519 = (page: Page) =>
    page.addInitScript(() => {
      const { importKey } = SubtleCrypto.prototype;
      Reflect.set(SubtleCrypto.prototype, "importKey", function (this: SubtleCrypto, ...parts: unknown[]) {
        if (parts[2] === "Ed25519") throw new DOMException("Unrecognized name", "NotSupportedError");
        return Reflect.apply(importKey, this, parts);
      });
    });
  const open = (keyLog: string) => site.open(form + keyLogCode(service, { keyLog }), {}, withoutEd25519);
  const page = await open(pin);
  assert.equal((await submit(page)).sent, true);
  const foreign = createKeyLog(service.formId, signer);
  const foreignPin = await foreign.add(first);
  await foreign.addForeign(newest, stranger);
  const [lines = "", after = ""] = [foreign.page(1), await makeLog().then(({ log }) => log.page(2))];
  for (const second of [foreign.page(2), `${foreign.page(2).split("\n")[0]}\n${after.split("\n")[1]}\n`]) {
    service.reset();
    service.keyLogAnswer = () => ({ body: lines.slice(0, lines.indexOf("\n", lines.indexOf("\n") + 1) + 1) + second });
    await refused(await open(foreignPin), "key_log_signer", /not signed/);
  }
});
