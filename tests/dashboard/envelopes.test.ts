import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { type FormKey, findWritingEnd } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createId, type FormId, type KeyPair } from "@sealpost/wire";
import { createQueryClient } from "../../packages/dashboard/src/api/query-client.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { KeyLogError } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { findOrFoundList, toListName } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { type OpenedForm, openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { importAsShown } from "../support/import-keys.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import {
  changed,
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

// Lists and envelopes as the dashboard's pages read and write them, against a server made of functions that lies.

let ada: PlayedPerson;
let bo: PlayedPerson;
let server: PlayedServer;
let browser: EnvelopeContext;
const settings = { encryption: true, piiStrip: false };

before(async () => {
  [ada, bo] = await Promise.all([makePerson("Ada"), makePerson("Bo")]);
});
beforeEach(() => {
  server = playServer();
  browser = openBrowser(server, ada);
});

async function found(context = browser): Promise<CheckedList> {
  const list = await findOrFoundList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}

interface PlayedForm {
  readonly formId: FormId;
  readonly pair: KeyPair;
  readonly key: FormKey;
  readonly list: CheckedList;
}

async function createForm(): Promise<PlayedForm> {
  const list = await found();
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const form = { formId, name: "Vote", publicKey: pair.publicKey, settings };
  const stored = await createFormWithEnvelope(browser, list, form, key);
  assert.equal(stored.kind, "read");
  return { formId, pair, key, list };
}

async function open(formId: FormId, context = browser): Promise<OpenedForm> {
  const opening = await openForm(context, formId);
  assert.equal(opening.kind, "opened");
  return opening as OpenedForm; // just asserted
}

const reasonsOf = ({ refused }: OpenedForm) => refused.map(({ reason }) => reason);

test("an owner begins the list once, and reads it back; a second tab and a new browser find the same", async () => {
  const list = await found();
  assert.deepEqual([...list.list.members.keys()], [ada.id]);
  assert.deepEqual((await found()).list.head, list.list.head);
  assert.deepEqual((await found(openBrowser(server, ada))).list.head, list.list.head);
  assert.equal(server.list.length, 1);
});

test("when somebody else began the list a moment before, theirs is loaded, and a second owner is a stranger to it", async () => {
  const first = await writeEntry("", bo, { change: "add", member: toMember(bo) });
  server.lies.addEntry = async () => {
    server.list = [first];
    throw changed();
  };
  assert.deepEqual(await findOrFoundList(browser), { kind: "stranger", admitters: ["Bo"], isNamed: false });
  // Bo adds Ada, and Ada's key has signed nothing in it: only an invitation would say so.
  server.list.push(await writeEntry(first, bo, { change: "add", member: toMember(ada) }));
  assert.deepEqual(await loadList(browser), { kind: "stranger", admitters: ["Bo"], isNamed: true });
});

test("members who are no owners begin no list", async () => {
  assert.deepEqual(await findOrFoundList({ ...browser, isOwner: false }), { kind: "none" });
  assert.deepEqual(server.list, []);
});

test("a server that takes the first entry and stores nothing is found out before anything is sealed", async () => {
  server.lies.addEntry = async () => undefined;
  assert.deepEqual(await findOrFoundList(browser), { kind: "refused", reason: "lost_list" });
  server.lies = {};
  assert.equal((await findOrFoundList(browser)).kind, "checked");
});

test("a list that was seen can neither be hidden, replayed, forked nor changed", async () => {
  await found();
  const [first = ""] = server.list;
  const added = await writeEntry(first, ada, { change: "add", member: toMember(bo, "reader") });
  server.list.push(added);
  await found();
  const swapped = added.replace(bo.key.recipient, (await makePerson("Eve")).key.recipient);
  const other = await writeEntry(first, ada, { change: "add", member: { ...toMember(bo, "reader"), name: "Eve" } });
  const third = await writeEntry(first + added, ada, { change: "remove", member: { id: bo.id } });
  const lies: readonly (readonly [string[], string])[] = [
    [[], "hidden_list"],
    [[first], "old_list"],
    [[first, other], "forked"],
    [[first, swapped], "forked"],
    [[first, added, third.replace("remove", "removX")], "malformed"],
    [[first, added, added], "broken_chain"],
    [[first, added, third.split("\n")[0] + added.slice(added.indexOf("\n"))], "not_signed"],
  ];
  // It takes nothing back that it says it has lost.
  server.lies = { giveListBack: async () => false };
  for (const [list, reason] of lies) {
    server.list = list;
    const loaded = await loadList(browser);
    assert.equal(loaded.kind === "refused" && loaded.reason, reason);
  }
  server.list = [first, added, third];
  assert.equal((await found()).list.head.number, 3);
});

test("what the entries of a list say is known of it also after the page has asked for it again", async () => {
  await found();
  for (const change of [
    { change: "add", member: toMember(bo, "manager") },
    { change: "remove", member: { id: bo.id } },
  ] as const)
    server.list.push(await writeEntry(server.list.join(""), ada, change));
  const nothing = () => undefined;
  const queries = createQueryClient(nothing, nothing, nothing);
  const options = { queryKey: ["list"], queryFn: () => loadList(browser), staleTime: 0 };
  for (const _ of [1, 2]) await queries.fetchQuery(options);
  const again = queries.getQueryData<CheckedList>(options.queryKey) ?? assert.fail();
  assert.equal(findWritingEnd(again.list, { id: bo.id, since: { number: 2 } })?.how, "removed");
});

test("at the first sight a list in which the own key has signed nothing is not used", async () => {
  server.list = [await writeEntry("", bo, { change: "add", member: toMember(bo) })];
  assert.equal((await loadList(browser)).kind, "stranger");
  assert.equal(await browser.heads.findList(organizationId), undefined);
});

test("a list with another key under the own name is refused, and somebody who was removed is a stranger", async () => {
  await found();
  const [first = ""] = server.list;
  const second = await makePerson("Ada");
  const replaced = { ...toMember(second), id: ada.id };
  server.list.push(await writeEntry(first, ada, { change: "replace", member: replaced }));
  assert.deepEqual(await loadList(browser), { kind: "refused", reason: "own_key_differs" });
});

test("a form and its envelope are made together, and a new browser opens it with the personal key alone", async () => {
  const { formId, key } = await createForm();
  const opened = await open(formId, openBrowser(server, ada));
  assert.deepEqual(
    opened.keys.map(({ fingerprint, keyVersion, cryptoKey }) => [fingerprint, keyVersion, cryptoKey.extractable]),
    [[key.fingerprint, 1, false]],
  );
  assert.deepEqual(
    opened.envelopes[0]?.readers.map(({ name }) => name),
    ["Ada"],
  );
  assert.deepEqual(opened.envelopes[0]?.writtenBy, { id: ada.id, name: "Ada" });
  assert.deepEqual([opened.refused, opened.missing, opened.otherKeys], [[], [], []]);
});

test("nothing that is sent holds a part of a private key", async () => {
  const { formId, key } = await createForm();
  await open(formId);
  const sent = server.sent.join("\n");
  const secrets = [key.privateKey.d, key.privateKey.p, key.privateKey.q, ada.key.signingSeed, ada.key.identity];
  for (const secret of secrets) assert.ok(!sent.includes(secret));
  assert.ok(sent.includes(key.privateKey.n), "control: the public half is sent");
});

test("a server that answers 200 and drops the envelope, swaps it or publishes another key is found out while the key is still here", async () => {
  const list = await found();
  const { pair, key } = await newFormKey(1);
  const foreign = await newFormKey(1);
  const create = (formId: FormId = createId("form")) =>
    createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: pair.publicKey, settings }, key);
  server.lies = { createForm: async () => void server.keys.push({ version: 1, fingerprint: key.fingerprint }) };
  assert.deepEqual(await create(), { kind: "unread", reason: "lost_envelope" });
  const formId = createId("form");
  const own = await writeEnvelope(server.list.join(""), ada, { formId, readerIds: [ada.id], keys: [foreign.key] });
  server.lies = { fetchEnvelope: async () => ({ file: own, revision: 1 }) };
  assert.deepEqual(await create(formId), { kind: "unread", reason: "forked" });
  assert.deepEqual(await create(), { kind: "unread", reason: "other_form" });
  server.keys.length = 0;
  server.lies = { fetchKeys: async () => [{ version: 1, fingerprint: foreign.key.fingerprint }] as never };
  assert.deepEqual(await create(), { kind: "unread", reason: "other_published_key" });
  server.keys.length = 0;
  for (const [status, code] of [
    [403, "forbidden"],
    [429, "rate_limited"],
  ] as const) {
    server.lies = { fetchEnvelope: () => Promise.reject(new ApiError("No", { status, code })) };
    assert.deepEqual(await create(), { kind: "unread", reason: "lost_envelope" }, code);
  }
});

