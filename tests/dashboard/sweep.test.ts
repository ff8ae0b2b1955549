import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { ListHead, NewMember } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createFirstEntry } from "@sealpost/sdk/envelopes";
import { KeyLockedError } from "@sealpost/vault";
import { createId, type FormId, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { giveUpKeyLog, writeKeyLogHead } from "../../packages/dashboard/src/envelopes/name-key-log.ts";
import { openForm, openFormBy } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import {
  changeReaders,
  type ReaderChange,
  type SweepState,
  type SweptForm,
} from "../../packages/dashboard/src/envelopes/sweep.ts";
import { findUnfinished } from "../../packages/dashboard/src/envelopes/unfinished.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  writeEntry,
  writeEnvelope,
} from "./played-envelopes.ts";

// Readers of many forms, as the dashboard changes them, against a server made of functions.

let ada: PlayedPerson;
let bo: PlayedPerson;
let cy: PlayedPerson;
let server: PlayedServer;
let browser: EnvelopeContext;
/** Three forms that Ada alone reads. */
let formIds: FormId[];

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
});
beforeEach(async () => {
  server = playServer();
  browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  await change({ change: "add", member: toMember(bo, "reader") });
  await change({ change: "add", member: toMember(cy, "manager") });
  formIds = await Promise.all([addForm(), addForm(), addForm()]);
});

async function change(entry: Parameters<typeof writeEntry>[2], signer = ada): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), signer, entry));
}

async function addForm(readers: readonly PlayedPerson[] = [ada]): Promise<FormId> {
  const formId = createId("form");
  const { key } = await newFormKey(1);
  const readerIds = readers.map(({ id }) => id);
  const file = await writeEnvelope(server.list.join(""), ada, { formId, readerIds, keys: [key] });
  server.forms.set(formId, new Map([[1, [file]]]));
  server.keysOf.set(formId, [{ version: 1, fingerprint: key.fingerprint }]);
  return formId;
}

/** A browser of somebody who was brought in: it remembers a head of the list from then on. */
async function openBrowserOf(person: PlayedPerson): Promise<EnvelopeContext> {
  const context = openBrowser(server, person);
  await context.heads.advanceList(organizationId, undefined, await findHead());
  return context;
}

async function findHead(): Promise<ListHead> {
  const list = await loadList(browser);
  return list.kind === "checked" ? list.list.head : assert.fail();
}

/** Names of the readers, or why the form does not open. */
async function read(context: EnvelopeContext, formId: FormId): Promise<readonly string[]> {
  const opened = await openForm(context, formId);
  if (opened.kind !== "opened") return [opened.kind];
  return [
    ...opened.refused.map(({ reason }) => reason),
    ...opened.envelopes.flatMap(({ readers }) => readers.map(({ id, name }) => name ?? id)).sort(),
  ];
}

const kinds = (results: readonly SweptForm[]) => results.map(({ kind }) => kind);
const stored = () => server.sent.filter((sent) => sent.startsWith('["storeEnvelope"')).length;
const revisionsOf = (formId: FormId) => server.forms.get(formId)?.get(1)?.length;
const sweep = (given: Partial<ReaderChange>, ids: readonly FormId[] = formIds) =>
  changeReaders(browser, ids, { add: [], remove: [], ...given });

test("a reader who is added opens every form with what was sealed before, and one who is removed opens the next revision of none", async () => {
  const states: SweepState[] = [];
  const results = await changeReaders(
    browser,
    formIds,
    { add: [bo.id], remove: [] },
    { onProgress: (state) => states.push(state) },
  );
  assert.deepEqual(
    results.map(({ formId, kind }) => [formId, kind]),
    formIds.map((formId) => [formId, "changed"]),
  );
  assert.deepEqual(
    states.map(({ done, of, failed }) => [done, of, failed]),
    [1, 2, 3].map((done) => [done, 3, 0]),
  );
  const ofBo = await openBrowserOf(bo);
  for (const formId of formIds) assert.deepEqual(await read(ofBo, formId), ["Ada", "Bo"]);
  await sweep({ remove: [bo.id] });
  for (const formId of formIds) {
    assert.deepEqual(await read(ofBo, formId), ["not_a_reader"]);
    assert.deepEqual(await read(browser, formId), ["Ada"]);
  }
});

