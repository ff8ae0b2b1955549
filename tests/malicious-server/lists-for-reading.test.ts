import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createKeyLogEntry,
  generatePersonalKey,
  type ListHead,
  type SeenList,
  sealKeyCopy,
  signHead,
} from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import { adoptFormer, mergeKeys, type OpenKey, provesFingerprint } from "@sealpost/vault";
import { createId, type FormId, verifyKeyLog } from "@sealpost/wire";
import { followLink } from "../../packages/dashboard/src/admissions/follow-link.ts";
import { takeDeviceHeads, toDeviceHeads } from "../../packages/dashboard/src/devices/device-heads.ts";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { ListUnusable, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { signOver } from "../../packages/dashboard/src/envelopes/sign-over.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { checkSigners } from "../../packages/dashboard/src/key-log/check-signers.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  takeEntry,
  toMember,
  toSigner,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";

// A list that a device has by a signed head alone (SPECIFICATION.md section 22). Eve was an owner when Bo's laptop signed which list it had seen, and was
// removed since; the server shows that old head, and what Eve writes from there.

async function setUp() {
  const [ada, bo, eve, cleo] = await Promise.all(["Ada", "Bo", "Eve", "Cleo"].map(makePerson));
  if (!ada || !bo || !eve || !cleo) return assert.fail();
  const server = playServer();
  const write = async (by: PlayedPerson, change: Parameters<typeof writeEntry>[2]) =>
    void server.list.push(await writeEntry(server.list.join(""), by, change));
  await write(ada, { change: "add", member: toMember(ada) });
  await write(ada, { change: "add", member: toMember(eve) });
  await write(ada, { change: "add", member: toMember(bo, "manager") });
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const readerIds = [ada.id, bo.id];
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), ada, { formId, readerIds, keys: [key] })]);
  const list = await headOf(openBrowser(server, ada));
  const signedHead = await signHead({ organizationId, list, signedBy: bo.id }, bo.key.signingSeed);
  server.signedHeads.set(nameOf(bo), signedHead);
  const then = [...server.list];
  await write(ada, { change: "remove", member: { id: eve.id } });
  return { ada, bo, eve, cleo, server, formId, write, then, head: list, signedHead };
}

const nameOf = ({ key }: PlayedPerson) => `${organizationId} ${key.signingKey}`;

async function headOf(context: EnvelopeContext): Promise<ListHead> {
  const loaded = await loadList(context);
  assert.ok(loaded.kind === "checked", loaded.kind);
  return loaded.list.head;
}

/** The server shows these entries, and the head that Bo's laptop had signed at that time. */
function show(server: PlayedServer, entries: readonly string[], signedHead: string): void {
  server.lies.fetchList = async () => new TextEncoder().encode(entries.join(""));
  server.lies.fetchSignedHead = async () => signedHead;
}

/** A list from that time on by Eve, in which Bo is an owner, and somebody reads whom nobody of the organization has added. */
async function continueByEve({ then, eve, bo }: Awaited<ReturnType<typeof setUp>>): Promise<readonly string[]> {
  const fork = [...then];
  const mallory = await makePerson("Mallory");
  for (const change of [
    { change: "replace", member: toMember(bo, "owner") },
    { change: "add", member: toMember(mallory, "reader") },
  ] as const)
    fork.push(await writeEntry(fork.join(""), eve, change));
  return fork;
}

/** Names of the operations for which the personal key was asked. */
function record(context: EnvelopeContext): { readonly context: EnvelopeContext; readonly asked: string[] } {
  const asked: string[] = [];
  const keyAgent = new Proxy(context.keyAgent, {
    get: (target, name: keyof EnvelopeContext["keyAgent"]) => {
      asked.push(name);
      return target[name];
    },
  });
  return { context: { ...context, keyAgent }, asked };
}

const isUnusable = (error: unknown) => error instanceof ListUnusable && error.list.kind === "for_reading";