test("where only the answer was lost the form counts as created, and where the request was, nothing was", async () => {
  const list = await found();
  const { pair, key } = await newFormKey(1);
  const create = () => {
    const form = { formId: createId("form"), name: "Vote", publicKey: pair.publicKey, settings };
    return createFormWithEnvelope(browser, list, form, key);
  };
  const offline = new TypeError("fetch failed");
  server.lies = { createForm: () => Promise.reject(offline) };
  await assert.rejects(create(), offline);
  assert.equal(server.envelopes.size, 0);
  server.lies = {
    createForm: async ({ formId, envelope, keyLogEntry }) => {
      server.keyLogs.set(formId, keyLogEntry);
      server.keys.push({ version: 1, fingerprint: key.fingerprint });
      server.envelopes.set(1, [envelope]);
      throw offline;
    },
  };
  assert.equal((await create()).kind, "read");
});

test("an envelope that was seen can neither be hidden, replayed, replaced nor read with keys that are not the form's", async () => {
  const { formId, list, key } = await createForm();
  const first = server.envelopes.get(1)?.[0] ?? assert.fail();
  const second = await newFormKey(2);
  const [previous = assert.fail()] = (await open(formId)).envelopes;
  const rotation = { publicKey: second.pair.publicKey, keyVersion: 2 };
  assert.equal((await rotateAsShown(browser, list, formId, rotation, { key: second.key, previous })).kind, "read");
  const readerIds = [ada.id];
  const write = (keys: readonly FormKey[], id = formId) =>
    writeEnvelope(server.list.join(""), ada, { formId: id, readerIds, keys });
  const lies: readonly (readonly [Partial<PlayedServer["lies"]>, string])[] = [
    [{ fetchEnvelope: async () => undefined }, "hidden_envelope"],
    [{ listEnvelopes: async () => [] }, "hidden_envelope"],
    [{ fetchEnvelope: async () => ({ file: first, revision: 1 }) }, "old_revision"],
    [{ fetchEnvelope: async () => ({ file: first, revision: 2 }) }, "wrong_revision"],
    [{ fetchEnvelope: async () => ({ file: first.slice(0, -1), revision: 1 }) }, "malformed"],
  ];
  for (const [lie, reason] of lies) {
    server.lies = lie;
    const opened = await open(formId);
    assert.deepEqual([reasonsOf(opened), opened.keys], [[reason], []], reason);
  }
  const other = await write([key], createId("form"));
  server.lies = { fetchEnvelope: async () => ({ file: other, revision: 1 }) };
  assert.deepEqual(reasonsOf(await open(formId)), ["other_form"]);
  const another = openBrowser(server, ada);
  const madeUp = await write([{ ...key, fingerprint: second.key.fingerprint }]).catch((error) => error.reason);
  assert.equal(madeUp, "wrong_key");
  // At the first sight an older revision can be shown: the version that it lacks is named.
  server.lies = { fetchEnvelope: async () => ({ file: first, revision: 1 }) };
  assert.deepEqual((await open(formId, another)).missing, [2]);
  server.lies = {};
  assert.deepEqual((await open(formId, another)).missing, []);
});

