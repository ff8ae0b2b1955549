import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { createKeyFile, type Submission } from "@sealpost/sdk";
import {
  createId,
  type Fields,
  type FormId,
  fingerprint,
  hybridFingerprint,
  type SubmissionId,
  sealHybrid,
} from "@sealpost/wire";
import type { Page } from "playwright-core";
import { firstHybridPair, secondHybridPair } from "../../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../support/key-pairs.ts";
import { type SharedBrowser, shareBrowser } from "../../support/shared-browser.ts";
import { type MaliciousService, startMaliciousService } from "../malicious-service.ts";

// The dashboard in a real browser. Its own files come unchanged, as with a thief who can write to the database, or a proxy
// that cannot change scripts; the answers are in bad hands. A server that changes the dashboard itself has no test: it wins.

let browser: SharedBrowser;
let server: MaliciousService;
let ids: readonly SubmissionId[];
let shared: Page | undefined;
const closers: (() => unknown)[] = [];
const complaints: string[] = [];
const listing = /\/submissions\?/;

before(async () => {
  [browser, server] = await Promise.all([
    shareBrowser(),
    startMaliciousService({ after: (close) => void closers.unshift(close) }),
  ]);
  ids = [await server.submit({ vote: "yes-please" }), await server.submit({ vote: "no-thanks" })];
});
beforeEach(() => server.honest());
afterEach(() => assert.deepEqual(complaints.splice(0), []));
after(async () => {
  await browser.close();
  for (const close of closers) await close();
});

/**
 * Each time a new document, which has no keys, with empty storage, in one and the same tab: a tab of its own costs four times as
 * much. A test that leaves with a key that was made closes it, since the page would ask.
 */
async function openPage(path: string): Promise<Page> {
  if (shared === undefined || shared.isClosed()) shared = await createPage();
  else
    await shared.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  await shared.goto(path);
  return shared;
}

async function createPage(): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.url });
  const [name = "", value = ""] = server.account.cookie.split("=");
  await context.addCookies([{ name, value, url: server.url, sameSite: "Lax", httpOnly: true }]);
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => complaints.push(dialog.message()));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) complaints.push(request.url());
  });
  return page;
}

async function bringKey(page: Page, keyFile = server.keyFile): Promise<void> {
  const buffer = Buffer.from(keyFile);
  await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer });
}

async function openInbox(): Promise<Page> {
  const page = await openPage(`/forms/${server.formId}`);
  await bringKey(page);
  return page;
}

function lieAboutRows(change: (rows: Submission[]) => unknown): void {
  server.lie<{ submissions: Submission[] }>("GET", listing, ({ submissions, ...page }) => ({
    ...page,
    submissions: change(submissions),
  }));
}

test("control: from an honest server both submissions are read, and the fingerprint to pin is proved", async () => {
  const page = await openInbox();
  await page.getByText("yes-please").waitFor();
  await page.getByText("no-thanks").waitFor();
  await page.getByRole("link", { name: "Embed" }).click();
  await page.getByText("refuses any other key").waitFor();
  assert.equal(await page.getByText("you have not unlocked it here").count(), 0);
});

test("submissions whose ids, payloads or key versions were swapped are named, and nothing of them is shown", async () => {
  const ways: ((one: Submission, other: Submission) => Submission[])[] = [
    (a, b) => [
      { ...a, id: b.id },
      { ...b, id: a.id },
    ],
    (a, b) => [
      { ...a, payload: b.payload },
      { ...b, payload: a.payload },
    ],
    (a, b) => [
      { ...a, keyVersion: 2 },
      { ...b, keyVersion: 2 },
    ],
  ];
  for (const change of ways) {
    server.honest();
    lieAboutRows(([a, b]) => (a && b ? change(a, b) : assert.fail("two are stored")));
    const page = await openInbox();
    await page.getByText("2 submissions could not be opened").waitFor();
    assert.doesNotMatch(await page.locator("body").innerText(), /yes-please|no-thanks/);
  }
});