test("by a list that a former owner continues from an older signed head, a fresh device signs nothing and seals nothing, though it says that its person is an owner", async () => {
  const known = await setUp();
  const { bo, eve, cleo, server, formId, write, signedHead } = known;
  await write(bo, { change: "add", member: toMember(cleo, "reader") });
  assert.equal(
    (await loadList(openBrowser(server, bo))).kind,
    "checked",
    "control: the true list, with an entry of hers",
  );

  const fork = await continueByEve(known);
  const { key } = await newFormKey(1);
  const parts = { formId, readerIds: [eve.id, bo.id], keys: [key] };
  const envelope = await writeEnvelope(fork.join(""), eve, parts);
  const real = server.envelopes.get(1)?.[0] ?? assert.fail();
  show(server, fork, signedHead);
  server.lies.fetchEnvelope = async () => ({ file: envelope, revision: 1 });
  server.lies.fetchKeys = async () => [{ version: 1, fingerprint: key.fingerprint } as never];
  const { context, asked } = record(openBrowser(server, bo));
  const loaded = await loadList(context);
  assert.ok(loaded.kind === "for_reading" && loaded.own.role === "owner");
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened" && opened.list.kind === "for_reading");
  assert.ok(
    opened.keys.some(({ fingerprint }) => fingerprint === key.fingerprint),
    "control: nothing else keeps the page from using it",
  );
  asked.length = 0;
  server.sent.length = 0;
  const adding = { change: "add", member: toMember(await makePerson("Noor"), "reader") } as const;
  await assert.rejects(
    changeList(context, () => adding),
    isUnusable,
  );
  const [swept] = await changeReaders(context, [formId], { add: [], remove: [] });
  assert.ok(swept?.kind === "failed" && swept.failure.kind === "list" && swept.failure.list.kind === "for_reading");
  // Forms, invitations and answers begin with this.
  assert.equal((await findOrFoundList(context)).kind, "for_reading");
  const recovery = await keepRecoveryKey(context, await generatePersonalKey(), "Recovery key", []);
  assert.ok(recovery.kind === "list" && recovery.list.kind === "for_reading");
  assert.deepEqual(
    asked.filter((name) => !["openEnvelope", "signHead"].includes(name)),
    [],
  );
  const writes = server.sent.filter((text) => !/^\["(?:fetch|list|find|has|storeSignedHead)/.test(text));
  assert.deepEqual(writes, []);

  // An envelope written since, for readers whom the true list has, opens by no list of that time.
  server.lies.fetchEnvelope = async () => ({ file: real, revision: 1 });
  const later = await changeAfter(known);
  server.lies.fetchEnvelope = async () => ({ file: later, revision: 2 });
  show(server, fork, signedHead);
  const fresh = await openForm(openBrowser(server, bo), formId);
  assert.ok(fresh.kind === "opened");
  assert.deepEqual(
    fresh.refused.map(({ reason }) => reason),
    ["unknown_list"],
  );
});

/** The next revision, by Ada with the true list. */
async function changeAfter({ ada, cleo, server, formId }: Awaited<ReturnType<typeof setUp>>) {
  const { fetchKeys: _, ...lies } = server.lies;
  server.lies = {};
  const [changed] = await changeReaders(openBrowser(server, ada), [formId], { add: [cleo.id], remove: [] });
  assert.equal(changed?.kind, "changed");
  server.lies = lies;
  return server.envelopes.get(1)?.at(-1) ?? assert.fail();
}

test("a list becomes good for everything by an own entry, the head of a link, or a device that knows it for certain, never by itself, and stays so", async () => {
  const known = await setUp();
  const { bo, server, write, head, signedHead, formId } = known;
  const open = () => openBrowser(server, bo);
  const stored = async (context: EnvelopeContext) => (await context.heads.findList(organizationId))?.isForReading;
  const [byEntry, byLink, byDevice, never] = [open(), open(), open(), open()];
  for (const context of [byEntry, byLink, byDevice, never]) {
    assert.equal((await loadList(context)).kind, "for_reading");
    assert.ok((await openForm(context, formId)).kind === "opened", "it reads");
    assert.equal(await stored(context), true);
  }
  const link = { admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w9", secret: "A".repeat(22), head };
  const listText = server.list.join("");
  await followLink({ link, organizationId, listText, namesText: "" }, byLink.heads);
  // The link is of another list than the one that this browser has: two are being shown.
  const fork = await continueByEve(known);
  const other = openBrowser(server, bo);
  show(server, fork.slice(0, server.list.length), signedHead);
  assert.equal((await loadList(other)).kind, "for_reading");
  server.lies = {};
  await assert.rejects(followLink({ link, organizationId, listText, namesText: "" }, other.heads), {
    reason: "forked",
  });
  assert.equal(await stored(other), true);

  const values = new Map<string, unknown>([[`list ${organizationId}`, await never.heads.findList(organizationId)]]);
  assert.deepEqual(toDeviceHeads(values).lists, [], "what is for reading is handed to nobody");
  values.set(`list ${organizationId}`, head);
  await takeDeviceHeads(byDevice.heads, toDeviceHeads(values));
  for (const context of [byLink, byDevice]) assert.equal((await loadList(context)).kind, "checked");

  const adding = { change: "add", member: toMember(await makePerson("Noor"), "reader") } as const;
  const added = await changeList(byLink, ({ list }) => (list.members.has(adding.member.id) ? undefined : adding));
  assert.ok(added.list.members.has(adding.member.id), "it signs");
  // An entry of hers vouches for all before it, on every device.
  for (const context of [byEntry, never, open()]) assert.equal((await loadList(context)).kind, "checked");
  assert.equal(await stored(byEntry), undefined);
  await write(known.ada, { change: "remove", member: { id: adding.member.id } });
  for (const context of [byEntry, byLink, byDevice]) assert.equal((await loadList(context)).kind, "checked");

  const before = openBrowser(server, bo);
  await before.heads.advanceList(organizationId, undefined, { number: head.number, hash: head.hash });
  assert.equal((await loadList(before)).kind, "checked");
});

test("a tab that has the list for reading takes nothing back from another one that knows more by now", async () => {
  const { bo, server } = await setUp();
  const { heads, ...context } = openBrowser(server, bo);
  assert.equal((await loadList({ heads, ...context })).kind, "for_reading");
  const before = (await heads.findList(organizationId)) ?? assert.fail();
  const sure: SeenList = { number: before.number, hash: before.hash };
  assert.ok(await heads.advanceList(organizationId, before, sure));
  assert.equal(await heads.advanceList(organizationId, before, before), false);
  assert.equal((await loadList({ heads, ...context })).kind, "checked");
});

test("a new key puts itself into a list for reading with the former key alone, and vouches for it on no device; nor does the former key, brought back", async () => {
  const known = await setUp();
  const { bo, server, head } = known;
  const next: OpenKey = { ...(await generatePersonalKey()), former: [] };
  const person = { ...bo, key: next };
  const newHead = await signHead({ organizationId, list: head, signedBy: bo.id }, next.signingSeed);
  const file = await sealKeyCopy(bo.key, { recipient: next.recipient });
  assert.equal(await adoptFormer(next, { file, halves: bo.key }), "adopted");
  const fork = [...(await continueByEve(known))];
  show(server, fork, newHead);
  server.lies.addEntry = async (entry, _head, second) =>
    void fork.push(takeEntry(entry), ...(second === undefined ? [] : [takeEntry(second)]));
  server.lies.fetchList = async () => new TextEncoder().encode(fork.join(""));
  const phone = openBrowser(server, person);
  const length = fork.length;
  const carried = await signOver(phone);
  assert.ok(carried.kind === "for_reading" && carried.own.signingKey === next.signingKey);
  assert.equal(fork.length, length + 1, "one entry, by the former key");
  assert.equal((await signOver(phone)).kind, "for_reading", "nothing is missing");
  assert.equal(fork.length, length + 1);
  assert.equal((await loadList(openBrowser(server, person))).kind, "for_reading");
  // Brought back, the former key has signed an entry of this list: the one in which it gave its place away.
  server.lies.fetchSignedHead = async () => undefined;
  const back = openBrowser(server, { ...bo, key: { ...bo.key, former: [] } });
  const loaded = await loadList(back);
  assert.ok(loaded.kind === "refused" && loaded.reason === "own_key_differs");
  assert.equal((await back.heads.findList(organizationId))?.isForReading, true);

  // Control: by a list that is good for everything the new key signs as well, and the next device needs nothing else.
  server.lies = {};
  server.signedHeads.clear();
  const laptop = openBrowser(server, person);
  await laptop.heads.advanceList(organizationId, undefined, head);
  assert.equal((await signOver(laptop)).kind, "checked");
  assert.equal((await loadList(openBrowser(server, person))).kind, "checked");
});

test("a list for reading vouches for no signer of a key log, whether or not the page has loaded it before, and its keys prove no snippet", async () => {
  const known = await setUp();
  const { bo, eve, server, signedHead } = known;
  show(server, await continueByEve(known), signedHead);
  const formId: FormId = createId("form");
  const { version, fingerprint, hybridFingerprint } = (await newFormKey(1)).key;
  const logged = { version, fingerprint, hybridFingerprint, replyKey: null };
  const signers = { owners: [bo.key.signingKey, eve.key.signingKey], managers: [] };
  const signer = { publicKey: eve.key.signingKey, signingKey: (await toSigner(eve)).signingKey };
  const entry = await createKeyLogEntry(undefined, { formId, key: logged, ...signers }, signer);
  const log = await verifyKeyLog(new TextEncoder().encode(entry), { formId });
  assert.ok(typeof log !== "string", String(log));
  for (const isLoaded of [false, true]) {
    const context = openBrowser(server, bo);
    const { heads, api, personId } = context;
    await heads.rememberPublicHalves(bo.id, bo.key);
    if (isLoaded) await loadList(context);
    const { wrong } = await checkSigners(log, { personId, organizationId, heads, requests: api, ...api });
    assert.deepEqual(wrong, [eve.key.signingKey]);
    assert.equal((await heads.findList(organizationId))?.isForReading, true);
  }
  const key = { fingerprint, keyVersion: 1 } as OpeningKey; // what is compared of it
  const unsure = mergeKeys([], [{ ...key, isForReading: true } as OpeningKey]);
  assert.equal(provesFingerprint(unsure, fingerprint), false);
  assert.equal(provesFingerprint(mergeKeys(unsure, [key]), fingerprint), true);
  assert.equal(provesFingerprint(mergeKeys([key], unsure), fingerprint), true);
});

test("the person who began a list, or has signed in it, needs no signed head for anything; one that the server shows still has to be in the list", async () => {
  const known = await setUp();
  const { ada, server, head } = known;
  assert.equal((await findOrFoundList(openBrowser(server, ada))).kind, "checked");
  const fork = await continueByEve(known);
  const newest = await headOf(openBrowser(server, ada));
  assert.ok(newest.number > head.number);
  const signedHead = await signHead({ organizationId, list: newest, signedBy: ada.id }, ada.key.signingSeed);
  show(server, fork, signedHead);
  const loaded = await loadList(openBrowser(server, ada));
  assert.ok(loaded.kind === "refused" && loaded.reason === "forked", "without signed heads she took it");
});
