import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { KeyLogSigner } from "@sealpost/envelope";
import { createClient, openSubmission } from "@sealpost/sdk";
import { fingerprint, type KeyPair, type LoggedKey, type PublicKey } from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";
import { startSite, type TestSite, untilState } from "../../packages/embed/testing/browser.ts";
import { createKeyLog, createLogSigner, type TestKeyLog } from "../../packages/embed/testing/key-log.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type SharedBrowser, shareBrowser } from "../support/shared-browser.ts";
import { type MaliciousService, startMaliciousService } from "./malicious-service.ts";

// A page that pins an entry of its form's key log, in a real browser, and a server in bad hands: nothing is sealed for it.

let browser: SharedBrowser;
let site: TestSite;
let server: MaliciousService;
let script: string;
let attacker: KeyPair;
let attackersKey: LoggedKey;
let ownersKey: LoggedKey;
let owner: KeyLogSigner;
let former: KeyLogSigner;
let log: TestKeyLog;
/** Pins from the time when the former signer was one, and from after they were taken out. */
let [earlyPin, latePin] = ["", ""];
const closers: (() => unknown)[] = [];
const publicForm = /\/public$/;
const keyLog = /\/keys\/log/;

before(async () => {
  attacker = takeKeyPair();
  [browser, server, owner, former] = await Promise.all([
    shareBrowser(),
    startMaliciousService({ after: (close) => void closers.unshift(close) }),
    createLogSigner(),
    createLogSigner(),
  ]);
  site = await startSite(browser);
  const named = await fetch(`${server.service.url}/embed/sealpost-key-log.js`);
  script = named.headers.get("content-location") ?? "";
  ownersKey = { version: 1, fingerprint: server.fingerprint, hybridFingerprint: null, replyKey: null };
  attackersKey = {
    version: 2,
    fingerprint: await fingerprint(attacker.publicKey),
    hybridFingerprint: null,
    replyKey: null,
  };
  log = createKeyLog(server.formId, owner);
  earlyPin = await log.add(ownersKey, owner, [owner, former]);
  latePin = await log.add(ownersKey, owner, [owner]);
  const { forms } = createClient({ baseUrl: server.service.url, token: server.account.token });
  const [first = "", second = ""] = log.entries;
  const head = await forms.addKeyLogEntry(server.formId, first);
  await forms.addKeyLogEntry(server.formId, second, head);
});
beforeEach(() => server.honest());
after(async () => {
  await site.close();
  await browser.close();
  for (const close of closers) await close();
});

/** The visitor's message after pressing the button of a page in a fresh profile. */
async function send(pin: string, state: "sent" | "error"): Promise<string> {
  await site.reset();
  const page = await site.open(
    `<form><input name="secret" value="hunter2"><button>Send</button></form><script src="${server.url}${script}" data-sealpost="${server.formId}" data-sealpost-options='{"keyLog":"${pin}"}'></script>`,
  );
  await page.click("button");
  const message = await untilState(page, state);
  assert.equal(await page.inputValue("input"), "hunter2");
  return message;
}

const posts = () => server.asked.filter(({ method }) => method === "POST");

async function openPosted({ privateKey }: KeyPair) {
  const { id, keyVersion, payload } = JSON.parse(posts().at(-1)?.body ?? "{}");
  const opened = await openSubmission(server.formId, { id, keyVersion, payload }, [await importOpeningKey(privateKey)]);
  return opened.opened ? opened.fields : opened.reason;
}

interface PublicAnswer {
  readonly form: { readonly publicKey: PublicKey; readonly keyFingerprint: string; readonly keyVersion: number };
}

/** The server's own key in the place of the owner's, as version 2. */
function swapKey(): void {
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
    form: { ...form, publicKey: attacker.publicKey, keyFingerprint: attackersKey.fingerprint, keyVersion: 2 },
  }));
}

const show = (text: string) => server.lie<string>("GET", keyLog, () => text);
const from = (pin: string, shown: TestKeyLog) => shown.page(Number(pin.split("-")[0]));

test("control: to an honest server a page that pins its key log sends, sealed to the owner's key, from either pin", async () => {
  for (const pin of [earlyPin, latePin]) {
    await send(pin, "sent");
    assert.deepEqual(await openPosted(server.pair), { secret: "hunter2" });
    assert.equal(await openPosted(attacker), "could_not_be_opened");
  }
});

test("a server that swaps the key, forks the log, signs on with a key of its own, drops the log or shows another form's gets nothing from a page that pins it", async () => {
  const own = await createLogSigner();
  const forked = createKeyLog(server.formId, own);
  await forked.add(ownersKey, own, [own]);
  await forked.add(attackersKey, own, [own]);
  const foreign = log.fork();
  await foreign.addForeign(attackersKey, own);
  const elsewhere = createKeyLog("form_00000000000000000000000000", owner);
  await elsewhere.add(attackersKey);
  const lies: readonly (readonly [string, () => void, RegExp])[] = [
    ["another key alone", () => undefined, /not the newest of its list of keys/],
    ["a fork", () => show(from(earlyPin, forked)), /not the one that this page knows/],
    ["a foreign signature", () => show(from(earlyPin, foreign)), /not signed by somebody who may/],
    ["another form's", () => show(elsewhere.page(1)), /not the one that this page knows/],
    ["an empty one", () => show(""), /ends before the entry/],
    [
      "none",
      () => server.lie("GET", keyLog, () => ({ error: "not_found", message: "", code: "key_log_none" }), 404),
      /no longer has the list of keys/,
    ],
  ];
  for (const [name, lie, message] of lies) {
    server.honest();
    swapKey();
    lie();
    assert.match(await send(earlyPin, "error"), message, name);
    assert.deepEqual(posts(), [], name);
  }
});

test("a replayed older log makes a page seal to an older key of the owner's at most, and a later pin refuses it", async () => {
  show(log.entries[0] ?? "");
  await send(earlyPin, "sent");
  assert.deepEqual(await openPosted(server.pair), { secret: "hunter2" });
  server.honest();
  show("");
  assert.match(await send(latePin, "error"), /ends before the entry/);
  assert.deepEqual(posts(), []);
});

test("not detectable by a page with an earlier pin: a former signer together with the server; a pin from after they were taken out refuses them", async () => {
  const conspired = createKeyLog(server.formId, owner, log.entries.slice(0, 1));
  await conspired.add(attackersKey, former, [former]);
  swapKey();
  show(conspired.page(1));
  server.swallow("POST", /\/submissions$/, ({ body }) => ({
    status: 201,
    body: { success: true, submission: { id: JSON.parse(body).id, timestamp: 1, receivedAt: 1 } },
  }));
  await send(earlyPin, "sent");
  assert.deepEqual(await openPosted(attacker), { secret: "hunter2" });
  server.honest();
  swapKey();
  show(conspired.page(2));
  assert.match(await send(latePin, "error"), /not the one that this page knows/);
  assert.deepEqual(posts(), []);
});
