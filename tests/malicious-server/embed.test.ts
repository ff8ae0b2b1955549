import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { openSubmission, type Submission } from "@sealpost/sdk";
import { fingerprint, hybridFingerprint, type KeyPair, type PublicKey } from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";
import type { Page } from "playwright-core";
import { createSnippets } from "../../packages/dashboard/src/form/embed-snippets.ts";
import { startSite, type TestSite, untilState } from "../../packages/embed/testing/browser.ts";
import { firstHybridPair, secondHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type SharedBrowser, shareBrowser } from "../support/shared-browser.ts";
import { type MaliciousService, startMaliciousService } from "./malicious-service.ts";

// The page of somebody who pasted the pinned snippet that the dashboard offers, in a real browser, and a server in bad hands.

let browser: SharedBrowser;
let site: TestSite;
let server: MaliciousService;
let embedCode: string;
let pinned: string;
let attacker: KeyPair;
let hybridForms = 0;
const closers: (() => unknown)[] = [];
const publicForm = /\/public$/;
const posting = /\/submissions$/;
const reporting = /\/keys\/refused$/;

interface PublicAnswer {
  readonly form: {
    readonly publicKey: PublicKey;
    readonly settings: { readonly encryption: boolean; readonly piiStrip: boolean };
  };
}

before(async () => {
  attacker = takeKeyPair();
  [browser, server] = await Promise.all([
    shareBrowser(),
    startMaliciousService({ after: (close) => void closers.unshift(close) }),
  ]);
  site = await startSite(browser);
  const { body } = await server.account.request("GET", `/api/forms/${server.formId}`);
  embedCode = body.form.embedCode.replaceAll(server.service.url, server.url);
  pinned = createSnippets({ ...body.form, embedCode }, [server.fingerprint], server.url).html;
  assert.ok(pinned.includes(server.fingerprint));
});
beforeEach(() => server.honest());
after(async () => {
  await site.close();
  await browser.close();
  for (const close of closers) await close();
});

/** A page in a fresh profile: an earlier one has the honest answers and the script in its cache. */
async function openPage(snippet: string, field = `name="secret" value="hunter2"`): Promise<Page> {
  await site.reset();
  return site.open(`<form><input ${field}><button>Send</button></form>${snippet}`);
}

/** The visitor's message after pressing the button. */
async function send(snippet: string, state: "sent" | "error" | "waiting"): Promise<string> {
  const page = await openPage(snippet);
  await page.click("button");
  return untilState(page, state);
}

function posts() {
  const all = server.asked.filter(({ method }) => method === "POST");
  // The page says which keys it pins, which everybody can read there, and nothing else.
  for (const { body } of all.filter(({ path }) => reporting.test(path)))
    assert.match(body, /^\{"fingerprints":\["[\w-]{43}"(,"[\w-]{43}")*\]\}$/);
  return all.filter(({ path }) => !reporting.test(path));
}

/** The fields of what was posted, opened with a private key; or why not. */
async function openPosted({ privateKey }: KeyPair, formId: string = server.formId) {
  const { id, keyVersion, payload } = JSON.parse(posts().at(-1)?.body ?? "{}");
  const opened = await openSubmission(formId, { id, keyVersion, payload }, [await importOpeningKey(privateKey)]);
  return opened.opened ? opened.fields : opened.reason;
}

test("control: to an honest server the pinned page sends, sealed to the owner's key", async () => {
  await send(pinned, "sent");
  assert.deepEqual(await openPosted(server.pair), { secret: "hunter2" });
  assert.equal(await openPosted(attacker), "could_not_be_opened");
});

test("a swapped public key gets nothing from a pinned page, whatever other fingerprint is named", async () => {
  const names = [server.fingerprint, await fingerprint(attacker.publicKey)];
  for (const keyFingerprint of names) {
    server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
      form: { ...form, publicKey: attacker.publicKey, keyFingerprint },
    }));
    assert.match(await send(pinned, "error"), /wrong key/);
    assert.deepEqual(posts(), []);
  }
});

test("not detectable: a page that pins nothing seals to whatever key the server names", async () => {
  const keyFingerprint = await fingerprint(attacker.publicKey);
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
    form: { ...form, publicKey: attacker.publicKey, keyFingerprint },
  }));
  await send(embedCode, "sent");
  assert.deepEqual(await openPosted(attacker), { secret: "hunter2" });
});

test("asked for plain text, the page seals all the same", async () => {
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
    form: { ...form, encryption: false, settings: { encryption: false, piiStrip: false, plain: true } },
  }));
  await send(pinned, "sent");
  assert.ok(!server.asked.some(({ body, path }) => (body + path).includes("hunter2")));
  assert.deepEqual(await openPosted(server.pair), { secret: "hunter2" });
});

test("another form's answer gets nothing", async () => {
  const other = await server.account.request("POST", "/api/forms", { name: "Other", publicKey: server.pair.publicKey });
  const id = other.body.form.id;
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({ form: { ...form, id } }));
  assert.match(await send(pinned, "error"), /wrong key/);
  assert.deepEqual(posts(), []);
});

test("not detectable by the page: another key version with the right key; what is sealed opens under that version alone", async () => {
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({ form: { ...form, keyVersion: 7 } }));
  server.swallow("POST", posting, ({ body }) => ({
    status: 201,
    body: { success: true, submission: { id: JSON.parse(body).id, timestamp: 1, receivedAt: 1 } },
  }));
  await send(pinned, "sent");
  const { id, payload } = JSON.parse(posts().at(-1)?.body ?? "{}");
  const key = await importOpeningKey(server.pair.privateKey);
  for (const [keyVersion, opens] of [
    [7, true],
    [1, false],
  ] as const)
    assert.equal((await openSubmission(server.formId, { id, keyVersion, payload }, [key])).opened, opens);
});