test("where the newest envelope is full a rotation begins another one, for its readers", async () => {
  const list = await found();
  const formId = createId("form");
  const made = await Promise.all(Array.from({ length: 33 }, (_, index) => newFormKey(index + 1)));
  const [next = assert.fail(), ...before] = made.toReversed();
  const keys = before.map(({ key }) => key).toReversed();
  server.keys.push(...keys.map(({ version, fingerprint }) => ({ version, fingerprint })));
  assert.deepEqual(
    (await importKeys(browser, list, formId, keys, [], "Vote")).map(({ kind }) => kind),
    ["read"],
  );
  const [previous = assert.fail()] = (await open(formId)).envelopes;
  const rotation = { publicKey: next.pair.publicKey, keyVersion: 33 };
  assert.equal((await rotateAsShown(browser, list, formId, rotation, { key: next.key, previous })).kind, "read");
  const opened = await open(formId, openBrowser(server, ada));
  assert.deepEqual([opened.keys.length, opened.missing, reasonsOf(opened)], [33, [], []]);
  assert.deepEqual(
    [...server.envelopes].map(([version, { length }]) => [version, length]),
    [
      [1, 1],
      [33, 1],
    ],
  );
});

test("a version for which the server publishes another key is left closed and named, and the others open", async () => {
  const { formId, list } = await createForm();
  const [previous = assert.fail()] = (await open(formId)).envelopes;
  const second = await newFormKey(2);
  const rotation = { publicKey: second.pair.publicKey, keyVersion: 2 };
  await rotateAsShown(browser, list, formId, rotation, { key: second.key, previous });
  const foreign = await newFormKey(2);
  server.keys.splice(1, 1, { version: 2, fingerprint: foreign.key.fingerprint });
  const opened = await open(formId);
  assert.deepEqual([opened.keys.map(({ keyVersion }) => keyVersion), opened.otherKeys], [[1], [2]]);
});

