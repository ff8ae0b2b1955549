import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import {
  type Change,
  createListEntry,
  type FormKey,
  generatePersonalKey,
  importSigningKey,
  openEnvelope,
  RefusalError,
  type SignedEntry,
  sealEnvelope,
  toFormKey,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { type Client, createClient } from "@sealpost/sdk";
import { createId, type FormId, fingerprint } from "@sealpost/wire";
import { Decrypter, Encrypter } from "age-encryption";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../../support/key-pairs.ts";
import { type MadePersonalKey, makePersonalKey, unlockWithSheet } from "../../support/personal-key.ts";
import { type SharedBrowser, shareBrowser } from "../../support/shared-browser.ts";
import { asRevision, type MaliciousService, startMaliciousService } from "../malicious-service.ts";

// Lists of members and envelopes in bad hands, between real pages. One tab holds the personal key throughout and shows no
// form; another is loaded again for each lie: it has no key, asks the first, and remembers what this browser has seen.

let browser: SharedBrowser;
let server: MaliciousService;
let own: MadePersonalKey;
/** The person's own client, which gets no lies. */
let client: Client;
let key: FormKey;
/** The tab that the lies are shown to. */
let page: Page;
const closers: (() => unknown)[] = [];
const complaints: string[] = [];
/** Requests of the whole file, which `honest` forgets. */
const sent: string[] = [];
const listPath = /\/api\/member-list(\?|$)/;
const envelopesPath = /\/envelopes$/;
const envelopePath = /\/envelopes\/1$/;

before(async () => {
  [browser, server, own] = await Promise.all([
    shareBrowser(),
    startMaliciousService({ after: (close) => void closers.unshift(close) }),
    makePersonalKey(),
  ]);
  const { privateKey } = server.pair;
  key = await toFormKey(1, privateKey);
  client = createClient({ baseUrl: server.service.url, token: server.account.token });
  const made = await server.account.request("POST", "/api/account/personal-key", own.body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await server.submit({ vote: "yes-please" });
  const context = await browser.newContext({ baseURL: server.url });
  const [name = "", value = ""] = server.account.cookie.split("=");
  await context.addCookies([{ name, value, url: server.url, sameSite: "Lax", httpOnly: true }]);
  const keeper = await context.newPage();
  page = await context.newPage();
  for (const tab of [keeper, page]) tab.on("pageerror", (error) => complaints.push(error.message));
  await keeper.goto("/account/key");
  await unlockWithSheet(keeper, own.sheet);
  await keeper.getByRole("button", { name: "Lock now" }).waitFor();
  await page.goto(`/forms/${server.formId}/keys`);
  await bringKey(page);
  await page.getByText("The envelope now has version 1").waitFor();
});
beforeEach(() => honest());
afterEach(() => assert.deepEqual(complaints.splice(0), []));
after(async () => {
  await browser.close();
  for (const close of closers) await close();
});

function honest(): void {
  sent.push(...server.asked.map(({ method, path, body }) => `${method} ${path} ${body}`));
  server.honest();
}

async function bringKey(tab: Page, keyFile = server.keyFile): Promise<void> {
  await tab.getByRole("button", { name: "Put the key into your envelope" }).click();
  const buffer = Buffer.from(keyFile);
  await tab.setInputFiles("dialog input[type=file]", { name: "key.json", mimeType: "", buffer });
  await tab.getByRole("button", { name: "Put it in" }).click();
}

/** The list as the honest service has it, and its entries. */
async function readList(): Promise<{ readonly text: string; readonly list: VerifiedList }> {
  const received = (await client.memberList.get()) ?? assert.fail();
  const trust = { signingKey: own.key.signingKey };
  const names = await client.memberList.names();
  const list = await verifyList(received, { organizationId: server.account.id, trust, names });
  if (list instanceof RefusalError) throw list;
  return { text: new TextDecoder().decode(received), list };
}

const signer = async (personal = own.key, id = server.account.id) => ({
  id,
  signingKey: await importSigningKey(personal.signingSeed),
});

async function writeEntry(list: VerifiedList, change: Change): Promise<SignedEntry> {
  return createListEntry(list, server.account.id, change, await signer());
}

async function writeEnvelope(formId: FormId, keys: readonly FormKey[]): Promise<Uint8Array<ArrayBuffer>> {
  const { list } = await readList();
  return (await sealEnvelope({ list, signer: await signer(), formId, readerIds: [server.account.id], keys })).file;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const notFound = { error: "not_found", message: "Not found" };

/** Opens the form again: the sentence is shown, nothing of the form is, and nothing is sealed to anybody. */
async function assertRefused(sentence: string): Promise<void> {
  await page.goto(`/forms/${server.formId}`);
  await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
  assert.doesNotMatch(await page.locator("body").innerText(), /yes-please/);
  assert.deepEqual(
    server.asked
      // The browser offers what it keeps of a list that ends too soon, and the service needs none of it.
      .filter(({ method, path }) => method !== "GET" && path !== "/api/member-list/lost")
      .map(({ method, path }) => `${method} ${path}`),
    [],
  );
}

test("control: from an honest server the form opens by itself in a tab that has no key", async () => {
  await page.goto(`/forms/${server.formId}`);
  await page.getByText("yes-please").waitFor();
});

test("a list of members that is hidden, older, another one or grown by a stranger is refused by its sentence", async () => {
  const first = await readList();
  const me = first.list.members.get(server.account.id) ?? assert.fail();
  const renamed = await writeEntry(first.list, { change: "replace", member: { ...me, name: "Ada Second" } });
  await client.memberList.add(renamed, first.list.head);
  await page.goto(`/forms/${server.formId}`);
  await page.getByText("yes-please").waitFor();
  const { list, text } = await readList();
  const other = await writeEntry(first.list, { change: "replace", member: { ...me, name: "Ada Third" } });
  const eve = await generatePersonalKey();
  const eveAsMember = {
    ...me,
    id: createId("account"),
    name: "Eve",
    recipient: eve.recipient,
    signingKey: eve.signingKey,
  };
  const grown = await writeEntry(list, { change: "add", member: eveAsMember });
  const [line = ""] = grown.entry.split("\n");
  const stolen = renamed.entry.split("\n")[1];
  const swapped = text.replace(me.recipient, eve.recipient);
  const lies: readonly (readonly [string | undefined, string])[] = [
    [undefined, "The server shows no list of members"],
    [first.text, "an older list of members"],
    [first.text + other.entry, "another list of members"],
    [swapped, "was not signed by anybody who may do that"],
    [`${text}${line}\n${stolen}\n`, "was not signed by anybody who may do that"],
    [text + text, "missing or in another order"],
  ];
  for (const [shown, sentence] of lies) {
    honest();
    if (shown === undefined) server.lie("GET", listPath, () => notFound, 404);
    else server.lie("GET", listPath, () => bytes(shown), 200);
    await assertRefused(sentence);
  }
});

test("an envelope that is hidden, older, of another form, for a hidden reader, damaged or at odds with the published key is refused by its sentence", async () => {
  const first = (await client.envelopes.get(server.formId, 1)) ?? assert.fail();
  const { list } = await readList();
  const opened = await openEnvelope(first, own.key.identity, {
    list,
    formId: server.formId,
    firstVersion: 1,
    revision: 1,
  });
  if (opened instanceof RefusalError) throw opened;
  const parts = { list, signer: await signer(), formId: server.formId, readerIds: [server.account.id] };
  const second = await sealEnvelope({ ...parts, keys: [], previous: opened });
  await client.envelopes.put(server.formId, 1, second.file, opened.head);
  await page.goto(`/forms/${server.formId}`);
  await page.getByText("yes-please").waitFor();
  const lies: readonly (readonly [Uint8Array, string])[] = [
    [first, "with an older list of members than the one before it"],
    [await writeEnvelope(server.formId, [key]), "an older envelope"],
    [await writeEnvelope(createId("form"), [key]), "the envelope of another form"],
    [asRevision(await addReader(second.file), 2), "The readers of the envelope"],
    [asRevision(first.slice(), 2), "The envelope has another number than the server says"],
    [second.file.slice(0, -1), "is damaged"],
  ];
  for (const [shown, sentence] of lies) {
    honest();
    server.lie("GET", envelopePath, () => shown);
    await assertRefused(sentence);
  }
  honest();
  server.lie("GET", envelopesPath, () => ({ envelopes: [], removals: [], restorableUntil: null }));
  await assertRefused("The server shows no envelope");
  honest();
  server.lie("GET", envelopePath, () => notFound, 404);
  await assertRefused("The server shows no envelope");
  honest();
  const foreign = await fingerprint(takeKeyPair().publicKey);
  server.lie<{ keys: object[] }>("GET", /\/keys$/, ({ keys }) => ({
    keys: keys.map((published) => ({ ...published, fingerprint: foreign })),
  }));
  await assertRefused("The server names another key for version 1");
});

test("nobody becomes a reader by the server's word, and a change of readers that it drops or takes back is found", async () => {
  const { list } = await readList();
  const { recipient } = await generatePersonalKey();
  const program = { id: createId("account"), name: "Receiver", role: "program", recipient, signingKey: null } as const;
  await client.memberList.add(await writeEntry(list, { change: "add", member: program }), list.head);
  const before = (await client.envelopes.get(server.formId, 1)) ?? assert.fail();
  honest();
  server.lie<{ members: object[] }>("GET", /\/api\/members$/, ({ members }) => ({
    members: [...members, { ...members[0], id: createId("account"), name: "Eve", email: "eve@example.com" }],
    total: members.length + 1,
  }));
  await page.goto(`/forms/${server.formId}/keys`);
  await page.getByText("Not in the signed list of members yet, so nothing can be sealed for them: Eve").waitFor();
  await page.getByRole("button", { name: "Change readers" }).click();
  assert.equal(await page.getByRole("checkbox", { name: "Eve" }).count(), 0);
  await page.getByRole("checkbox", { name: "Receiver" }).check();
  server.swallow("PUT", envelopePath, () => ({
    status: 200,
    body: { envelope: { lowestVersion: 1, revision: 3, hash: "" } },
  }));
  await page.getByRole("button", { name: "Seal for these readers" }).click();
  await page.getByText("1 form could not be changed").waitFor();
  await page.getByText("The envelope was written with an older list of members than the one before it").waitFor();
  honest();
  await page.getByRole("button", { name: "Try the others again" }).click();
  await page.getByText("1 form was changed.").waitFor();
  honest();
  server.lie("GET", envelopePath, () => asRevision(before, 2));
  await assertRefused("with an older list of members than the one before it");
});

test("an owner whom a revision leaves out brings back what they could read, and nobody else reads then", async () => {
  await page.goto(`/forms/${server.formId}`);
  await page.getByText("yes-please").waitFor();
  const before = await openNewest();
  const { list } = await readList();
  const program = [...list.members.values()].find(({ role }) => role === "program") ?? assert.fail();
  const parts = { list, signer: await signer(), formId: server.formId, keys: [], previous: before };
  const { file } = await sealEnvelope({ ...parts, readerIds: [program.id] });
  await client.envelopes.put(server.formId, 1, file, before.head);
  await page.goto(`/forms/${server.formId}/keys`);
  await page.getByRole("alert").filter({ hasText: "This form's envelope is not for your key" }).waitFor();
  await page.getByRole("button", { name: "Bring back what you could read" }).click();
  const names = before.content.readers.map(({ id }) => list.members.get(id)?.name ?? id);
  const shown = page.getByRole("list", { name: "Who reads the next revision" }).getByRole("listitem");
  await shown.first().waitFor();
  assert.deepEqual((await shown.allInnerTexts()).sort(), names.sort());
  await page.getByRole("button", { name: "Bring it back" }).click();
  await page.getByText("Your key opens this envelope again.").waitFor();
  await page.getByRole("heading", { name: "New keys for these forms" }).waitFor();
  const after = await openNewest();
  assert.deepEqual(after.content.readers, before.content.readers);
  assert.equal(after.head.revision, before.head.revision + 2);
  await page.goto(`/forms/${server.formId}`);
  await page.getByText("yes-please").waitFor();
});

async function openNewest() {
  const { list } = await readList();
  const { file, revision } = (await client.envelopes.getNewest(server.formId, 1)) ?? assert.fail();
  const opened = await openEnvelope(file, own.key.identity, {
    list,
    formId: server.formId,
    firstVersion: 1,
    revision,
  });
  if (opened instanceof RefusalError) throw opened;
  return opened;
}

/** The same content and signature, for one more recipient. */
async function addReader(file: Uint8Array): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(own.key.identity);
  const content = await decrypter.decrypt(file);
  const encrypter = new Encrypter();
  for (const recipient of [own.key.recipient, (await generatePersonalKey()).recipient])
    encrypter.addRecipient(recipient);
  return encrypter.encrypt(content);
}

test("a form whose envelope is lost, or was never stored, is not lost: the key is saved as a file at once", async () => {
  const lies: readonly (() => void)[] = [
    () => server.lie("GET", envelopePath, () => notFound, 404),
    // Nothing reaches the service, and yet it says that the form is there.
    () =>
      server.swallow("POST", /\/api\/forms$/, ({ body }) => {
        const form = JSON.parse(body);
        return { status: 201, body: { form: { ...form, id: form.formId } } };
      }),
  ];
  for (const [index, lie] of lies.entries()) {
    honest();
    lie();
    await page.goto("/forms/new");
    await page.getByRole("textbox", { name: "Name" }).fill(`Lost ${index}`);
    await page.getByRole("button", { name: "Create form" }).click();
    await page.getByRole("alert").filter({ hasText: "The server took the envelope, but does not show it" }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download key file" }).click();
    await page.setInputFiles("input[type=file]", await (await download).path());
    await page.waitForURL(/\/embed$/);
  }
});

test("no part of a private key is in any request", () => {
  honest();
  const requests = sent.join("\n");
  const { d, p, q } = server.pair.privateKey;
  for (const secret of [d, p, q, own.key.identity, own.key.signingSeed, own.sheet.identity, ...own.sheet.lines])
    assert.ok(!requests.includes(secret));
  assert.match(requests, /PUT .*envelope/, "control: an envelope was sent");
});