test("a server that acknowledges another submission, or none, has acknowledged nothing", async () => {
  for (const submission of [{ id: "sub_00000000000000000000000000" }, undefined]) {
    server.honest();
    server.swallow("POST", posting, () => ({ status: 201, body: { success: true, submission } }));
    assert.match(await send(pinned, "waiting"), /No answer. Please keep this page open/);
  }
});

test("not detectable by the page: a server that acknowledges and drops", async () => {
  server.swallow("POST", posting, ({ body }) => ({
    status: 201,
    body: { success: true, submission: { id: JSON.parse(body).id, timestamp: 1, receivedAt: 1 } },
  }));
  assert.match(await send(pinned, "sent"), /Thank you/);
  const { body } = await server.account.request("GET", `/api/forms/${server.formId}/submissions?limit=100`);
  const id = JSON.parse(posts().at(-1)?.body ?? "{}").id;
  assert.ok(!body.submissions.some((submission: Submission) => submission.id === id));
});

test("a server that claims not to have received is sent the same sealed bytes again, and never other ones", async () => {
  let count = 0;
  server.swallow("POST", posting, ({ body }) =>
    ++count < 2
      ? { status: 503, body: "<h1>away</h1>" }
      : { status: 200, body: { success: true, submission: { id: JSON.parse(body).id, timestamp: 1, receivedAt: 1 } } },
  );
  const page = await openPage(pinned);
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(posts().length, 2);
  assert.equal(new Set(posts().map(({ body }) => body)).size, 1);
});

test("what the server says is never markup, an address or a message", async () => {
  const evil = "<img src=x onerror=alert(1)>";
  server.swallow("POST", posting, () => ({
    status: 400,
    body: { error: evil, message: evil, details: { secret: evil }, redirect: "https://evil.example", next: "//evil" },
  }));
  const page = await openPage(pinned);
  await page.click("button");
  assert.equal(await untilState(page, "error"), "Your answers were not accepted.");
  assert.equal(await page.locator("img").count(), 0);
  assert.ok(page.url().startsWith(site.url));
});

test("a server can switch stripping on but not off: the snippet's own piiStrip decides", async () => {
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
    form: { ...form, settings: { encryption: true, piiStrip: false, piiTypes: ["GENDER"] } },
  }));
  const strict = pinned.replaceAll('{"keyFingerprint"', '{"piiStrip":true,"keyFingerprint"');
  assert.notEqual(strict, pinned);
  const page = await openPage(strict, `name="note" value="me@example.com"`);
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await openPosted(server.pair), { note: "[EMAIL]" });
});

test("a script with one byte more does not run on a page with the snippet", async () => {
  server.lie<string>("GET", /\/embed\//, (script) => `${script}\n`);
  const page = await openPage(pinned);
  assert.equal(await page.evaluate(() => "Sealpost" in window), false);
  assert.deepEqual(posts(), []);
});

/** A form with a hybrid key, and the snippet of a page that accepts keys by these fingerprints. */
async function createHybridForm() {
  const { publicKey } = server.pair;
  const body = { name: `Hybrid ${++hybridForms}`, publicKey, hybridPublicKey: firstHybridPair.publicKey };
  const { id } = (await server.account.request("POST", "/api/forms", body)).body.form;
  const form = (await server.account.request("GET", `/api/forms/${id}`)).body.form;
  const snippetFor = (...fingerprints: string[]) =>
    createSnippets(
      { ...form, embedCode: form.embedCode.replaceAll(server.service.url, server.url) },
      fingerprints,
      server.url,
    ).html;
  return { id, hybrid: await hybridFingerprint(firstHybridPair.publicKey), snippetFor };
}

/** The format of what was posted. */
function postedVersions(): string[] {
  return posts().map(({ body }) => JSON.parse(body).payload.version);
}

/** The answer of a server that hides the hybrid key. */
function withholdHybridKey(): void {
  server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
    form: { ...form, hybridPublicKey: undefined, hybridKeyFingerprint: undefined },
  }));
}

test("a server that withholds the hybrid key gets nothing from a page that pins it", async () => {
  const { hybrid, snippetFor } = await createHybridForm();
  const snippet = snippetFor(hybrid);
  await send(snippet, "sent");
  assert.deepEqual(postedVersions(), ["sp2"], "the control: an honest server");
  server.honest();
  withholdHybridKey();
  assert.match(await send(snippet, "error"), /wrong key/);
  assert.deepEqual(posts(), []);
});

test("a swapped hybrid key gets nothing from a page that pins the honest one", async () => {
  const { hybrid, snippetFor } = await createHybridForm();
  const hybridPublicKey = secondHybridPair.publicKey;
  for (const hybridKeyFingerprint of [hybrid, await hybridFingerprint(hybridPublicKey)]) {
    server.honest();
    server.lie<PublicAnswer>("GET", publicForm, ({ form }) => ({
      form: { ...form, hybridPublicKey, hybridKeyFingerprint },
    }));
    assert.match(await send(snippetFor(hybrid), "error"), /wrong key/);
    assert.deepEqual(posts(), []);
  }
});

test("not detectable: a server that withholds the hybrid key holds a page that names an RSA key too, or pins nothing, at sp1", async () => {
  const { id, hybrid, snippetFor } = await createHybridForm();
  for (const snippet of [snippetFor(server.fingerprint, hybrid), snippetFor()]) {
    server.honest();
    await send(snippet, "sent");
    withholdHybridKey();
    await send(snippet, "sent");
    assert.deepEqual(postedVersions(), ["sp2", "sp1"]);
    assert.deepEqual(await openPosted(server.pair, id), { secret: "hunter2" });
  }
});
