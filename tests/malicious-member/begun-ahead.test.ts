import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import type { LostKeys } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agents, agentsOf, openActor, openWriter } from "../support/envelope-actors.ts";

// While a manager reads a form, they begin an envelope for versions that nobody has made yet, and the service shows it to one colleague alone, or keeps it. Then they are
// taken out of the form, which that colleague sees: the next rotation of theirs is made, and is not for the manager.

let [ada, nia, mo]: readonly PlayedPerson[] = [];
let first: Awaited<ReturnType<typeof newFormKey>>;
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, nia, mo] = await Promise.all([makePerson("Ada"), makePerson("Nia"), makePerson("Mo")]);
  [first, rotated] = await Promise.all([newFormKey(32), newFormKey(33)]);
});

for (const [index, firstVersion] of [33, 65, 2_147_483_617].entries())
  for (const hasKey of [true, false])
    test(`a manager who was taken out does not come back by an envelope of version ${firstVersion} that they have begun ${hasKey ? "with a key" : "without one"}`, async () => {
      const { server, browser, formId, begin, openNias, requireTakenOut } = await setUp();
      const nias = await openNias(agents[index % agents.length] ?? assert.fail());
      server.envelopes.set(firstVersion, [await begin(firstVersion, hasKey)]);
      assert.deepEqual((await nias.open(formId)).refused, [], "it stops nothing");
      server.envelopes.delete(firstVersion);

      await changeReaders(browser, [formId], { add: [], remove: [mo?.id ?? ""] });
      assert.deepEqual((await nias.open(formId)).refused, []);
      assert.equal(await nias.rotate(formId), "rotated");
      await requireTakenOut();
      assert.deepEqual([...(await nias.open(formId)).keys.keys()], [32, 33]);
    });

const kinds = {
  "with a key": (begin) => begin(true),
  "without one": (begin) => begin(false),
  "with bytes that open for nobody": async () => new TextEncoder().encode("made up"),
} as const satisfies Readonly<Record<string, (begin: (hasKey: boolean) => Promise<Bytes>) => Promise<Bytes>>>;
type Bytes = Uint8Array<ArrayBuffer>;

for (const firstVersions of [[33], [65], [33, 65]])
  for (const [index, [kind, make]] of Object.entries(kinds).entries())
    for (const agent of agentsOf(index + firstVersions.length))
      test(`an envelope of version ${firstVersions.join(" and of ")} that a manager has begun ${kind}, and that the service keeps, stops no rotation, with the key in ${agent}`, async () => {
        const { server, browser, formId, begin, openNias, requireTakenOut } = await setUp();
        const nias = await openNias(agent);
        for (const firstVersion of firstVersions)
          server.envelopes.set(firstVersion, [await make((hasKey) => begin(firstVersion, hasKey))]);
        server.writers.set("33 1", mo?.id ?? "");
        await changeReaders(browser, [formId], { add: [], remove: [mo?.id ?? ""] });
        const asked: unknown[] = [];
        const hasKey = kind === "with a key" && firstVersions.includes(33);
        if (hasKey) assert.equal(await nias.rotate(formId), "lost_keys");
        const agree = ({ envelope, missing }: LostKeys) =>
          void asked.push(envelope?.isBegunAhead, missing, envelope?.writerIds);
        assert.equal(await nias.rotate(formId, agree), "rotated");
        assert.deepEqual(asked, hasKey ? [true, [33], [mo?.id]] : []);
        assert.equal(server.envelopes.get(33)?.length, firstVersions.includes(33) ? 2 : 1);
        await requireTakenOut();
        const opened = await openForm(browser, formId);
        assert.ok(opened.kind === "opened");
        assert.deepEqual(opened.refused, []);
        for (const one of [await nias.open(formId), await (await openNias(agent)).open(formId)])
          assert.deepEqual([one.refused, one.keys.get(33)], [[], server.keys.at(-1)?.fingerprint]);
      });