test("a second sweep changes nothing and sends no envelope, and forms without one are left alone", async () => {
  await sweep({ add: [bo.id] });
  const before = stored();
  const plain = createId("form");
  assert.deepEqual(kinds(await sweep({ add: [bo.id] }, [...formIds, plain])), [
    "unchanged",
    "unchanged",
    "unchanged",
    "none",
  ]);
  assert.equal(stored(), before);
});

test("the person who sweeps stays a reader, also where the change would remove them", async () => {
  assert.deepEqual(kinds(await sweep({ add: [bo.id], remove: [ada.id] })), ["changed", "changed", "changed"]);
  for (const formId of formIds) assert.deepEqual(await read(browser, formId), ["Ada", "Bo"]);
});

test("a sweep that is stopped finishes what it has begun, and one after it does the rest alone", async () => {
  const stop = new AbortController();
  const more = [...formIds, ...(await Promise.all([addForm(), addForm(), addForm()]))];
  const onProgress = () => stop.abort();
  const first = await changeReaders(browser, more, { add: [bo.id], remove: [] }, { onProgress, signal: stop.signal });
  const done = first.filter(({ kind }) => kind === "changed").length;
  assert.ok(done >= 1 && done <= 3, `${done} forms were begun`);
  assert.ok(kinds(first).every((kind) => kind === "changed" || kind === "stopped"));
  const second = await sweep({ add: [bo.id] }, more);
  assert.equal(second.filter(({ kind }) => kind === "changed").length, more.length - done);
  for (const formId of more) assert.equal(revisionsOf(formId), 2);
});

test("two managers at once: who comes second opens the newer revision and continues it, and nobody's change is lost", async () => {
  await sweep({ add: [cy.id] });
  const ofCy = await openBrowserOf(cy);
  const dan = await makePerson("Dan");
  let isFirst = true;
  const honest = server.api;
  server.lies.storeEnvelope = async (formId, ...rest) => {
    if (isFirst) {
      isFirst = false;
      // Cy adds somebody to the list and to the form, between two requests of Ada's sweep.
      await change({ change: "add", member: toMember(dan, "reader") }, cy);
      server.lies = {};
      const [swept] = await changeReaders(ofCy, [formId], { add: [dan.id], remove: [] });
      assert.equal(swept?.kind, "changed");
    }
    return honest.storeEnvelope(formId, ...rest);
  };
  const [formId = assert.fail()] = formIds;
  assert.deepEqual(kinds(await sweep({ add: [bo.id] }, [formId])), ["changed"]);
  assert.deepEqual(await read(await openBrowserOf(bo), formId), ["Ada", "Bo", "Cy", "Dan"]);
  assert.equal(revisionsOf(formId), 4);
});

test("a member's new key is not wrapped for before somebody has accepted it, and then for what they read before alone", async () => {
  const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = formIds;
  await sweep({ add: [bo.id] }, [first, second]);
  const boAgain = { ...(await makePerson("Bo")), id: bo.id };
  await change({ change: "replace", member: toMember(boAgain, "reader") }, bo);
  const ofBo = await openBrowserOf(boAgain);
  assert.deepEqual(kinds(await sweep({})), ["unchanged", "unchanged", "unchanged"]);
  assert.deepEqual(await read(ofBo, first), ["not_a_reader"]);
  assert.deepEqual(kinds(await sweep({ accept: [bo.id] })), ["changed", "changed", "unchanged"]);
  assert.deepEqual(await read(ofBo, first), ["Ada", "Bo"]);
  assert.deepEqual(await read(ofBo, third), ["not_a_reader"]);
  assert.deepEqual(await read(await openBrowserOf(bo), second), ["list"]);
});

