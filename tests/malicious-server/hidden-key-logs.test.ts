import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatPersonalKey, openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import {
  createEnvelopeWriter,
  EnvelopeProblemError,
  type EnvelopeWriter,
  findBringable,
  followFormKeyLog,
} from "@sealpost/sdk/envelopes";
import { createVersionSeed, hasKeyLogHead } from "@sealpost/wire";
import { continueKeyLog, KeyLogError } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { createFounder, fetchList } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { checked, entriesOf, headOf, lies, look, rotate, setUp, verified, writers } from "../dashboard/logged-form.ts";
import { newFormKey, organizationId, toMember, writeEntry } from "../dashboard/played-envelopes.ts";
import { agents, openActor } from "../support/envelope-actors.ts";
import { isWhole, samplePairs } from "../support/sample.ts";

// Somebody writes a revision or an entry of a key log, and a server that shows no key log, an older one or another one. In `npm test` each
// of the writers meets one of the lies, and each of the lies one of the writers.

const [namedWriters, namedLies] = [Object.entries(writers), Object.entries(lies)];

test("while a server hides a form's key log or shows another one, nobody who writes adds to it, and the envelope keeps the entry that it names", async () => {
  const refusing = await setUp();
  const met = samplePairs(namedWriters, namedLies);
  // A browser that has seen the log takes none of them in any case: one is enough.
  const others = met.filter(([, [lie]], index) => (isWhole ? lie === "hidden" : index % 3 === 0));
  for (const [isFresh, pairs] of [[true, met] as const, [false, others] as const])
    for (const [[name, { by, adds, write }], [lie, toShown]] of pairs) {
      const what = `${name}: ${lie}, to a browser that has ${isFresh ? "not " : ""}seen the log`;
      // A refusal leaves everything unchanged.
      const world = adds ? refusing : await setUp();
      const { server, formId, ada, openFresh } = world;
      const context = await openFresh(world[by]);
      if (!isFresh) await context.heads.advanceKeyLog(formId, undefined, await headOf(world));
      const real = server.keyLogs.get(formId) ?? "";
      const earlier = await look(world);
      assert.equal(earlier.keyLog?.number, entriesOf(real).length, "control: the envelope names the newest entry");
      const shown = new TextEncoder().encode(await toShown(real, formId, ada));
      server.lies = { fetchKeyLog: async () => shown };
      if (adds)
        await assert.rejects(
          write(context, world),
          (error) =>
            error instanceof KeyLogError &&
            /Nothing was changed\. Ask who runs the server; if an owner says that they gave the log up/.test(
              error.message,
            ),
          what,
        );
      else await write(context, world);
      const later = await look(world);
      assert.deepEqual(later.keyLog, earlier.keyLog, what);
      assert.equal(later.revisions > earlier.revisions, !adds, what);
      assert.equal(server.keyLogs.get(formId), real, `${what}: no entry was added`);
    }
});

test("a browser that has seen neither the log nor the envelope reads by a revision whose log the server hides, writes nothing after it, and remembers nothing of it", async () => {
  const world = await setUp();
  const { server, formId, ada } = world;
  const [real, before] = [server.keyLogs.get(formId) ?? "", await look(world)];
  const writing = namedWriters.filter(([, writer]) => !writer.bringsBack);
  for (const [[name, { by, write }], [lie, toShown]] of samplePairs(writing, namedLies)) {
    const what = `${name}: ${lie}`;
    const context = await world.openNew(world[by]);
    const shown = new TextEncoder().encode(await toShown(real, formId, ada));
    server.lies = { fetchKeyLog: async () => shown };
    const opened = await openForm(context, formId);
    assert.ok(opened.kind === "opened");
    assert.deepEqual(opened.refused, [{ firstVersion: 1, reason: "unknown_key_log" }], what);
    assert.deepEqual([opened.keys.length, opened.envelopes], [3, []], `${what}: it reads`);
    await assert.rejects(write(context, world), what);
    assert.deepEqual((await context.heads.findEnvelopes(formId)).heads, [], what);
    // The entry is not forgotten, though.
    const signed = await continueKeyLog(context, await checked(context), formId, (await newFormKey(4)).key).catch(
      (error: unknown) => error,
    );
    assert.ok(signed instanceof KeyLogError, `${what}: no entry is signed`);
    assert.deepEqual([await look(world), server.keyLogs.get(formId)], [before, real], what);
    server.keys.splice(3);
    // Once it is shown all is as ever.
    await openForm(context, formId);
    const [head] = (await context.heads.findEnvelopes(formId)).heads;
    assert.deepEqual([head?.revision, head?.keyLog], [before.revisions, before.keyLog], what);
  }
});