test("the keys that a person brings go into one envelope, and later and older ones are added to it", async () => {
  const list = await found();
  const formId = createId("form");
  const made = await Promise.all([1, 2, 3, 4].map((version) => newFormKey(version)));
  const [one = assert.fail(), two = assert.fail(), three = assert.fail(), four = assert.fail()] = made.map(
    ({ key }) => key,
  );
  server.keys.push(...made.map(({ key: { version, fingerprint } }) => ({ version, fingerprint })));
  assert.deepEqual(await openForm(browser, formId), { kind: "none" });
  const kinds = (stored: readonly { kind: string }[]) => stored.map(({ kind }) => kind);
  assert.deepEqual(kinds(await importKeys(browser, list, formId, [three, two], [], "Vote")), ["read"]);
  const opened = await open(formId);
  assert.deepEqual(opened.missing, [1, 4]);
  assert.deepEqual(kinds(await importAsShown(browser, list, formId, [four, two, one], opened)), ["read"]);
  const { keys } = await open(formId, openBrowser(server, ada));
  assert.deepEqual(keys.map(({ keyVersion }) => keyVersion).sort(), [1, 2, 3, 4]);
  assert.deepEqual([...server.envelopes.keys()], [1]);
});

test("an envelope that changed meanwhile is not overwritten", async () => {
  const { formId, list } = await createForm();
  const [previous = assert.fail()] = (await open(formId)).envelopes;
  const [second, third] = await Promise.all([newFormKey(2), newFormKey(3)]);
  const rotate = ({ pair, key }: { pair: KeyPair; key: FormKey }) =>
    rotateAsShown(browser, list, formId, { publicKey: pair.publicKey, keyVersion: key.version }, { key, previous });
  await rotate(second);
  await assert.rejects(rotate(await newFormKey(2)), KeyLogError, "its version is in the key log by now");
  await assert.rejects(rotate(third), { status: 412 });
  assert.deepEqual(
    (await open(formId)).keys.map(({ keyVersion }) => keyVersion),
    [1, 2],
  );
});

test("two tabs: a revision that a server takes next to one that another tab has seen, does not count as stored, and is not remembered", async () => {
  const { formId, list } = await createForm();
  const [previous = assert.fail()] = (await open(formId)).envelopes;
  const other = openBrowser(server, ada, browser.heads);
  const [second, third] = await Promise.all([newFormKey(2), newFormKey(3)]);
  const rotate = (context: EnvelopeContext, { pair, key }: { pair: KeyPair; key: FormKey }) =>
    rotateAsShown(context, list, formId, { publicKey: pair.publicKey, keyVersion: key.version }, { key, previous });
  assert.equal((await rotate(other, second)).kind, "read");
  const [seen] = (await browser.heads.findEnvelopes(formId)).heads;
  server.lies = {
    async rotateKeys(_formId, { envelope }) {
      server.envelopes.set(1, [previous.file, envelope]);
      server.keys.splice(1, 1, { version: 3, fingerprint: third.key.fingerprint });
    },
  };
  assert.deepEqual(await rotate(browser, third), { kind: "unread", reason: "forked" });
  assert.deepEqual((await browser.heads.findEnvelopes(formId)).heads, [seen]);
});