test("a swapped public key makes the owner's own key a stranger, and the page says so with its fingerprint", async () => {
  const attacker = takeKeyPair();
  const swapped = { publicKey: attacker.publicKey, fingerprint: await fingerprint(attacker.publicKey) };
  server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: keys.map((key) => ({ ...key, ...swapped })),
  }));
  const page = await openInbox();
  const alert = page.getByRole("alert").filter({ hasText: "This key does not belong to this form" });
  await alert.waitFor();
  assert.ok((await alert.innerText()).includes(server.fingerprint));
});

test("a key version that the owner never made is not unlocked, and its fingerprint is not offered as proved", async () => {
  const attacker = takeKeyPair();
  const slipped = { version: 2, publicKey: attacker.publicKey, fingerprint: await fingerprint(attacker.publicKey) };
  server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: [...keys, { ...slipped, createdAt: Date.now() }],
  }));
  const page = await openInbox();
  await page.getByText("yes-please").waitFor();
  await page.getByRole("link", { name: "Embed" }).click();
  await page.getByText("you have not unlocked it here").waitFor();
});

test("no key is made for a version that the server made up", async () => {
  server.lie<{ keys: object[] }>("GET", /\/api\/forms\/\w+\/keys$/, ({ keys }) => ({
    keys: [...keys, { ...keys[0], version: 5_000_000 }],
  }));
  const page = await openPage(`/forms/${server.formId}/keys`);
  await page.getByRole("button", { name: "Make the new key" }).click();
  await page.getByRole("alert").filter({ hasText: "a form has at most 1,000 key pairs" }).waitFor();
});

test("a submission given twice is shown once", async () => {
  lieAboutRows((rows) => [...rows, ...rows, ...rows]);
  const page = await openInbox();
  await page.getByText("yes-please").waitFor();
  assert.equal(await page.getByText("yes-please").count(), 1);
});

test("a submission that nobody sealed says so, and what is in it stays text", async () => {
  const fields: Fields = { vote: "<img src=x onerror=alert(1)>", link: "javascript:alert(1)" };
  lieAboutRows((rows) => rows.map((row) => ({ ...row, payload: { encrypted: false, version: "plain1", fields } })));
  const page = await openInbox();
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  const row = page.getByRole("row").nth(1);
  await row.getByText("Not sealed").waitFor();
  await row.getByRole("button").click();
  await page.getByText("It came in the clear").waitFor();
  await page.getByText("Not sealed: this server could read it").waitFor();
  assert.equal(await page.locator("main img, main a[href^=javascript]").count(), 0);
});

test("a form that says it is not sealed gets no key out of anybody, and sealed rows stay sealed", async () => {
  server.lie<{ form: { settings: object } }>("GET", /\/api\/forms\/form_\w+$/, ({ form }) => ({
    form: { ...form, settings: { ...form.settings, encryption: false } },
  }));
  const page = await openPage(`/forms/${server.formId}`);
  await page.getByText("2 submissions could not be opened").waitFor();
  assert.doesNotMatch(await page.locator("body").innerText(), /yes-please|no-thanks/);
});

/** Another form of the same owner, with a hybrid key and two submissions that are sealed to it. */
async function createHybridForm(): Promise<{ readonly formId: FormId; readonly keyFile: string }> {
  const { publicKey: hybridPublicKey, privateKey: hybridPrivateKey } = firstHybridPair;
  const { publicKey, privateKey } = server.pair;
  const created = await server.account.request("POST", "/api/forms", {
    name: `Vote ${createId("form")}`,
    publicKey,
    hybridPublicKey,
  });
  const formId: FormId = created.body.form.id;
  for (const vote of ["yes-please", "no-thanks"]) {
    const id = createId("submission");
    const payload = await sealHybrid({ vote }, { formId, keyVersion: 1, submissionId: id }, hybridPublicKey);
    const body = { id, payload, keyVersion: 1 };
    const answer = await server.service.request("POST", `/api/forms/${formId}/submissions`, { body });
    assert.equal(answer.status, 201);
  }
  const about = { formId, formName: "Vote", keyVersion: 1, createdAt: 1 };
  return { formId, keyFile: JSON.stringify(await createKeyFile({ ...about, privateKey, hybridPrivateKey })) };
}

