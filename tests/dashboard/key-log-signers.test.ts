import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyLogEntry, toLoggedKey } from "@sealpost/envelope";
import { createId, verifyKeyLog } from "@sealpost/wire";
import { continueKeyLog, KeyLogError } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { checkSigners } from "../../packages/dashboard/src/key-log/check-signers.ts";
import { toLogged } from "../../packages/dashboard/src/key-log/logged-key.ts";
import { signCurrentKey } from "../../packages/dashboard/src/key-log/sign-entry.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "./played-envelopes.ts";

test("a key of an envelope that is open here has the reply key that the form's key log names for it", async () => {
  const ada = await makePerson("Ada");
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  const list = await loadList(browser);
  assert.ok(list.kind === "checked");
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  const opened = await openForm(browser, formId);
  const [held] = opened.kind === "opened" ? opened.keys : [];
  const { replyKey } = await toLoggedKey(formId, key);
  assert.ok(replyKey);
  assert.equal(held?.replyKey, replyKey);
  // A log that is begun later names it, too.
  const [published = assert.fail()] = await server.api.fetchKeys(formId);
  assert.deepEqual(toLogged(published, held ? [held] : []), await toLoggedKey(formId, key));
});

test("nobody vouches for the signers of a key log, and nobody signs it, in another organization than the one in which the form was seen", async () => {
  const [ada, max] = await Promise.all([makePerson("Ada"), makePerson("Max")]);
  const server = playServer();
  const first = await writeEntry("", ada, { change: "add", member: toMember(ada) });
  server.list = [first, await writeEntry(first, ada, { change: "add", member: toMember(max, "manager") })];
  const formId = createId("form");
  const { version, fingerprint, hybridFingerprint } = (await newFormKey(1)).key;
  const key = { version, fingerprint, hybridFingerprint, replyKey: null };
  const signers = { owners: [ada.key.signingKey], managers: [max.key.signingKey] };
  const signer = { publicKey: ada.key.signingKey, signingKey: (await toSigner(ada)).signingKey };
  const bytes = new TextEncoder().encode(await createKeyLogEntry(undefined, { formId, key, ...signers }, signer));
  const log = await verifyKeyLog(bytes, { formId });
  assert.ok(typeof log !== "string", String(log));
  server.lies = { fetchKeyLog: async () => bytes };
  const openFor = async (seenIn: string) => {
    const browser = openBrowser(server, ada);
    await browser.heads.rememberPublicHalves(ada.id, ada.key);
    await browser.heads.claimForm(formId, seenIn);
    const { heads, api, personId } = browser;
    const { wrong, missing } = await checkSigners(log, { personId, organizationId, heads, requests: api, ...api });
    return {
      strangers: [...wrong, ...missing],
      sign: () => continueKeyLog(browser, undefined, formId, { ...key, version: 2 }),
    };
  };
  const here = await openFor(organizationId);
  assert.deepEqual(here.strangers, []);
  assert.match((await here.sign()) ?? "", /"number":2/);
  // Seen elsewhere: the list that the server shows is of others.
  const moved = await openFor(createId("account"));
  assert.deepEqual(moved.strangers, [max.key.signingKey]);
  await assert.rejects(moved.sign(), KeyLogError);
});

test("the head of an entry that was added here is that of what was signed, whatever the server answers, in the browser's memory and for the envelope", async () => {
  const [ada, bo] = await Promise.all([makePerson("Ada"), makePerson("Bo")]);
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  const list = await loadList(browser);
  assert.ok(list.kind === "checked");
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  const { addKeyLogEntry } = server.api;
  server.lies = {
    addKeyLogEntry: async (...parameters) => {
      server.lies = {};
      await addKeyLogEntry(...parameters);
      return { number: 2, hash: "A".repeat(43) };
    },
  };
  const lies = server.lies;
  const headOf = async () => {
    const log = await verifyKeyLog(await server.api.fetchKeyLog(formId), { formId });
    return typeof log === "string" ? assert.fail(log) : log.head;
  };
  // A manager has joined: the next change of readers renews the signers.
  const entry = await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(bo, "manager") });
  server.list.push(entry);
  await changeReaders(browser, [formId], { add: [], remove: [] });
  assert.equal((await headOf()).number, 2);
  assert.deepEqual(await browser.heads.findKeyLog(formId), await headOf());
  server.lies = lies;
  const head = await signCurrentKey(browser, formId, await toLoggedKey(formId, key));
  assert.deepEqual([head, await browser.heads.findKeyLog(formId)], [await headOf(), await headOf()]);
});
