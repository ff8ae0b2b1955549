import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deriveRecoveryKey,
  generatePersonalKey,
  generateSheet,
  type ListHead,
  type PersonalKey,
  sealKeyCopy,
  signHead,
} from "@sealpost/envelope";
import { adoptFormer, type OpenKey } from "@sealpost/vault";
import { createId, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { keepOwnHead } from "../../packages/dashboard/src/envelopes/own-head.ts";
import { signOver } from "../../packages/dashboard/src/envelopes/sign-over.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import { checkRecovery } from "../../packages/dashboard/src/recovery/recover.ts";
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
} from "../dashboard/played-envelopes.ts";

// A reader, who signs no entry of the list, on a device that has seen nothing; the server keeps what another device of hers has signed, and lies about it.

/** Ada's list and form, which Bo reads, and Bo's laptop, which knows the list from a link. */
async function setUp() {
  const [ada, bo] = [await makePerson("Ada"), await makePerson("Bo")];
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  const added = { change: "add", member: toMember(bo, "reader") } as const;
  server.list.push(await writeEntry(server.list.join(""), ada, added));
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const readerIds = [ada.id, bo.id];
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), ada, { formId, readerIds, keys: [key] })]);
  const laptop = openBrowser(server, bo);
  await laptop.heads.advanceList(organizationId, undefined, await headOf(browser));
  return { ada, bo, server, browser, formId, laptop };
}

async function headOf(context: EnvelopeContext): Promise<ListHead> {
  const loaded = await loadList(context);
  assert.ok(loaded.kind === "checked", loaded.kind);
  return loaded.list.head;
}

/** Does something that leaves a signed head, and waits for it. */
async function untilStored(server: PlayedServer, work: () => Promise<unknown>): Promise<void> {
  const stored = new Promise<void>((resolve) => {
    server.lies.storeSignedHead = async (name, signedHead) => {
      server.signedHeads.set(name, signedHead);
      resolve();
    };
  });
  await work();
  await stored;
  delete server.lies.storeSignedHead;
}