test("submissions to a hybrid key that were moved to another form, version or submission, cut, or called sp1, are named, and nothing of them is shown", async () => {
  const { formId, keyFile } = await createHybridForm();
  const altered = (row: Submission, members: object) =>
    ({ ...row, payload: { ...row.payload, ...members } }) as Submission;
  const ways: ((one: Submission, other: Submission) => Submission[])[] = [
    (a, b) => [
      { ...a, payload: b.payload },
      { ...b, payload: a.payload },
    ],
    (a, b) => [a, b].map((row) => ({ ...row, keyVersion: 2 })),
    (a, b) => [a, b].map((row) => altered(row, { key: "key" in row.payload ? row.payload.key.slice(0, -4) : "" })),
    (a, b) => [a, b].map((row) => altered(row, { data: "data" in row.payload ? row.payload.data.slice(4) : "" })),
    (a, b) => [a, b].map((row) => altered(row, { version: "sp1" })),
  ];
  for (const change of ways) {
    server.honest();
    lieAboutRows(([a, b]) => (a && b ? change(a, b) : assert.fail("two are stored")));
    const page = await openPage(`/forms/${formId}`);
    await bringKey(page, keyFile);
    await page.getByText("2 submissions could not be opened").waitFor();
    assert.doesNotMatch(await page.locator("body").innerText(), /yes-please|no-thanks/);
  }
  // Those of this form, as if they were of the other, whose key is the same pair.
  server.honest();
  const { body } = await server.account.request("GET", `/api/forms/${formId}/submissions`);
  lieAboutRows(() => body.submissions);
  const page = await openPage(`/forms/${server.formId}`);
  await bringKey(page, keyFile);
  await page.getByText("2 submissions could not be opened").waitFor();
});

test("a swapped or hidden hybrid key is named once the owner's key file is there, and what the right one seals still opens", async () => {
  const { formId, keyFile } = await createHybridForm();
  const lieAboutKeys = (change: (key: { hybridPublicKey?: object; hybridFingerprint?: string }) => object) =>
    server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({ keys: keys.map(change) }));
  const ways = [
    [
      "The server names another hybrid key for version 1 than your key file",
      () =>
        lieAboutKeys((key) => ({ ...key, hybridPublicKey: secondHybridPair.publicKey, hybridFingerprint: "another" })),
    ],
    [
      "The server names no hybrid key for version 1, but your key file has one",
      () => lieAboutKeys(({ hybridPublicKey: _, hybridFingerprint: __, ...key }) => key),
    ],
  ] as const;
  for (const [sentence, lie] of ways) {
    server.honest();
    lie();
    const page = await openPage(`/forms/${formId}`);
    await bringKey(page, keyFile);
    await page.getByText("yes-please").waitFor();
    await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  }
});