test("another change to a form leaves out who has a key that nobody has accepted, and says so", async () => {
  await sweep({ add: [bo.id] });
  const boAgain = { ...(await makePerson("Bo")), id: bo.id };
  await change({ change: "replace", member: toMember(boAgain, "reader") }, bo);
  const [result] = await sweep({ add: [cy.id] });
  assert.deepEqual(result?.kind === "changed" && result.left, [bo.id]);
  const [formId = assert.fail()] = formIds;
  assert.deepEqual(await read(browser, formId), ["Ada", "Cy"]);
  await sweep({ add: [bo.id] });
  assert.deepEqual(await read(await openBrowserOf(boAgain), formId), ["Ada", "Bo", "Cy"]);
});

test("members who were removed from the list go, and a recovery key comes, in any sweep", async () => {
  await sweep({ add: [bo.id] });
  await change({ change: "remove", member: { id: bo.id } });
  const paper = await makePerson("Recovery sheet");
  const recovery: NewMember = { ...toMember(paper), role: "recovery", signingKey: null };
  await change({ change: "add", member: recovery });
  assert.deepEqual(kinds(await sweep({})), ["changed", "changed", "changed"]);
  for (const formId of formIds) assert.deepEqual(await read(browser, formId), ["Ada", "Recovery sheet"]);
  assert.deepEqual(kinds(await sweep({})), ["unchanged", "unchanged", "unchanged"]);
});

test("a form that can't be changed is named with its reason, and all others are changed", async () => {
  const [first = assert.fail(), second = assert.fail(), third = assert.fail()] = formIds;
  const foreign = await addForm([cy]);
  server.lies.fetchEnvelope = async (formId, version) =>
    toShown(formId === second ? server.forms.get(third)?.get(1)?.slice(0, 1) : server.forms.get(formId)?.get(version));
  server.lies.storeEnvelope = async (formId, version, file) =>
    formId === first ? undefined : server.forms.get(formId)?.get(version)?.push(file);
  const results = await sweep({ add: [bo.id] }, [first, second, third, foreign]);
  const reasons = results.map((result) =>
    result.kind === "failed" && result.failure.kind === "envelope" ? result.failure.reason : result.kind,
  );
  assert.deepEqual(reasons, ["old_revision", "other_form", "changed", "not_a_reader"]);
  server.lies = {};
  assert.deepEqual(await read(browser, first), ["Ada"], "what was not stored is not remembered");
});

test("with nobody in the list who has the id, no form is changed", async () => {
  const results = await sweep({ add: [createId("account")] });
  assert.deepEqual(kinds(results), ["failed", "failed", "failed"]);
  assert.equal(stored(), 0);
});

test("another list in the place of the one that was seen stops everything before an envelope is sent", async () => {
  const eve = await makePerson("Eve");
  const honest = [...server.list];
  server.list = [await writeEntry("", eve, { change: "add", member: toMember(eve) })];
  await change({ change: "add", member: toMember(ada, "manager") }, eve);
  await change({ change: "add", member: toMember(bo, "reader") }, eve);
  const results = await sweep({ add: [bo.id] });
  for (const result of results)
    assert.deepEqual(result.kind === "failed" && result.failure, {
      kind: "list",
      list: { kind: "refused", reason: "forked" },
    });
  assert.equal(stored(), 0);
  server.list = honest;
  assert.deepEqual(kinds(await sweep({ add: [bo.id] })), ["changed", "changed", "changed"]);
});

test("after too many requests it waits as long as the server says, and a key that gets locked stops it", async () => {
  const waited: number[] = [];
  let refusals = 2;
  const honest = server.api.storeEnvelope;
  server.lies.storeEnvelope = async (...parameters) => {
    if (refusals-- > 0) throw new ApiError("Too many", { status: 429, code: "rate_limited", retryAfter: 7 });
    server.lies = {};
    return honest(...parameters);
  };
  const wait = async (milliseconds: number) => void waited.push(milliseconds);
  const states: boolean[] = [];
  const onProgress = ({ isWaiting }: SweepState) => void states.push(isWaiting);
  const [first = assert.fail()] = formIds;
  const adding = { add: [bo.id], remove: [] };
  assert.deepEqual(kinds(await changeReaders(browser, [first], adding, { wait, onProgress })), ["changed"]);
  assert.deepEqual(waited, [7_000, 7_000]);
  assert.deepEqual(states, [true, true, false]);
  const locked: EnvelopeContext = {
    ...browser,
    keyAgent: { ...browser.keyAgent, sealEnvelope: () => Promise.reject(new KeyLockedError()) },
  };
  assert.deepEqual(kinds(await changeReaders(locked, formIds, { add: [cy.id], remove: [] })), [
    "stopped",
    "stopped",
    "stopped",
  ]);
});