// The service denies the form's newest version, for which an owner has begun an envelope.
for (const [index, log] of (["a key log", "a key log that is hidden", "no key log"] as const).entries())
  for (const device of ["that has seen the envelope before it", "that is fresh"] as const)
    for (const agent of agentsOf(index))
      test(`a rotation over an envelope of which the service denies all versions loses no key unasked, by a device ${device}, with ${log}, with the key in ${agent}`, async () => {
        const { server, formId, openNias } = await setUp(log !== "no key log");
        const heads = createMemoryStore();
        const nias = await openNias(agent, heads);
        const before = await server.api.fetchKeys(formId);
        const keyLog = server.keyLogs.get(formId);
        if (device === "that has seen the envelope before it") await nias.open(formId);
        const adas = await openActor("a worker", server, ada ?? assert.fail(), rotated);
        await createHeads(adas.heads).advanceList(organizationId, undefined, await newestHead(server));
        assert.equal(await adas.rotate(formId), "rotated");
        const { fingerprint } = rotated.key;
        server.lies = {
          fetchKeys: async () => before,
          ...(log === "a key log that is hidden" && { fetchKeyLog: async () => new TextEncoder().encode(keyLog) }),
        };
        assert.deepEqual((await nias.open(formId)).refused, []);
        const seen = (await createHeads(heads).findEnvelopes(formId)).heads.map(({ firstVersion }) => firstVersion);
        assert.deepEqual(
          seen.toSorted((one, other) => one - other),
          log === "a key log" ? [1, 33] : [1],
        );

        const asked: unknown[] = [];
        const other = await openActor(agent, server, nia ?? assert.fail(), await newFormKey(33), heads);
        const refused = await other.rotate(formId).catch(({ message }: Error) => message);
        // The log has its entry for the version already, so nobody signs another.
        assert.match(refused, log === "a key log" ? /^key_log_overtaken$| meanwhile/ : /^lost_keys$/);
        assert.equal(server.envelopes.get(33)?.length, 1, "nothing was sent");
        server.lies = { ...server.lies, rotateKeys: () => assert.fail("sent") };
        const agree = ({ missing }: LostKeys) => void asked.push(missing);
        if (log !== "a key log") await assert.rejects(other.rotate(formId, agree), /sent/);
        assert.deepEqual(asked, log === "a key log" ? [] : [[33]]);
        server.lies = {};
        assert.equal((await nias.open(formId)).keys.get(33), fingerprint);
      });

async function newestHead(server: PlayedServer) {
  return (await loadCheckedList(openBrowser(server, ada ?? assert.fail()))).list.head;
}

async function setUp(hasLog = false) {
  assert.ok(ada && nia && mo);
  const [adas, nias, mos] = [ada, nia, mo];
  const server = playServer();
  const adasStore = createMemoryStore();
  const browser = openBrowser(server, adas, createHeads(adasStore));
  await findOrFoundList(browser);
  for (const person of [nias, mos])
    server.list.push(
      await writeEntry(server.list.join(""), adas, { change: "add", member: toMember(person, "manager") }),
    );
  const formId = createId("form");
  server.keys.push({ version: 32, fingerprint: first.key.fingerprint });
  const known = await loadCheckedList(browser);
  await importKeys(browser, known, formId, [first.key], [], "Vote");
  if (hasLog) {
    server.keyLogs.set(formId, "");
    const writer = await openWriter(server, adas, adasStore);
    await writer.beginKeyLog(formId);
  }
  await changeReaders(browser, [formId], { add: [nias.id, mos.id], remove: [] });
  const { list } = known;

  async function begin(firstVersion: number, hasKey: boolean): Promise<Uint8Array<ArrayBuffer>> {
    const { file } = await sealEnvelope({
      ...{ list, formId, firstVersion, signer: await toSigner(mos), standing: { own: mos.key, confirmed: [] } },
      readerIds: [adas.id, nias.id, mos.id],
      keys: hasKey ? [{ ...rotated.key, version: firstVersion }] : [],
    });
    return file;
  }

  async function openNias(agent: AgentName, heads = createMemoryStore()) {
    await createHeads(heads).advanceList(organizationId, undefined, list.head);
    return openActor(agent, server, nias, rotated, heads);
  }

  async function requireTakenOut(): Promise<void> {
    const revisions = server.envelopes.get(33) ?? assert.fail();
    const expected = { list, formId, firstVersion: 33, revision: revisions.length };
    const opened = await openEnvelope(revisions.at(-1) ?? assert.fail(), adas.key.identity, expected);
    assert.ok(!(opened instanceof RefusalError), "the owner opens it");
    assert.deepEqual(opened.content.readers.map(({ id }) => id).toSorted(), [adas.id, nias.id].toSorted());
  }

  return { server, browser, formId, begin, openNias, requireTakenOut };
}