test("neither a hidden nor a swapped hybrid key takes the owner's own from the snippets: none is shown to paste, and those of a rotation name the key file's", async () => {
  const { formId, keyFile } = await createHybridForm();
  const own = await hybridFingerprint(firstHybridPair.publicKey);
  const foreign = await hybridFingerprint(secondHybridPair.publicKey);
  const lies = [
    { hybridPublicKey: undefined, hybridFingerprint: undefined },
    { hybridPublicKey: secondHybridPair.publicKey, hybridFingerprint: foreign },
    // The honest answer is a control: its snippet is shown, and names the same key.
    {},
  ];
  for (const lie of lies) {
    server.honest();
    server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({ keys: keys.map((key) => ({ ...key, ...lie })) }));
    // A receiver would let the switch begin as the server says.
    server.lie<{ form: object }>("GET", /\/api\/forms\/form_\w+$/, ({ form }) => ({
      form: { ...form, webhookUrl: "https://hooks.example.com" },
    }));
    const isLie = Object.keys(lie).length > 0;
    const page = await openPage(`/forms/${formId}`);
    await bringKey(page, keyFile);
    await page.getByText("yes-please").waitFor();
    await page.getByRole("link", { name: "Embed" }).click();
    if (isLie) {
      await page
        .getByRole("alert")
        .filter({ hasText: /The server names (no|another) hybrid key/ })
        .waitFor();
      await page.getByText("No snippet is shown").waitFor();
      assert.equal(await page.getByText("Sealpost.init(").count(), 0);
    } else await page.locator("pre", { hasText: own }).waitFor();
    await page.getByRole("link", { name: "Keys", exact: true }).click();
    const wanted = page.getByRole("switch", { name: "Hybrid key" });
    await wanted.waitFor();
    assert.equal(await wanted.isChecked(), true);
    await page.getByRole("button", { name: "Make the new key" }).click();
    const snippet = await page.locator("pre", { hasText: "Sealpost.init(" }).innerText();
    assert.ok(snippet.includes(own));
    assert.ok(!snippet.includes(foreign) && !snippet.includes(server.fingerprint));
    await page.context().close();
  }
});

test("a hybrid key that the server adds to a version whose key file has none is named as not the owner's, and no snippet names it", async () => {
  const foreign = await hybridFingerprint(secondHybridPair.publicKey);
  server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: keys.map((key) => ({ ...key, hybridPublicKey: secondHybridPair.publicKey, hybridFingerprint: foreign })),
  }));
  const page = await openInbox();
  await page.getByText("yes-please").waitFor();
  const alert = page.getByRole("alert").filter({ hasText: "a hybrid key for version 1 that is not unlocked here" });
  await alert.getByText("this one is not yours").waitFor();
  await page.getByRole("link", { name: "Embed" }).click();
  await page.getByText("No snippet is shown").waitFor();
  await alert.waitFor();
  assert.equal(await page.getByText("Sealpost.init(").count(), 0);
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await alert.waitFor();
  await page.getByRole("button", { name: "Make the new key" }).click();
  const snippet = await page.locator("pre", { hasText: "Sealpost.init(" }).innerText();
  assert.ok(snippet.includes(server.fingerprint) && !snippet.includes(foreign));
  await page.context().close();
});

test("answers with other members end in a message, not in an empty page", async () => {
  const ways: ((row: Submission) => unknown)[] = [
    (row) => ({ ...row, payload: null }),
    (row) => ({ ...row, receivedAt: "yesterday" }),
  ];
  for (const change of ways) {
    server.honest();
    lieAboutRows((rows) => rows.map(change));
    const page = await openInbox();
    await page.getByRole("alert").first().waitFor();
    await page.getByRole("button", { name: /try again/i }).waitFor();
  }
});

test("a list of forms that never ends is given up with a message where all forms are wanted", async () => {
  let asked = 0;
  server.lie("GET", /\/api\/forms\?/, (honest: object) => ({ ...honest, forms: [], nextCursor: `more-${++asked}` }));
  const page = await openPage("/members");
  await page.getByRole("button", { name: "Invite somebody" }).first().click();
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "did not come from Sealpost" }).waitFor();
  assert.ok(asked < 10, `${asked} pages`);
});

test("no part of a private key is in any request", async () => {
  const page = await openInbox();
  await page.getByText("yes-please").waitFor();
  const { d, p, q } = server.pair.privateKey;
  const sent = server.asked.map(({ path, body }) => path + body).join("\n");
  for (const secret of [d, p, q]) assert.ok(!sent.includes(secret));
  assert.ok(ids.length === 2 && server.asked.length > 3);
});