test("a key that a removed manager put in, under the list from before, opens submissions, and nothing follows it before somebody has said that it is right", async () => {
  const { formId } = await createForm();
  const [first = ""] = server.list;
  server.list.push(await writeEntry(first, ada, { change: "add", member: toMember(bo, "manager") }));
  await changeReaders(browser, [formId], { add: [bo.id], remove: [] });
  const second = await newFormKey(33);
  const [
    {
      head: { keyLog },
    } = assert.fail(),
  ] = (await open(formId)).envelopes;
  const parts = { formId, readerIds: [ada.id], keys: [second.key], keyLog };
  const file = await writeEnvelope(server.list.join(""), bo, parts);
  const seenBefore = openBrowser(server, ada);
  for (const context of [browser, seenBefore]) await open(formId, context);
  server.envelopes.set(33, [file]);
  server.keys.push({ version: 33, fingerprint: second.key.fingerprint });
  const versionsOf = ({ keys }: OpenedForm) => keys.map(({ keyVersion }) => keyVersion);
  assert.deepEqual(versionsOf(await open(formId, seenBefore)), [1, 33]);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "remove", member: { id: bo.id } }));
  // Where it was seen while Bo was a manager, nothing has changed.
  assert.deepEqual(reasonsOf(await open(formId, seenBefore)), []);
  for (const _ of [1, 2]) {
    const opened = await open(formId);
    assert.deepEqual([reasonsOf(opened), versionsOf(opened), opened.missing], [["former_writer"], [1, 33], []]);
    assert.deepEqual(opened.unproved, [33]);
    assert.deepEqual(
      opened.envelopes.map(({ firstVersion }) => firstVersion),
      [1],
    );
  }
  // Put aside, it is as at the first sight.
  await browser.heads.forgetEnvelopes(formId);
  const [envelope = assert.fail()] = findToLookAt(await open(formId));
  assert.equal((await sayIsRight(browser, formId, envelope)).outcome, "accepted");
  const accepted = await open(formId);
  assert.deepEqual([reasonsOf(accepted), versionsOf(accepted)], [[], [1, 33]]);
  assert.deepEqual(
    accepted.envelopes.map(({ isByFormer }) => isByFormer),
    [false, true],
  );
});

test("a form that turns up in another organization is refused, with an envelope and without, until somebody accepts it", async () => {
  const { formId } = await createForm();
  const plain = createId("form");
  await open(formId);
  server.forms.set(plain, new Map());
  assert.deepEqual(await openForm(browser, plain), { kind: "none" });
  // The same browser and person, in an organization where somebody else reads as well.
  const elsewhere = { ...browser, organizationId: createId("account") };
  server.list = [await writeEntry("", ada, { change: "add", member: toMember(ada) }, elsewhere.organizationId)];
  for (const id of [formId, plain]) assert.deepEqual(reasonsOf(await open(id, elsewhere)), ["moved_form"]);
  // Another envelope was accepted: that says nothing about the organization.
  await browser.heads.forgetEnvelopes(formId);
  assert.deepEqual(reasonsOf(await open(formId, elsewhere)), ["moved_form"]);
  await browser.heads.forgetForm(plain);
  assert.deepEqual(await openForm(elsewhere, plain), { kind: "none" });
});

test("without a key of the server's list nobody else can be made a reader: an envelope for a stranger is refused", async () => {
  const { formId, key } = await createForm();
  const eve = await makePerson("Eve");
  const foreignList = await writeEntry("", eve, { change: "add", member: toMember(eve) });
  const file = await writeEnvelope(
    foreignList + (await writeEntry(foreignList, eve, { change: "add", member: toMember(ada) })),
    eve,
    { formId, readerIds: [ada.id, eve.id], keys: [key] },
  );
  server.lies = { fetchEnvelope: async () => ({ file, revision: 1 }) };
  assert.deepEqual(reasonsOf(await open(formId)), ["unknown_list"]);
});

test("names of accounts fit into a list, whatever is in them", () => {
  assert.equal(toListName(" Ada\u202e Example\n"), "Ada Example");
  assert.equal(toListName("\u200e"), "Owner");
  assert.equal([...toListName("😀".repeat(200))].length, 100);
});