test("to a browser that has seen the newest revision, a server that hides its log brings no revision from before back", async () => {
  const world = await setUp();
  const { server, formId, ada, adas, bo } = world;
  await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
  await changeReaders(adas, [formId], { add: [], remove: [bo.id] });
  const real = server.keyLogs.get(formId) ?? "";
  for (const person of ["ada", "cy"] as const) {
    const context = await world.openFresh(world[person]);
    for (const [lie, toShown] of Object.entries(lies)) {
      const shown = new TextEncoder().encode(await toShown(real, formId, ada));
      server.lies = { fetchKeyLog: async () => shown };
      const opened = await openForm(context, formId);
      assert.ok(opened.kind === "opened");
      assert.deepEqual([opened.refused, opened.keys.length], [[], 3], lie);
      const found = await findBringable(context, await checked(context), formId, 1);
      assert.equal(found, undefined, lie);
    }
    server.lies = {};
  }
});

test("control: to an honest server each of them writes, owners name the newest entry of the log, and managers no other log", async () => {
  for (const [name, { by, write }] of Object.entries(writers)) {
    const world = await setUp();
    const { server, formId, ada, adas, openFresh, bo } = world;
    // An entry that no envelope names: an owner's, for a manager who has joined.
    const member = toMember(bo, "manager");
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "replace", member }));
    await changeReaders(adas, [formId], { add: [], remove: [] });
    const before = await headOf(world);
    await write(await openFresh(world[by]), world);
    const { keyLog } = await look(world);
    const log = await verified(server.keyLogs.get(formId) ?? "", formId);
    assert.ok(keyLog !== null && hasKeyLogHead(log, keyLog), name);
    if (by === "ada") assert.ok(keyLog.number >= before.number, `${name}: it names the newest entry`);
  }
});

test("an envelope says that its form has no key log once an owner has given it up, or knows that one did, and not before", async () => {
  const world = await setUp();
  const { ada, cy, server, formId, openFresh } = world;
  const [owners, managers, seasoned] = [await openFresh(ada), await openFresh(cy), await openFresh(cy)];
  await seasoned.heads.advanceKeyLog(formId, undefined, await headOf(world));
  server.keyLogs.set(formId, "");
  for (const context of [owners, managers]) await assert.rejects(rotate(context, formId), KeyLogError);
  await managers.heads.forgetKeyLog(formId);
  await rotate(managers, formId);
  assert.notEqual((await look(world)).keyLog, null, "a manager says nothing of the kind");
  await owners.heads.forgetKeyLog(formId);
  await rotate(owners, formId);
  assert.equal((await look(world)).keyLog, null);
  // Others go by the envelope of an owner, also where they have seen the log.
  assert.equal((await seasoned.heads.findKeyLog(formId))?.number, 3);
  await rotate(seasoned, formId);
  assert.equal(await seasoned.heads.findKeyLog(formId), undefined);
  await rotate(await openFresh(cy), formId);
});

for (const agent of agents)
  test(`after an owner has given a key log up, with the key in ${agent}, a manager rotates on another device that has seen the log, and everybody opens`, async () => {
    const rotated = await newFormKey(4);
    const world = await setUp();
    const { ada, bo, cy, server, formId, adas, openFresh } = world;
    await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
    const colleagues = await openFresh(cy);
    await followFormKeyLog(colleagues, formId);
    assert.notEqual(await colleagues.heads.findKeyLog(formId), undefined, "control: this device has seen the log");
    // One that has seen nothing of the form either.
    const owner = await openActor(agent, server, ada, rotated);
    assert.equal(await owner.giveKeyLogUp(formId), "given up");
    assert.deepEqual([server.keyLogs.has(formId), (await look(world)).keyLog], [false, null]);
    await rotate(colleagues, formId);
    for (const person of [ada, bo, cy])
      for (const by of agents) {
        const store = createMemoryStore();
        await createHeads(store).advanceList(organizationId, undefined, (await checked(adas)).list.head);
        const { keys, refused } = await (await openActor(by, server, person, rotated, store)).open(formId);
        assert.deepEqual([[...keys.keys()].sort(), refused], [[1, 2, 3, 4], []], `${person.name}, ${by}`);
      }
    const again = await owner.giveKeyLogUp(formId).catch((error: ApiError) => error.reason);
    assert.equal(again, "key_log_none", "nothing is left to be finished");
  });

test("giving a key log up is finished by the next try, where the service has removed the log and the envelope could not be written", async () => {
  for (const agent of agents) {
    const rotated = await newFormKey(4);
    const world = await setUp();
    const { ada, cy, server, formId, openFresh } = world;
    const colleagues = await openFresh(cy);
    const owner = await openActor(agent, server, ada, rotated);
    server.lies = { storeEnvelope: async () => Promise.reject(new TypeError("fetch failed")) };
    assert.equal(await owner.giveKeyLogUp(formId), "named", agent);
    server.lies = {};
    await assert.rejects(rotate(colleagues, formId), KeyLogError, "control: a manager can't rotate yet");
    // On another device, too.
    const elsewhere = await openActor(agent, server, ada, rotated);
    assert.equal(await elsewhere.giveKeyLogUp(formId), "given up", agent);
    await rotate(colleagues, formId);
  }
});

