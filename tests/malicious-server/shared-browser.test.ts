import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { generatePersonalKey, type PublicHalves } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createMemoryStore, type ListedStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { openHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
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

// Several people use one browser (SPECIFICATION.md section 14, what a device remembers). Eve was an owner, and continues the list from when she was one: her own
// entries vouch for it where she signs in, and the server shows it to the person who comes next.

async function setUp() {
  const [ada, bo, eve, mallory] = await Promise.all(["Ada", "Bo", "Eve", "Mallory"].map(makePerson));
  if (!ada || !bo || !eve || !mallory) return assert.fail();
  const server = playServer();
  const write = async (by: PlayedPerson, change: Parameters<typeof writeEntry>[2]) =>
    void server.list.push(await writeEntry(server.list.join(""), by, change));
  await write(ada, { change: "add", member: toMember(ada) });
  await write(ada, { change: "add", member: toMember(eve) });
  await write(ada, { change: "add", member: toMember(bo, "manager") });
  const fork = [...server.list];
  fork.push(await writeEntry(fork.join(""), eve, { change: "add", member: toMember(mallory) }));
  // Bo has signed one, so that nothing else vouches for the real list.
  await write(ada, { change: "remove", member: { id: eve.id } });
  await write(bo, { change: "add", member: toMember(mallory, "reader") });
  return { ada, bo, eve, server, fork };
}

const halvesOf = ({ key: { recipient, signingKey } }: PlayedPerson): PublicHalves => ({ recipient, signingKey });

const openShared = async (server: PlayedServer, person: PlayedPerson, store: ListedStore) =>
  openBrowser(server, person, await openHeads(store, person.id, halvesOf(person)));

test("what a server has shown to one person of a browser counts as seen for no other, no matter who it says is signed in", async () => {
  const { bo, eve, server, fork } = await setUp();
  const store = createMemoryStore();
  const shown = [...server.list];
  const show = (entries: readonly string[]) => {
    server.lies.fetchList = async () => new TextEncoder().encode(entries.join(""));
    server.lies.fetchFrom = async () => undefined;
  };
  show(fork);
  const eves = await openShared(server, eve, store);
  assert.equal((await loadList(eves)).kind, "checked", "control: her own entry vouches for it");
  await eves.heads.claimForm(createId("form"), organizationId);
  await eves.heads.confirm(organizationId, [
    { id: eve.id, role: "owner", fingerprint: "A".repeat(43), signingKey: eve.key.signingKey, entry: 4 },
  ]);
  await eves.heads.organizationsOf(bo.id).accept(organizationId, ["Own"]);

  // The server names Eve's id for Bo's session, too.
  for (const id of [bo.id, eve.id]) {
    const bos = openBrowser(server, { ...bo, id }, await openHeads(store, id, halvesOf(bo)));
    assert.equal(await bos.heads.findList(organizationId), undefined);
    assert.deepEqual(await bos.heads.findConfirmed(organizationId), []);
    assert.equal((await bos.heads.organizationsOf(bo.id).find(organizationId)).kind, "unseen");
    assert.notEqual((await loadList(bos)).kind, "checked", "the fork, at Bo's first sight");
  }
  show(shown);
  const bos = await openShared(server, bo, store);
  assert.equal((await loadList(bos)).kind, "checked", "the real list is no other one than was seen");
  assert.equal((await loadList(await openShared(server, bo, store))).kind, "checked");
  const again = await loadList(await openShared(server, eve, store));
  assert.ok(again.kind === "refused" && again.reason === "forked", "and Eve's is remembered for Eve");
});

test("while a key is locked nothing is remembered for it, and a key by which a person replaces theirs has seen what that had", async () => {
  const { bo, server, fork } = await setUp();
  const store = createMemoryStore();
  const bos = await openShared(server, bo, store);
  await bos.heads.rememberPublicHalves(bo.id, halvesOf(bo));
  assert.equal((await loadList(bos)).kind, "checked");
  const seen = (await bos.heads.findList(organizationId)) ?? assert.fail();

  const locked = await openHeads(store, bo.id, undefined);
  assert.deepEqual(await locked.findList(organizationId), seen, "it is looked at");
  assert.equal(await locked.advanceList(organizationId, seen, { number: 9, hash: "A".repeat(43) }), true);
  await locked.forgetList(organizationId);
  assert.deepEqual(await locked.findList(organizationId), seen, "and stays as it was");
  await locked.organizationsOf(bo.id).choose(organizationId, "Own");
  const open = await openHeads(store, bo.id, halvesOf(bo));
  assert.equal((await open.organizationsOf(bo.id).find(organizationId)).kind, "unseen", "chosen, and yet to be shown");

  const next: PlayedPerson = { ...bo, key: { ...(await generatePersonalKey()), former: [] } };
  assert.equal(await (await openHeads(store, bo.id, halvesOf(next))).findList(organizationId), undefined, "a control");
  await open.rememberPublicHalves(bo.id, halvesOf(next));
  const heads = await openHeads(store, bo.id, halvesOf(next));
  assert.deepEqual(await heads.findList(organizationId), seen);
  server.lies.fetchList = async () => new TextEncoder().encode(fork.join(""));
  server.lies.fetchFrom = async () => undefined;
  const loaded = await loadList(openBrowser(server, next, heads));
  assert.ok(loaded.kind === "refused" && loaded.reason === "old_list", "an older list is refused for the new key");
});

test("a person who has another id since reads, writes and signs in lists that have their key under the one of before", async () => {
  const { ada, bo, server } = await setUp();
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const readerIds = [ada.id, bo.id];
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), ada, { formId, readerIds, keys: [key] })]);
  const before = openBrowser(server, bo);
  assert.equal((await loadList(before)).kind, "checked");
  const now: PlayedPerson = { ...bo, id: createId("account") };
  const fresh = openBrowser(server, now);
  const list = await loadList(fresh);
  assert.ok(list.kind === "checked" && list.own.id === bo.id, list.kind);
  assert.equal((await openForm(fresh, formId)).kind, "opened");
  const noor = await makePerson("Noor");
  const { changeList } = await import("../../packages/dashboard/src/envelopes/change-list.ts");
  const { changeReaders } = await import("../../packages/dashboard/src/envelopes/sweep.ts");
  await changeList(fresh, ({ list: { members } }) =>
    members.has(noor.id) ? undefined : { change: "add", member: toMember(noor, "reader") },
  );
  const [changed] = await changeReaders(fresh, [formId], { add: [noor.id], remove: [] });
  assert.equal(changed?.kind, "changed");
  const entry = JSON.parse(server.list.at(-1)?.split("\n")[0] ?? "{}");
  assert.deepEqual([entry.signedBy, entry.member.id], [bo.id, noor.id]);
  // The next device takes what it left there, under either id.
  const reader: PlayedPerson = { ...bo, id: createId("account") };
  for (const person of [bo, reader]) assert.equal((await loadList(openBrowser(server, person))).kind, "checked");
});
