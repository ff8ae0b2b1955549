import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import {
  deriveRecoveryKey,
  generatePersonalKey,
  generateSheet,
  joinShares,
  type SigningKeys,
  splitIdentity,
} from "@sealpost/envelope";
import { signEntry, toListToCheck } from "@sealpost/sdk/envelopes";
import { createId, type FormId, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { findUnfinished } from "../../packages/dashboard/src/envelopes/unfinished.ts";
import { collectForms } from "../../packages/dashboard/src/recovery/collect-forms.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import { becomeOwner, checkRecovery, withRecoveryKey } from "../../packages/dashboard/src/recovery/recover.ts";
import {
  changed,
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  takeEntry,
  toMember,
  writeEntry,
  writeEnvelope,
} from "./played-envelopes.ts";

// The organization's recovery key, as the dashboard makes and uses it, against a server made of functions.

let ada: PlayedPerson;
/** Ada after she has lost everything but the paper. */
let adaAgain: PlayedPerson;
let eve: PlayedPerson;
let sheets: SigningKeys;
let server: PlayedServer;
let browser: EnvelopeContext;
let formIds: FormId[];

before(async () => {
  [ada, eve] = await Promise.all([makePerson("Ada"), makePerson("Eve")]);
  adaAgain = { ...ada, key: await generatePersonalKey() };
  sheets = await makeSheets();
});
beforeEach(async () => {
  server = playServer();
  browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  formIds = await Promise.all([addForm(), addForm()]);
});

async function makeSheets(): Promise<SigningKeys> {
  return deriveRecoveryKey((await generateSheet("organization")).identity);
}

async function addForm(): Promise<FormId> {
  const formId = createId("form");
  const { key } = await newFormKey(1);
  const file = await writeEnvelope(server.list.join(""), ada, { formId, readerIds: [ada.id], keys: [key] });
  server.forms.set(formId, new Map([[1, [file]]]));
  server.keysOf.set(formId, [{ version: 1, fingerprint: key.fingerprint }]);
  return formId;
}

const keep = (key = sheets, replaced: readonly string[] = []) =>
  keepRecoveryKey(browser, key, "Recovery key", replaced);
const sweep = (context: EnvelopeContext) => changeReaders(context, formIds, { add: [], remove: [] });

/** The lost key has signed them, and somebody else may have it: the person says of each form that it is right. */
async function lookAt(context: EnvelopeContext, ids: readonly FormId[] = formIds): Promise<void> {
  for (const formId of ids) {
    const opened = await openForm(context, formId);
    const [envelope = assert.fail()] = opened.kind === "opened" ? findToLookAt(opened) : [];
    assert.equal((await sayIsRight(context, formId, envelope)).outcome, "accepted");
  }
}

const kindsOf = async (context: EnvelopeContext) => (await sweep(context)).map(({ kind }) => kind);

/** Names of the readers, or why the form does not open. */
async function read(context: EnvelopeContext, formId: FormId): Promise<readonly string[]> {
  const opened = await openForm(context, formId);
  if (opened.kind !== "opened") return [opened.kind];
  return [
    ...opened.refused.map(({ reason }) => reason),
    ...opened.envelopes.flatMap(({ readers }) => readers.map(({ id, name }) => name ?? id)),
  ];
}

function assertNothingSent(): void {
  const all = server.sent.join("\n");
  const secrets = [sheets, ada.key, adaAgain.key].flatMap(({ identity, signingSeed }) => [identity, signingSeed]);
  for (const secret of secrets) assert.ok(!all.includes(secret) && !all.includes(secret.slice(-40)));
}

test("laptop, phone and words are lost: the paper alone makes a new key an owner's on a new computer, and opens every form", async () => {
  const kept = await keep();
  assert.ok(kept.kind === "kept");
  assert.equal(server.list.length, 3, "the founder, the recovery key, and its signature");
  assert.deepEqual(await kindsOf(browser), ["changed", "changed"]);
  const { isToCheck } = await findUnfinished(browser, kept.list, [{ id: ada.id, role: "owner" }]);
  assert.equal(isToCheck, false, "nobody was lost from the list");
  assert.deepEqual((await read(browser, formIds[0] ?? assert.fail())).toSorted(), ["Ada", "Recovery key"]);
  assert.equal((await keep()).kind, "kept");
  assert.equal(server.list.length, 3, "begun again, nothing is left to do");

  const fresh = openBrowser(server, adaAgain);
  assert.notEqual((await loadList(fresh)).kind, "checked");
  const shares = await splitIdentity(sheets.identity, 2, 3);
  const joined = await joinShares(shares.slice(1));
  assert.ok("identity" in joined);
  const key = await deriveRecoveryKey(joined.identity);
  const check = await checkRecovery(fresh, key);
  assert.ok(check.kind === "ready" && !check.isOwner);
  assert.equal((await becomeOwner(fresh, key, check)).kind, "checked");
  assert.deepEqual(await read(fresh, formIds[0] ?? assert.fail()), ["not_a_reader"]);
  assert.deepEqual(await kindsOf(withRecoveryKey(fresh, key)), ["failed", "failed"]);
  await lookAt(withRecoveryKey(fresh, key));
  assert.deepEqual(await kindsOf(withRecoveryKey(fresh, key)), ["changed", "changed"]);
  for (const formId of formIds) assert.deepEqual((await read(fresh, formId)).toSorted(), ["Ada", "Recovery key"]);
  assert.deepEqual(await kindsOf(withRecoveryKey(fresh, key)), ["unchanged", "unchanged"]);
  // The lost key opens nothing from this revision on, and the browser that has it says why.
  assert.equal((await loadList(browser)).kind, "refused");
  const now = await checkRecovery(fresh, key);
  assert.ok(now.kind === "ready" && now.isOwner);
  assertNothingSent();
});

const isPaper = (member?: { readonly role?: string }) => member?.role === "recovery";

test("key logs are continued after a recovery, signed with the recovery key, and after an owner replaced their key, with the former one", async () => {
  const kept = await keep();
  assert.ok(kept.kind === "kept");
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  await createFormWithEnvelope(browser, kept.list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  const ownersAfter = async (context: EnvelopeContext) => {
    const [swept] = await changeReaders(context, [formId], { add: [], remove: [] });
    assert.equal(swept?.kind, "changed", JSON.stringify(swept));
    const log = await verifyKeyLog(await server.api.fetchKeyLog(formId), { formId });
    assert.ok(typeof log !== "string", String(log));
    return log.entry.owners;
  };
  const { signingKey: recovery } = sheets;
  const fresh = openBrowser(server, adaAgain);
  const check = await checkRecovery(fresh, sheets);
  assert.ok(check.kind === "ready");
  await becomeOwner(fresh, sheets, check);
  const recovered = [adaAgain.key.signingKey, recovery].sort();
  await lookAt(withRecoveryKey(fresh, sheets), [formId]);
  assert.deepEqual(await ownersAfter(withRecoveryKey(fresh, sheets)), recovered);

  const third: PlayedPerson = { ...ada, key: { ...(await generatePersonalKey()), former: [adaAgain.key] } };
  server.list.push(
    await writeEntry(server.list.join(""), adaAgain, { change: "replace", member: toMember(third, "owner") }),
  );
  // A new key cuts what its person vouched for: they say that the paper is theirs.
  const paper = server.list.map((entry) => JSON.parse(entry.split("\n")[0] ?? "").member).find(isPaper);
  server.list.push(await writeEntry(server.list.join(""), third, { change: "vouch", members: [paper.id] }));
  assert.deepEqual(await ownersAfter(openBrowser(server, third, fresh.heads)), [third.key.signingKey, recovery].sort());
});

test("between any two steps of making and using the recovery key everything may end: it is begun again, and nothing is doubled", async () => {
  for (let allowed = 0; ; allowed++) {
    let count = 0;
    server.lies = {
      // The server takes the entry, and its answer is lost.
      async addEntry(entry, head) {
        if ((head?.number ?? 0) !== server.list.length) throw changed();
        server.list.push(takeEntry(entry));
        if (count++ === allowed) throw new Error("The answer was lost");
      },
    };
    const attempt = await keep().catch(() => undefined);
    if (attempt !== undefined) break;
    server.lies = {};
    assert.equal((await keep()).kind, "kept");
    assert.equal(server.list.length, 3);
    server.list = server.list.slice(0, 1);
    server.signedHeads.clear();
    browser = openBrowser(server, ada);
  }
  const fresh = openBrowser(server, adaAgain);
  const check = await checkRecovery(fresh, sheets);
  assert.ok(check.kind === "ready");
  server.lies = {
    async addEntry(entry) {
      server.list.push(takeEntry(entry));
      throw new Error("The answer was lost");
    },
  };
  await assert.rejects(becomeOwner(fresh, sheets, check));
  server.lies = {};
  assert.equal((await becomeOwner(fresh, sheets, check)).kind, "checked");
  assert.equal(server.list.length, 5);
});

test("a recovery key takes the place of another, whose sheets open nothing that is written from then on and make no owner", async () => {
  await keep();
  await sweep(browser);
  const first = await loadList(browser);
  assert.ok(first.kind === "checked");
  const before = [...first.list.members.keys()];
  const next = await makeSheets();
  const kept = await keep(next, before);
  assert.ok(kept.kind === "kept");
  const keys = [...kept.list.list.members.values()].filter(({ role }) => role === "recovery");
  assert.deepEqual(
    keys.map(({ recipient }) => recipient),
    [next.recipient],
  );
  assert.deepEqual(await kindsOf(browser), ["changed", "changed"]);
  const fresh = openBrowser(server, adaAgain);
  assert.deepEqual(await checkRecovery(openBrowser(server, adaAgain), sheets), { kind: "refused", reason: "foreign" });
  const check = await checkRecovery(fresh, next);
  assert.ok(check.kind === "ready");
  await becomeOwner(fresh, next, check);
  const wrong = await sweep(withRecoveryKey(fresh, sheets));
  assert.deepEqual(
    wrong.map(({ kind }) => kind),
    ["failed", "failed"],
  );
  await lookAt(withRecoveryKey(fresh, next));
  assert.deepEqual(await kindsOf(withRecoveryKey(fresh, next)), ["changed", "changed"]);
});

test("a malicious server makes up a list with the recovery key's public halves, hides the list, or shows one from before: refused, and nothing is written", async () => {
  await keep();
  const honest = [...server.list];
  const { recipient, signingKey } = sheets;
  const recovery = { id: createId("account"), name: "Recovery key", role: "recovery", recipient, signingKey } as const;
  const list = async (...entries: readonly Parameters<typeof writeEntry>[2][]) => {
    const made: string[] = [];
    for (const entry of entries) made.push(await writeEntry(made.join(""), eve, entry));
    return made;
  };
  const invented = await list({ change: "add", member: toMember(eve) }, { change: "add", member: recovery });
  const bare = await list({ change: "add", member: toMember(eve) });
  const without = { ...recovery, signingKey: null };
  const readsOnly = await list({ change: "add", member: toMember(eve) }, { change: "add", member: without });
  for (const [shown, reason] of [
    [invented, "not_vouched"],
    [bare, "not_vouched"],
    [readsOnly, "not_vouched"],
    // The recovery key stands there, and has not signed yet.
    [honest.slice(0, 2), "not_vouched"],
    [[], "no_list"],
    [honest.with(2, honest[2]?.replace(/"signature":"./, '"signature":"A') ?? ""), "not_signed"],
  ] as const) {
    server.list = [...shown];
    assert.deepEqual(await checkRecovery(openBrowser(server, adaAgain), sheets), { kind: "refused", reason });
    assert.deepEqual(server.list, shown);
  }

  // A browser that has seen the list keeps to what it has seen.
  server.list = honest;
  const seen = openBrowser(server, adaAgain);
  assert.equal((await checkRecovery(seen, sheets)).kind, "ready");
  for (const [shown, reason] of [
    [[], "hidden_list"],
    [honest.slice(0, 2), "old_list"],
    [[...invented, ...invented], "forked"],
    [[...invented, honest[2] ?? ""], "broken_chain"],
  ] as const) {
    server.list = [...shown];
    assert.deepEqual(await checkRecovery(seen, sheets), { kind: "refused", reason });
  }
});

test("the server swaps the list between the check and the entry: the entry fits no other list", async () => {
  await keep();
  const fresh = openBrowser(server, adaAgain);
  const check = await checkRecovery(fresh, sheets);
  assert.ok(check.kind === "ready");
  const honest = [...server.list];
  // Eve was an owner once, and the server shows her branch from then on.
  server.lies = { fetchList: async () => new TextEncoder().encode(honest.slice(0, 2).join("")) };
  const list = await becomeOwner(fresh, sheets, check);
  assert.deepEqual([list.kind, list.kind === "refused" && list.reason], ["refused", "old_list"]);
});

test("who holds the sheets makes owners in the list, and nothing else: no member goes, no recovery key is replaced", async () => {
  await keep();
  const list = await loadList(browser);
  assert.ok(list.kind === "checked");
  const recovery = [...list.list.members.values()].find(({ role }) => role === "recovery") ?? assert.fail();
  const entry = { organizationId, list: toListToCheck(list), signerId: recovery.id };
  const { recipient, signingKey } = eve.key;
  for (const change of [
    { change: "remove", member: { id: ada.id } },
    { change: "remove", member: { id: recovery.id } },
    { change: "replace", member: { ...recovery, recipient, signingKey } },
    { change: "replace", member: { ...recovery, role: "owner" } },
    { change: "add", member: toMember(eve, "manager") },
    { change: "replace", member: { ...toMember(ada), role: "reader" } },
  ] as const) {
    const signed = await signEntry(sheets, { ...entry, change });
    assert.equal("reason" in signed && signed.reason, "not_allowed");
  }
  const owner = await signEntry(sheets, { ...entry, change: { change: "add", member: toMember(eve) } });
  assert.ok("entry" in owner);
});

test("pages of forms are followed to their end, and no further where a server's list has none", async () => {
  const pages = [["a", "b"], ["c"]];
  const honest = async ({ cursor = "0" }) => {
    const next = Number(cursor) + 1;
    return { forms: pages[next - 1] ?? [], nextCursor: next < pages.length ? String(next) : null };
  };
  assert.deepEqual(await collectForms(honest), ["a", "b", "c"]);
  let asked = 0;
  const endless = (forms: readonly string[]) => async () => ({ forms, nextCursor: String(++asked) });
  await assert.rejects(collectForms(endless([])), /has no end/);
  await assert.rejects(collectForms(endless(Array.from({ length: 100 }, () => "form"))), /has no end/);
  assert.equal(asked, 102);
});