test("who left by the server's word, has another role or key, or was removed from the list is found, until all forms were looked through", async () => {
  const check = async (roles: Parameters<typeof findUnfinished>[2]) => {
    const list = await loadList(browser);
    if (list.kind !== "checked") return assert.fail();
    const { left, otherRole, renewed, isToCheck } = await findUnfinished(browser, list, roles);
    const names = (members: readonly NewMember[]) => members.map(({ name }) => name);
    return [names(left), names(otherRole.map(({ member }) => member)), names(renewed), isToCheck];
  };
  const roles = [
    { id: ada.id, role: "owner" },
    { id: bo.id, role: "reader" },
    { id: cy.id, role: "manager" },
  ] as const;
  assert.deepEqual(await check(roles), [[], [], [], false]);
  await browser.heads.rememberSwept(organizationId, await findHead());
  assert.deepEqual(await check(roles.slice(0, 2)), [["Cy"], [], [], false]);
  assert.deepEqual(await check([...roles.slice(0, 2), { id: cy.id, role: "auditor" }]), [[], ["Cy"], [], false]);
  const boAgain = { ...(await makePerson("Bo")), id: bo.id };
  await change({ change: "replace", member: toMember(boAgain, "reader") }, bo);
  assert.deepEqual(await check(roles), [[], [], ["Bo"], true]);
  const seasoned = browser;
  browser = openBrowser(server, ada);
  assert.deepEqual(await check(roles), [[], [], ["Bo"], true], "a browser that has never looked through all forms");
  browser = seasoned;
  await browser.heads.rememberSwept(organizationId, await findHead());
  assert.deepEqual(await check(roles), [[], [], [], false]);
  await change({ change: "remove", member: { id: bo.id } });
  assert.deepEqual(await check(roles), [[], [], [], true]);
  await browser.heads.rememberSwept(organizationId, await findHead());
  // A browser that sees the list for the first time does not know since when.
  browser = openBrowser(server, ada);
  assert.deepEqual(await check(roles), [[], [], [], true]);
});

test("forms whose newest key somebody has read who left are found again by any browser, until they are rotated", async () => {
  const [first = assert.fail(), second = assert.fail()] = formIds;
  await sweep({ add: [bo.id] }, [first, second]);
  await change({ change: "remove", member: { id: bo.id } });
  const exposedIn = (results: readonly SweptForm[]) =>
    results.map((result) => ("exposed" in result ? result.exposed : undefined));
  // The browser was closed when one form was through, before anything was rotated.
  assert.deepEqual(exposedIn(await sweep({ findsExposed: true }, [first])), [[bo.id]]);
  const fresh = openBrowser(server, ada);
  const look = () => changeReaders(fresh, formIds, { add: [], remove: [], findsExposed: true });
  assert.deepEqual(exposedIn(await look()), [[bo.id], [bo.id], []]);
  assert.deepEqual(exposedIn(await look()), [[bo.id], [bo.id], []], "nothing had to be changed any more");
  assert.deepEqual(exposedIn(await sweep({})), [undefined, undefined, undefined], "where nobody asks");

  const opened = await openForm(fresh, first);
  const [previous] = opened.kind === "opened" ? opened.envelopes : [];
  if (opened.kind !== "opened" || previous === undefined) return assert.fail();
  const { list } = opened;
  if (list.kind !== "checked") return assert.fail();
  const { pair, key } = await newFormKey(2);
  await rotateAsShown(fresh, list, first, { publicKey: pair.publicKey, keyVersion: 2 }, { key, previous });
  assert.deepEqual(exposedIn(await look()), [[], [bo.id], []]);
});

