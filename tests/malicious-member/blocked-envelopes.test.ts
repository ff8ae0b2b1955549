import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { importSigningKey, openEnvelope, RefusalError } from "@sealpost/envelope";
import { createId, encodeBase64Url } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { agents, openActor } from "../support/envelope-actors.ts";

// Revisions that would keep managers out of an envelope, or that managers may not take back.

let [ada, mo]: readonly PlayedPerson[] = [];
let first: Awaited<ReturnType<typeof newFormKey>>;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, mo] = await Promise.all([makePerson("Ada"), makePerson("Mo")]);
  [first, rotated] = await Promise.all([newFormKey(1), newFormKey(2)]);
});

/** A form of Ada's, the owner, and of Mo's, a manager; `sign` makes the next revision as any program of its signer can. */
async function setUp() {
  assert.ok(ada && mo);
  const people = { ada, mo };
  const server = playServer();
  const formId = createId("form");
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(mo, "manager") }));
  server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
  const { list, ...known } = await loadCheckedList(browser);
  await importKeys(browser, { list, ...known }, formId, [first.key], [], "Vote");
  await changeReaders(browser, [formId], { add: [mo.id], remove: [] });
  const sign = async (by: PlayedPerson, changes: Readonly<Record<string, unknown>>) => {
    const revisions = server.envelopes.get(1) ?? assert.fail();
    const newest = revisions.at(-1) ?? assert.fail();
    const expected = { list, formId, firstVersion: 1, revision: revisions.length, published: server.keys };
    const opened = await openEnvelope(newest, by.key.identity, expected);
    if (opened instanceof RefusalError) throw opened;
    const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", newest)));
    const next = { revision: revisions.length + 1, previous: hash, signedBy: by.id, ...changes };
    const line = JSON.stringify({ ...opened.content, ...next });
    const text = await signLine("sealpost-envelope/1", line, await importSigningKey(by.key.signingSeed));
    return encryptTo(
      [people.ada, people.mo].map(({ key }) => key.recipient),
      text,
    );
  };
  /** A device that knows the organization's list. */
  const toStore = async () => {
    const heads = createMemoryStore();
    await createHeads(heads).advanceList(organizationId, undefined, list.head);
    return heads;
  };
  return { server, formId, people, sign, toStore };
}

for (const signer of ["mo", "ada"] as const)
  for (const agent of agents)
    test(`no owner's new device continues from a number far ahead that a service shows it in a revision by ${signer === "mo" ? "a manager" : "an owner"}, with the key in ${agent}`, async () => {
      const { server, formId, people, sign, toStore } = await setUp();
      const revision = signer === "mo" ? 1_610_612_735 : 2_147_483_646;
      const file = await sign(people[signer], { revision });
      server.lies = {
        fetchEnvelope: async () => ({ file, revision }),
        findNewest: async () => ({ revision, createdAt: 1 }),
      };
      const adas = await openActor(agent, server, people.ada, rotated, await toStore());
      assert.deepEqual((await adas.open(formId)).refused, ["wrong_revision"]);
      const stored = server.envelopes.get(1)?.length;
      for (const act of [
        () => adas.changeReaders(formId, { add: [], remove: [people.mo.id] }),
        () => adas.rotate(formId),
        () => adas.bringBack(formId),
      ])
        assert.ok(!/^(changed|rotated|brought)$/.test(await act()));
      assert.equal(server.envelopes.get(1)?.length, stored, "nothing was sent");
      server.lies = {};
      assert.equal(await adas.changeReaders(formId, { add: [], remove: [people.mo.id] }), "changed");
    });

for (const agent of agents) {
  test(`what an owner says that all have to understand is taken back by an owner alone, with the key in ${agent}`, async () => {
    const { server, formId, people, sign, toStore } = await setUp();
    const [moStore, adaStore] = [await toStore(), await toStore()];
    const mos = await openActor(agent, server, people.mo, rotated, moStore);
    const adas = await openActor(agent, server, people.ada, rotated, adaStore);
    for (const device of [mos, adas]) assert.deepEqual((await device.open(formId)).refused, []);
    const changes = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };
    server.envelopes.get(1)?.push(await sign(people.ada, changes));
    for (const device of [mos, adas]) assert.deepEqual((await device.open(formId)).refused, ["unknown_extension"]);
    assert.equal(await mos.bringBack(formId), "nothing");
    assert.equal(await adas.bringBack(formId), "brought");
    assert.deepEqual((await mos.open(formId)).refused, []);
  });

  test(`a manager says nothing that all have to understand, and another manager takes it back, with the key in ${agent}`, async () => {
    const { server, formId, people, sign, toStore } = await setUp();
    const mos = await openActor(agent, server, people.mo, rotated, await toStore());
    assert.deepEqual((await mos.open(formId)).refused, []);
    const changes = { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] };
    server.envelopes.get(1)?.push(await sign(people.mo, changes));
    assert.deepEqual((await mos.open(formId)).refused, ["not_allowed"]);
    assert.equal(await mos.bringBack(formId), "brought");
  });
}