// The same for the command line and programs, which go by the writer of the sdk.

async function setUpPrograms(t: TestContext) {
  const service = await createTestService(t);
  const founder = await createFounder(service, await service.signUp());
  return { founder, writer: await openWriter(founder) };
}

type Founder = Awaited<ReturnType<typeof createFounder>>;
type ProgramLies = Partial<Founder["client"]["envelopes"]> & { readonly shown?: string };

/** A machine that has seen nothing, to which a server shows this log; the honest one without it. */
function openWriter({ client, key }: Founder, { shown, ...lie }: ProgramLies = {}): Promise<EnvelopeWriter> {
  const keyLog: typeof client.forms.keyLog = async (...parameters) => {
    if (shown === undefined) return client.forms.keyLog(...parameters);
    if (shown !== "") return new TextEncoder().encode(shown);
    throw new ApiError("This form has no key log", { status: 404, code: "not_found" });
  };
  const lying = {
    forms: { ...client.forms, keyLog },
    envelopes: { ...client.envelopes, ...lie },
    memberList: client.memberList,
  };
  return createEnvelopeWriter({ client: lying, identity: formatPersonalKey(key, 0), heads: createMemoryStore() });
}

test("programs and the command line add nothing to a hidden or another key log, on a machine that has seen none, and never write that it was given up", async (t) => {
  const { founder, writer } = await setUpPrograms(t);
  const { client, account, key } = founder;
  const { formId } = await writer.createForm({ name: "Press" });
  await writer.rotateForm(formId);
  const bytes = await client.forms.keyLog(formId);
  const real = new TextDecoder().decode(bytes);
  const newest = async () => {
    const opened = await writer.open(formId);
    return opened.kind === "opened" ? opened.envelopes[0]?.head : assert.fail();
  };
  const before = await newest();
  assert.equal(before?.keyLog?.number, 2);
  const acts: Readonly<Record<string, (by: EnvelopeWriter) => Promise<unknown>>> = {
    rotate: (by) => by.rotateForm(formId),
    renew: (by) => by.renewKeyLog(formId),
    begin: (by) => by.beginKeyLog(formId),
    "change readers": (by) => by.changeReaders(formId, { add: [], remove: [] }),
  };
  for (const [[lie, toShown], [act, work]] of samplePairs(namedLies, Object.entries(acts))) {
    const shown = await toShown(real, formId, { id: account.id, key: { ...key, former: [] } });
    await assert.rejects(
      work(await openWriter(founder, { shown })),
      (error) =>
        error instanceof EnvelopeProblemError &&
        ["key_log_hidden", "key_log_old", "key_log_refused", "unknown_key_log"].includes(error.problem) &&
        /nothing was changed\. Ask who runs the server; if an owner says/.test(error.message),
      `${act}: ${lie}`,
    );
  }
  assert.deepEqual(await newest(), before);
  assert.deepEqual(await client.forms.keyLog(formId), bytes);
  assert.equal((await writer.rotateForm(formId)).keyVersion, 3, "control: an honest server");
});

test("a rotation that is read back with another seed than was sent is not taken for it", async (t) => {
  const { founder, writer } = await setUpPrograms(t);
  const { client, account, signer, key } = founder;
  const { formId } = await writer.createForm({ name: "Ward" });
  let isChanged = false;
  // Somebody who may write, together with the server: the same key with another seed, in the revision after.
  const getNewest: typeof client.envelopes.getNewest = async (...parameters) => {
    const newest = await client.envelopes.getNewest(...parameters);
    if (newest?.revision !== 2 || isChanged) return newest;
    isChanged = true;
    const { file, revision } = newest;
    const list = await fetchList(founder);
    const opened = await openEnvelope(file, key.identity, { list, formId, firstVersion: 1, revision });
    assert.ok(!(opened instanceof RefusalError));
    const keys = opened.content.keys.map((one) => (one.version === 2 ? { ...one, seed: createVersionSeed() } : one));
    const previous = { ...opened, content: { ...opened.content, keys }, head: { ...opened.head, keys: [] } };
    const sealed = await sealEnvelope({ list, signer, formId, readerIds: [account.id], keys: [], previous });
    await client.envelopes.put(formId, 1, sealed.file, opened.head);
    return client.envelopes.getNewest(...parameters);
  };
  const lied = await openWriter(founder, { getNewest });
  const outcome = await lied.rotateForm(formId).then(String, (error: EnvelopeProblemError) => error);
  assert.ok(isChanged, "control: the seed was changed");
  assert.ok(outcome instanceof EnvelopeProblemError, String(outcome));
  assert.deepEqual([outcome.problem, outcome.file !== undefined], ["key_missing", true]);
});