test("no request of a sweep holds a part of a private key", async () => {
  await sweep({ add: [bo.id] });
  assert.equal(stored(), formIds.length, "control: envelopes were sent");
  const sent = server.sent.join("\n");
  for (const { key } of [ada, bo, cy])
    for (const secret of [key.identity, key.signingSeed]) assert.ok(!sent.includes(secret));
});

test("an owner's change of readers names in a form's key log who may sign by now, once; a manager's leaves it unchanged", async () => {
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  const list = await loadList(browser);
  assert.ok(list.kind === "checked");
  await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  const sweep = async (context: EnvelopeContext, add: readonly string[] = []) => {
    const [swept] = await changeReaders(context, [formId], { add, remove: [] });
    assert.ok(swept?.kind === "changed" || swept?.kind === "unchanged", JSON.stringify(swept));
    const log = await verifyKeyLog(await server.api.fetchKeyLog(formId), { formId });
    assert.ok(typeof log !== "string", String(log));
    const { owners, managers } = log.entry;
    return { number: log.head.number, owners, managers };
  };
  const keyOf = (person: PlayedPerson) => person.key.signingKey;
  const begun = { number: 1, owners: [keyOf(ada)], managers: [keyOf(cy)] };
  assert.deepEqual(await sweep(browser, [cy.id]), begun);
  await change({ change: "replace", member: toMember(bo, "manager") });
  assert.deepEqual(await sweep(openBrowser(server, cy, browser.heads)), begun);
  const both = { ...begun, number: 2, managers: [keyOf(bo), keyOf(cy)].sort() };
  assert.deepEqual([await sweep(browser), await sweep(browser)], [both, both]);
  await change({ change: "remove", member: { id: cy.id } });
  assert.deepEqual(await sweep(browser), { ...begun, number: 3, managers: [keyOf(bo)] });
});

test("a manager rotates after an owner gave the form's key log up and began another: by these acts, or by any change of readers", async () => {
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  const list = await loadList(browser);
  assert.ok(list.kind === "checked");
  await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  await sweep({ add: [cy.id] }, [formId]);
  const open = async (context: EnvelopeContext) => {
    const opened = await openFormBy(context, formId, list);
    assert.ok(opened.kind === "opened" && opened.refused.length === 0);
    return opened.envelopes[0] ?? assert.fail();
  };
  let newest = key;
  const rotateAsManager = async () => {
    const context = await openBrowserOf(cy);
    const own = await loadList(context);
    assert.ok(own.kind === "checked");
    const next = await newFormKey(newest.version + 1);
    const rotation = { publicKey: next.pair.publicKey, keyVersion: next.key.version };
    await rotateAsShown(context, own, formId, rotation, { key: next.key, previous: await open(context) });
    newest = next.key;
  };
  await rotateAsManager();
  await rotateAsManager();
  for (const way of ["acts", "change of readers"]) {
    // The log that is given up is the one that the newest envelope names.
    await open(browser);
    if (way === "acts") {
      assert.deepEqual(await giveUpKeyLog(browser, formId), { mayBeNamed: false });
      assert.equal((await open(browser)).head.keyLog, null);
    } else await browser.heads.forgetKeyLog(formId);
    const begun = await createFirstEntry(browser, list, formId, newest);
    server.keyLogs.set(formId, begun.entry);
    if (way === "acts") await writeKeyLogHead(browser, formId, begun.head);
    else
      assert.deepEqual([await sweep({}, [formId]), await sweep({}, [formId])].flatMap(kinds), ["changed", "unchanged"]);
    assert.deepEqual((await open(browser)).head.keyLog, begun.head);
    await rotateAsManager();
    await rotateAsManager();
    assert.equal((await open(browser)).head.keyLog?.number, 3);
  }
});

/** The newest of these revisions. */
function toShown(revisions: readonly Uint8Array<ArrayBuffer>[] = []) {
  const file = revisions.at(-1);
  return file && { file, revision: revisions.length };
}