/** Outcome on a device that has seen nothing: it opens the form, or why not. Nothing is written then. */
async function atFirstSight(server: PlayedServer, person: PlayedPerson, formId: FormId): Promise<string> {
  server.sent.length = 0;
  const device = openBrowser(server, person);
  const opened = await openForm(device, formId);
  if (opened.kind === "opened") return opened.keys.length > 0 ? "opened" : `refused ${opened.refused[0]?.reason}`;
  assert.deepEqual(await device.heads.findList(organizationId), undefined, "nothing is remembered");
  const written = server.sent.filter((text) => !/^\["(?:fetch|list|find)/.test(text));
  assert.deepEqual(written, []);
  if (opened.kind === "none" || opened.list.kind !== "refused")
    return opened.kind === "none" ? "none" : opened.list.kind;
  return opened.list.reason;
}

const nameOf = ({ key }: PlayedPerson) => `${organizationId} ${key.signingKey}`;

test("a plain reader opens the oldest row on a device that has seen nothing, by what another device of hers has signed; where that is hidden, nothing is trusted", async () => {
  const { bo, server, formId, laptop } = await setUp();
  assert.equal(await atFirstSight(server, bo, formId), "stranger", "control: she has signed no entry");
  await untilStored(server, () => openForm(laptop, formId));
  assert.equal(await atFirstSight(server, bo, formId), "opened");
  server.lies = { fetchSignedHead: async () => undefined };
  assert.equal(await atFirstSight(server, bo, formId), "stranger");
  const loaded = await loadList(openBrowser(server, bo));
  assert.ok(loaded.kind === "stranger" && loaded.isNamed, "the page says that the server names her, and what to do");
});

test("a signed head of another organization, of somebody else or by another key, and a list that does not contain the one that was signed, are refused at the first sight, and nothing is sealed or written", async () => {
  const { ada, bo, server, formId, laptop } = await setUp();
  await untilStored(server, () => openForm(laptop, formId));
  const real = server.signedHeads.get(nameOf(bo)) ?? assert.fail();
  const list = await headOf(laptop);
  const eve = await generatePersonalKey();
  const sign = (key: PersonalKey, by: Partial<Parameters<typeof signHead>[0]> = {}) =>
    signHead({ organizationId, list, signedBy: bo.id, ...by }, key.signingSeed);
  for (const [lie, signedHead] of [
    ["another organization's", await sign(bo.key, { organizationId: createId("account") })],
    ["by another key", await sign(eve)],
    ["by the owner's key", await sign(ada.key)],
    ["another number", real.replace(/"number":\d+/, '"number":1')],
    ["damaged", real.slice(0, -2)],
    ["an entry of the list", server.list[0] ?? ""],
  ] as const) {
    server.signedHeads.set(nameOf(bo), signedHead);
    assert.equal(await atFirstSight(server, bo, formId), "wrong_head", lie);
  }
  server.signedHeads.set(nameOf(bo), real);
  // Lists of the server's own, with an owner of its own and Bo's real halves.
  const evil = { ...(await makePerson("Eve")), key: { ...eve, former: [] } };
  const made = [await writeEntry("", evil, { change: "add", member: toMember(evil) })];
  made.push(await writeEntry(made.join(""), evil, { change: "add", member: toMember(bo, "reader") }));
  const show = (entries: readonly string[]) => {
    server.lies.fetchList = async () => new TextEncoder().encode(entries.join(""));
  };
  show(made);
  assert.equal(await atFirstSight(server, bo, formId), "forked");
  show(made.slice(0, 1));
  assert.equal(await atFirstSight(server, bo, formId), "old_list");
  show(server.list.slice(0, 1));
  assert.equal(await atFirstSight(server, bo, formId), "old_list");
  server.lies.fetchList = async () => undefined;
  assert.equal(await atFirstSight(server, bo, formId), "hidden_list");
  server.lies = {};
  assert.equal(await atFirstSight(server, bo, formId), "opened", "control");
});

test("not detectable: an older signed head with the list as it was then; what was written since is refused", async () => {
  const { ada, bo, server, browser, formId, laptop } = await setUp();
  await untilStored(server, () => openForm(laptop, formId));
  const before = { signedHead: server.signedHeads.get(nameOf(bo)) ?? "", list: [...server.list] };
  const cleo = await makePerson("Cleo");
  const added = { change: "add", member: toMember(cleo, "reader") } as const;
  server.list.push(await writeEntry(server.list.join(""), ada, added));
  server.lies = {
    fetchList: async () => new TextEncoder().encode(before.list.join("")),
    fetchSignedHead: async () => before.signedHead,
  };
  assert.equal(await atFirstSight(server, bo, formId), "opened");
  server.lies = {};
  const [changed] = await changeReaders(browser, [formId], { add: [cleo.id], remove: [] });
  assert.equal(changed?.kind, "changed");
  server.lies = {
    fetchList: async () => new TextEncoder().encode(before.list.join("")),
    fetchSignedHead: async () => before.signedHead,
  };
  assert.equal(await atFirstSight(server, bo, formId), "refused unknown_list");
});

test("a key that was replaced on a laptop that is lost then is carried over on a device that has seen nothing, by a head that the new key has signed, and by no list that a server makes up", async () => {
  const { bo, server, formId, laptop } = await setUp();
  const list = await headOf(laptop);
  const next: OpenKey = { ...(await generatePersonalKey()), former: [] };
  const person = { ...bo, key: next };
  // The laptop sends it with the new key, before anything is carried over.
  server.signedHeads.set(nameOf(person), await signHead({ organizationId, list, signedBy: bo.id }, next.signingSeed));
  const file = await sealKeyCopy(bo.key, { recipient: next.recipient });
  assert.equal(await adoptFormer(next, { file, halves: bo.key }), "adopted");
  const phone = openBrowser(server, person);
  const loaded = await loadList(phone);
  assert.ok(loaded.kind === "refused" && loaded.reason === "own_key_differs");

  // A key that the server calls her former one, and a list in which it stands.
  const made = await generatePersonalKey();
  const strange: OpenKey = { ...next, former: [] };
  const sealed = await sealKeyCopy(made, { recipient: next.recipient });
  assert.equal(await adoptFormer(strange, { file: sealed, halves: made }), "adopted");
  const evil = { ...bo, key: { ...made, former: [] } };
  const entries = [await writeEntry("", evil, { change: "add", member: toMember(evil) })];
  for (const name of ["Eve", "Mallory"]) {
    const added = { change: "add", member: toMember(await makePerson(name), "reader") } as const;
    entries.push(await writeEntry(entries.join(""), evil, added));
  }
  server.lies.fetchList = async () => new TextEncoder().encode(entries.join(""));
  server.sent.length = 0;
  const lied = await signOver(openBrowser(server, { ...bo, key: strange }));
  assert.ok(lied.kind === "refused" && lied.reason === "forked", JSON.stringify(lied));
  assert.ok(!server.sent.some((text) => /addEntry|storeEnvelope/.test(text)));
  server.lies = {};

  assert.equal((await signOver(phone)).kind, "for_reading");
  const opened = await openForm(phone, formId);
  assert.ok(opened.kind === "opened" && opened.keys.length === 1, "the former key travels along");
  for (const { identity, signingSeed } of [bo.key, next])
    assert.ok(!server.sent.some((text) => text.includes(identity) || text.includes(signingSeed)));
});

test("a head is signed once the list has grown, a minute after the one before at the earliest, never for an earlier entry, and again by another device only where it has seen more", async () => {
  const { ada, bo, server, formId, laptop } = await setUp();
  const first = await headOf(openBrowser(server, ada));
  const later = async () => {
    const added = { change: "add", member: toMember(await makePerson("More"), "reader") } as const;
    server.list.push(await writeEntry(server.list.join(""), ada, added));
    return headOf(openBrowser(server, ada));
  };
  const writes = () =>
    server.sent.filter((text) => text.startsWith('["storeSignedHead"') && text.includes(bo.key.signingKey));
  const reads = () =>
    server.sent.filter((text) => text.startsWith('["fetchSignedHead"') && text.includes(bo.key.signingKey));
  const start = Date.now();
  await Promise.all([keepOwnHead(laptop, first, start), keepOwnHead(laptop, first, start)]);
  assert.deepEqual([writes().length, reads().length], [1, 1]);
  const second = await later();
  await keepOwnHead(laptop, second, start + 59_999);
  assert.equal(writes().length, 1);
  await keepOwnHead(laptop, second, start + 60_000);
  assert.deepEqual([writes().length, reads().length], [2, 1]);
  await keepOwnHead(laptop, first, start + 200_000);
  assert.equal(writes().length, 2);
  // Another device with the same list has nothing to add; one that was asked while the server was away tries again later.
  const phone = openBrowser(server, bo);
  await keepOwnHead(phone, second, start);
  assert.equal(writes().length, 2);
  const third = await later();
  server.lies.storeSignedHead = () => Promise.reject(new TypeError("broken"));
  await keepOwnHead(phone, third, start + 60_000);
  delete server.lies.storeSignedHead;
  await keepOwnHead(phone, third, start + 60_001);
  assert.equal(writes().length, 3);
  await keepOwnHead(phone, third, start + 120_000);
  assert.equal(writes().length, 4);
  assert.equal(await atFirstSight(server, bo, formId), "opened");
});

test("with the recovery key a list is continued only where it has signed an entry itself: no former owner's continuation of an older signed head, seen before or not", async () => {
  const { ada, bo, server, browser } = await setUp();
  const eve = await makePerson("Eve");
  const push = async (change: Parameters<typeof writeEntry>[2]) =>
    void server.list.push(await writeEntry(server.list.join(""), ada, change));
  await push({ change: "add", member: toMember(eve, "owner") });
  const name = `${organizationId} ${bo.key.signingKey}`;
  const { signingSeed } = bo.key;
  const older = await signHead({ organizationId, list: await headOf(browser), signedBy: bo.id }, signingSeed);
  const forkedAt = server.list.length;
  await push({ change: "remove", member: { id: eve.id } });
  const { recipient, signingKey, ...rest } = await deriveRecoveryKey((await generateSheet("organization")).identity);
  const recoveryKey = { recipient, signingKey, ...rest };
  assert.equal((await keepRecoveryKey(browser, recoveryKey, "Recovery key", [])).kind, "kept");
  const added = JSON.parse(server.list[forkedAt + 1]?.split("\n")[0] ?? "").member;
  server.signedHeads.set(name, older);

  const fork = server.list.slice(0, forkedAt);
  fork.push(await writeEntry(fork.join(""), eve, { change: "add", member: added }));
  server.lies.fetchList = async () => new TextEncoder().encode(fork.join(""));
  const refused = { kind: "refused", reason: "not_vouched" };
  assert.deepEqual(await checkRecovery(openBrowser(server, bo), recoveryKey), refused);
  // The same where a page has taken the fork for the first sight of the list.
  const phone = openBrowser(server, bo);
  assert.equal((await loadList(phone)).kind, "for_reading");
  assert.deepEqual(await checkRecovery(phone, recoveryKey), refused);

  delete server.lies.fetchList;
  server.signedHeads.set(name, older); // instead of the fork's, which that page has left
  const recovering = openBrowser(server, bo);
  assert.equal((await checkRecovery(recovering, recoveryKey)).kind, "ready", "control: the true list");
  assert.equal((await loadList(recovering)).kind, "checked", "and it is good for everything from then on");
});
