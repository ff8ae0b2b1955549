import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  continueKeyLog,
  type FormKey,
  type HeadStore,
  openEnvelope,
  type PublishedKey,
  RefusalError,
  toFormKey,
  toLoggedKey,
} from "@sealpost/envelope";
import { findDeniedHere, findHeldKeys, goByKeyLog } from "@sealpost/sdk/envelopes";
import {
  createId,
  createVersionSeed,
  encodeBase64Url,
  type FormId,
  generateHybridKeyPair,
  hashVersionSeed,
  type KeyLogHead,
  type KeyPair,
  verifyKeyLog,
} from "@sealpost/wire";
import { compareBrought, KeyNotPutInError } from "../../packages/dashboard/src/envelopes/compare-brought.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList, loadReadableList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
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
import { type AgentName, agentsOf, lookAtFirst, openActor } from "../support/envelope-actors.ts";
import { importAsShown } from "../support/import-keys.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { sampleKinds } from "../support/sample.ts";

// The key log names the hybrid key and the reply key of each version. The service's list can lack a hybrid key, and anybody who writes can put another one, or
// another seed, next to the form's RSA key: where the log counts, it says which of them are the form's.

let [ada, nia, mo]: readonly PlayedPerson[] = [];
let pair: KeyPair;
let genuine: FormKey;
let next: Parameters<typeof openActor>[3];
let wrong: Readonly<Record<(typeof wrongs)[number], FormKey>>;

const wrongs = ["another seed", "another hybrid key", "another hybrid key and seed", "no hybrid key"] as const;
const lists = ["names it", "lacks it", "names another"] as const;
type Listed = (typeof lists)[number];

before(async () => {
  [ada, nia, mo] = await Promise.all([makePerson("Ada"), makePerson("Nia"), makePerson("Mo")]);
  pair = takeKeyPair();
  const [own, other] = await Promise.all([generateHybridKeyPair(), generateHybridKeyPair()]);
  const seed = createVersionSeed();
  const make = (hybrid: typeof own | undefined, of: string) =>
    toFormKey(1, pair.privateKey, hybrid?.privateKey ?? null, of);
  genuine = await make(own, seed);
  wrong = {
    "another seed": await make(own, createVersionSeed()),
    "another hybrid key": await make(other, seed),
    "another hybrid key and seed": await make(other, createVersionSeed()),
    "no hybrid key": await make(undefined, seed),
  };
  const [{ pair: nextPair }, nextHybrid] = await Promise.all([newFormKey(2), generateHybridKeyPair()]);
  const nextKey = await toFormKey(2, nextPair.privateKey, nextHybrid.privateKey, createVersionSeed());
  next = { pair: nextPair, key: nextKey, hybridPublicKey: nextHybrid.publicKey };
});

/** The form's first key as the service lists it. */
function list({ keys }: PlayedServer, listed: Listed): void {
  const { fingerprint } = genuine;
  const other = wrong["another hybrid key"].hybridFingerprint;
  const hybridFingerprint = { "names it": genuine.hybridFingerprint, "lacks it": null, "names another": other }[listed];
  keys.splice(0, 1, { version: 1, fingerprint, ...(hybridFingerprint !== null && { hybridFingerprint }) });
}

const logs = ["counts", "was given up", "is hidden", "never was"] as const;
type Log = (typeof logs)[number];

/** A form of Ada's, an owner, which Nia, a manager, and Mo read. `adas` has seen it. */
async function setUp(log: Log, mos: "owner" | "manager") {
  assert.ok(ada && nia && mo);
  const server = playServer();
  const adas = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(adas));
  await findOrFoundList(browser);
  for (const [person, role] of [
    [nia, "manager"],
    [mo, mos],
  ] as const)
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  const known = await loadCheckedList(browser);
  const formId = createId("form");
  if (log === "never was") {
    server.keys.push({ version: 1, fingerprint: genuine.fingerprint });
    list(server, "names it");
    await importKeys(browser, known, formId, [genuine], [], "Vote");
  } else {
    await createFormWithEnvelope(browser, known, { formId, name: "Vote", publicKey: pair.publicKey }, genuine);
    list(server, "names it");
  }
  if (log === "was given up")
    assert.equal(await (await openActor("memory", server, ada, next, adas)).giveKeyLogUp(formId), "given up");
  await changeReaders(browser, [formId], { add: [nia.id, mo.id], remove: [] });
  if (log === "is hidden") server.lies = { fetchKeyLog: async () => new Uint8Array() };
  const see = async () => {
    const heads = createMemoryStore();
    await createHeads(heads).advanceList(organizationId, undefined, known.list.head);
    return heads;
  };
  return { server, formId, adas, see, people: { ada, nia, mo } };
}

async function openNewest(server: PlayedServer, formId: FormId) {
  const { list: known } = await loadCheckedList(openBrowser(server, ada ?? assert.fail()));
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const expected = { list: known, formId, firstVersion: 1, revision: revisions.length, isForgotten: true };
  const opened = await openEnvelope(revisions.at(-1) ?? assert.fail(), ada?.key.identity ?? "", expected);
  if (opened instanceof RefusalError) throw opened;
  return { known, opened };
}

/** The next revision with this key, as any program of its signer can write it. */
async function forge(
  server: PlayedServer,
  formId: FormId,
  by: PlayedPerson,
  key: FormKey,
  named: { readonly keyLog?: KeyLogHead } = {},
): Promise<void> {
  const { known, opened } = await openNewest(server, formId);
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const previous = encodeBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", revisions.at(-1) ?? assert.fail())),
  );
  const parts = { revision: revisions.length + 1, previous, list: known.head, keys: [key], signedBy: by.id, ...named };
  const { signingKey } = await toSigner(by);
  const text = await signLine("sealpost-envelope/1", JSON.stringify({ ...opened.content, ...parts }), signingKey);
  const recipients = opened.content.readers.map(({ id }) => known.members.get(id)?.recipient ?? assert.fail());
  revisions.push(await encryptTo(recipients, text));
}

async function assertWhole(server: PlayedServer, formId: FormId, versions: readonly number[] = [1]): Promise<void> {
  const { opened } = await openNewest(server, formId);
  assert.deepEqual(opened.content.keys[0], genuine);
  assert.deepEqual(
    opened.content.keys.map(({ version }) => version),
    versions,
  );
}

/** A device that has opened the form refuses nothing of it, and remembers the form's hybrid key and seed. */
async function assertSeen(server: PlayedServer, formId: FormId, heads: HeadStore): Promise<void> {
  const opened = await openForm(openBrowser(server, ada ?? assert.fail(), createHeads(heads)), formId);
  assert.ok(opened.kind === "opened");
  assert.deepEqual([opened.refused, opened.otherThanLogged], [[], []]);
  const [head] = (await createHeads(heads).findEnvelopes(formId)).heads;
  const { fingerprint, hybridFingerprint, seed } = genuine;
  const seedHash = await hashVersionSeed(seed, { formId, version: 1 });
  assert.deepEqual(head?.keys[0], { version: 1, fingerprint, hybridFingerprint, seedHash, isPublished: true });
}

interface LackCase {
  readonly log: Log;
  readonly listed: Listed;
  readonly by: "ada" | "nia";
  readonly act: "a change of readers" | "a rotation" | "bringing back";
}

const lackCases: readonly LackCase[] = (["a change of readers", "a rotation", "bringing back"] as const).flatMap(
  (act) =>
    logs.flatMap((log) => lists.flatMap((listed) => (["ada", "nia"] as const).map((by) => ({ log, listed, by, act })))),
);

for (const [index, one] of sampleKinds(lackCases, ({ log, act }) => `${log} ${act}`).entries())
  for (const agent of agentsOf(index))
    test(`a hybrid key is carried on by ${one.act} of ${one.by === "ada" ? "an owner" : "a manager"} on a fresh device where the log ${one.log} and the service's list ${one.listed}, as list or log name it, with the key in ${agent}`, () =>
      carryOn(one, agent));

async function carryOn({ log, listed, by, act }: LackCase, agent: AgentName): Promise<void> {
  const { server, formId, adas, see, people } = await setUp(log, "manager");
  if (act === "bringing back") server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(300)));
  list(server, listed);
  const fresh = await see();
  const actor = await openActor(agent, server, people[by], next, fresh);
  const outcome = await {
    "a change of readers": () => actor.changeReaders(formId, { add: [], remove: [people.mo.id] }),
    "a rotation": () => actor.rotate(formId),
    "bringing back": () => actor.bringBack(formId),
  }[act]();
  if (log === "is hidden") {
    assert.ok(["unknown_key_log", "nothing"].includes(outcome), outcome);
    return;
  }
  // Nobody's signature vouches for the bytes above, and an owner reads.
  if (by === "nia" && act === "bringing back") {
    assert.equal(outcome, "owner_needed");
    return;
  }
  assert.ok(["changed", "rotated", "brought"].includes(outcome), outcome);
  const versions = act === "a rotation" ? [1, 2] : [1];
  if (log === "counts") {
    await assertWhole(server, formId, versions);
    assert.deepEqual((await (await openActor(agent, server, people.ada, next, adas)).open(formId)).refused, []);
    await assertSeen(server, formId, fresh);
    await assertSeen(server, formId, await see());
  } else {
    const { opened } = await openNewest(server, formId);
    assert.equal(opened.content.keys[0]?.hybridFingerprint, listed === "names it" ? genuine.hybridFingerprint : null);
  }
}

interface WrongCase {
  readonly what: (typeof wrongs)[number];
  readonly writer: "an owner" | "a manager" | "a former manager";
  readonly listed: Listed;
  /** The first act of an owner whose device has seen nothing of the form. */
  readonly act: "a change of readers" | "a rotation" | "nothing";
  readonly mend: "the key is put in" | "a device that has seen the form brings back";
}

const wrongCases: readonly WrongCase[] = wrongs.flatMap((what) =>
  (["an owner", "a manager", "a former manager"] as const).flatMap((writer) =>
    lists.flatMap((listed) =>
      (["a change of readers", "a rotation", "nothing"] as const).flatMap((act) =>
        (["the key is put in", "a device that has seen the form brings back"] as const).map((mend) => ({
          ...{ what, writer, listed, act, mend },
        })),
      ),
    ),
  ),
);

for (const [index, one] of sampleKinds(wrongCases, ({ what, act, mend }) => `${what} ${act} ${mend}`).entries())
  for (const agent of agentsOf(index))
    test(`${one.what} that ${one.writer} writes next to the form's RSA key, where the log names the right one and the list ${one.listed}, is no part of the form's key after ${one.act} on a fresh device, until ${one.mend}, with the key in ${agent}`, () =>
      writeWrong(one, agent));

async function writeWrong({ what, writer, listed, act, mend }: WrongCase, agent: AgentName): Promise<void> {
  const { server, formId, adas, see, people } = await setUp("counts", writer === "an owner" ? "owner" : "manager");
  const before = server.envelopes.get(1)?.length;
  await forge(server, formId, people.mo, wrong[what]);
  list(server, listed);
  if (writer === "a former manager") {
    const member = { id: people.mo.id };
    server.list.push(await writeEntry(server.list.join(""), people.ada, { change: "remove", member }));
  }
  const fresh = await see();
  const actor = await openActor(agent, server, people.ada, next, fresh);
  let refused = (await actor.open(formId)).refused;
  if (refused[0] === "former_writer") {
    assert.deepEqual(await lookAtFirst(server, people.ada, formId, fresh), [true]);
    refused = (await actor.open(formId)).refused;
  }
  const context = openBrowser(server, people.ada, createHeads(fresh));
  if (refused.length > 0) {
    // A manager's that lacks what the service lists is no first sight.
    assert.deepEqual(refused, ["key_missing"]);
    assert.notEqual(writer, "an owner");
    return;
  }
  const shown = await openForm(context, formId);
  assert.ok(shown.kind === "opened");
  // That it has none is said where the list names one, as of any key that lacks it.
  assert.deepEqual(shown.otherThanLogged, what === "no hybrid key" ? [] : [1], "the person sees it");
  const [held] = findHeldKeys(shown.envelopes);
  if (what.includes("seed")) assert.equal(held?.replyKey, undefined);
  if (what.includes("hybrid")) assert.equal(held?.hybrid, undefined);
  if (act === "a change of readers")
    assert.equal(await actor.changeReaders(formId, { add: [], remove: [people.nia.id] }), "changed");
  if (act === "a rotation") assert.equal(await actor.rotate(formId), "rotated");
  const versions = act === "a rotation" ? [1, 2] : [1];
  assert.deepEqual([...(await actor.open(formId)).keys.keys()], versions);
  const { opened: kept } = await openNewest(server, formId);
  const isCarried = kept.content.keys[0]?.hybridFingerprint === wrong["another hybrid key"].hybridFingerprint;
  if (act !== "nothing") assert.ok(!isCarried, "nobody carries it on");

  list(server, "names it");
  if (mend === "the key is put in") {
    const opening = await openForm(context, formId);
    const known = await loadCheckedList(context);
    const [stored = assert.fail()] = await importAsShown(context, known, formId, [genuine], opening);
    assert.equal(stored.kind, "read");
  } else {
    const adasActor = await openActor(agent, server, people.ada, next, adas);
    assert.deepEqual((await adasActor.open(formId)).refused, ["key_missing"]);
    assert.equal(await adasActor.bringBack(formId), "brought");
  }
  await assertWhole(server, formId, versions);
  assert.ok((server.envelopes.get(1)?.length ?? 0) > (before ?? 0) + 1);
  for (const heads of [fresh, await see(), ...(mend === "the key is put in" ? [] : [adas])])
    await assertSeen(server, formId, heads);
}

test("control: where no log counts, the seed that a device sees first stays, and the right one is not put in", async () => {
  for (const log of ["never was", "was given up"] as const) {
    const { server, formId, see, people } = await setUp(log, "manager");
    await forge(server, formId, people.mo, wrong["another seed"]);
    const context = openBrowser(server, people.ada, createHeads(await see()));
    const opening = await openForm(context, formId);
    assert.ok(opening.kind === "opened");
    assert.deepEqual([opening.refused, opening.otherThanLogged], [[], []]);
    const stored = await importAsShown(context, await loadCheckedList(context), formId, [genuine], opening);
    assert.deepEqual(stored, [], "the envelope has this version");
  }
});

test("a service that hides the log afterwards makes no wrong part the form's", async () => {
  for (const what of wrongs.slice(0, 3)) {
    const { server, formId, see, people } = await setUp("counts", "owner");
    await forge(server, formId, people.mo, wrong[what]);
    list(server, "lacks it");
    const fresh = await see();
    const context = openBrowser(server, people.ada, createHeads(fresh));
    await openForm(context, formId);
    list(server, "names another");
    server.lies = { fetchKeyLog: async () => new Uint8Array() };
    await openForm(context, formId);
    const [head] = (await createHeads(fresh).findEnvelopes(formId)).heads;
    const [key] = head?.keys ?? [];
    assert.ok(key?.isPublished);
    if (what.includes("seed")) assert.equal(key.seedHash, null, what);
    if (what.includes("hybrid")) assert.equal(key.hybridFingerprint, null, what);
    server.lies = {};
    list(server, "names it");
    const opening = await openForm(context, formId);
    await importAsShown(context, await loadCheckedList(context), formId, [genuine], opening);
    await assertSeen(server, formId, fresh);
  }
});

interface DenyCase {
  /** In the revision that a device has seen, before there was a log. */
  readonly seen: (typeof parts)[number];
  readonly logged: (typeof parts)[number];
  /** Who signs the log's only entry, and the revision that names it: with one key, or with the next one that they get. */
  readonly by: keyof typeof signers;
}

const parts = ["the form's own", ...wrongs] as const;
const signers = {
  "an owner": ["ada", "ada"],
  "a manager, and the revision an owner": ["mo", "ada"],
  "a manager, and the revision another one": ["mo", "nia"],
  "a manager, and the revision too": ["mo", "mo"],
  "a manager with a former key, and the revision too": ["mo", "mo"],
} as const;

const denyCases: readonly DenyCase[] = (Object.keys(signers) as (keyof typeof signers)[]).flatMap((by) =>
  parts.flatMap((seen) => parts.filter((one) => one !== seen).map((logged) => ({ by, seen, logged }))),
);

const keyOf = (part: DenyCase["seen"]) => (part === "the form's own" ? genuine : wrong[part]);

for (const [index, one] of sampleKinds(denyCases, ({ by, seen }) => `${by} ${seen}`).entries())
  for (const agent of agentsOf(index))
    test(`a device that remembers ${one.seen} goes by a log that was begun later and names ${one.logged}, whose entry ${one.by} signed, only on a person's word, and then in these values alone, with the key in ${agent}`, () =>
      deny(one, agent));

async function deny({ seen, logged, by }: DenyCase, agent: AgentName): Promise<void> {
  const { server, formId, see, people } = await setUp("never was", "manager");
  const [before, after] = [keyOf(seen), keyOf(logged)];
  await forge(server, formId, people.ada, before);
  const { fingerprint, hybridFingerprint } = before;
  server.keys.splice(0, 1, { version: 1, fingerprint, ...(hybridFingerprint !== null && { hybridFingerprint }) });
  const heads = await see();
  const actor = await openActor(agent, server, people.ada, next, heads);
  assert.deepEqual((await actor.open(formId)).refused, []);
  const [signs, writes] = signers[by];
  const keyLog = await beginLog(server, formId, people[signs], after);
  let writer = people[writes];
  if (by.includes("former")) {
    const { key } = await makePerson("Mo");
    const member = { ...toMember(writer, "manager"), signingKey: key.signingKey };
    server.list.push(await writeEntry(server.list.join(""), writer, { change: "replace", member }));
    writer = { ...writer, key: { ...writer.key, signingKey: key.signingKey, signingSeed: key.signingSeed } };
  }
  await forge(server, formId, writer, after, { keyLog });
  server.keys.splice(0, 1, { version: 1, fingerprint: after.fingerprint });

  const isHybridDenied = before.hybridFingerprint !== null && before.hybridFingerprint !== after.hybridFingerprint;
  const isSeedDenied = before.seed !== after.seed;
  const isDenied = isHybridDenied || isSeedDenied;
  const context = openBrowser(server, people.ada, createHeads(heads));
  const open = async () => {
    const opened = await openForm(context, formId);
    return opened.kind === "opened" ? opened : assert.fail(opened.kind);
  };
  const opened = await open();
  assert.deepEqual(
    opened.refused.map(({ reason }) => reason),
    isDenied ? ["key_missing"] : [],
  );
  const isAsked = isDenied && !(signs === "mo" && writes === "mo");
  const [refused] = opened.refused;
  const seedHash = await hashVersionSeed(before.seed, { formId, version: 1 });
  const denied = {
    ...{ version: 1, fingerprint },
    ...(isHybridDenied && { hybridFingerprint }),
    ...(isSeedDenied && { seedHash }),
  };
  assert.deepEqual(refused?.denied, isAsked ? [denied] : undefined);
  if (refused?.denied === undefined) return;
  const [head] = (await context.heads.findEnvelopes(formId)).heads;
  await context.heads.forgetDenied(formId, 1, refused.denied);
  const [left] = (await context.heads.findEnvelopes(formId)).heads;
  const forgotten = { ...(isHybridDenied && { hybridFingerprint: null }), ...(isSeedDenied && { seedHash: null }) };
  assert.deepEqual(left, { ...head, keys: head?.keys.map((key) => ({ ...key, ...forgotten })) });
  const [asked = assert.fail()] = findDeniedHere(opened);
  const form = { formId, organizationId, loadList: () => loadReadableList(context) };
  assert.equal(await goByKeyLog(context, form, asked), undefined);
  assert.deepEqual((await actor.open(formId)).refused, []);
  const [now] = (await context.heads.findEnvelopes(formId)).heads;
  assert.deepEqual(now?.keys, [
    {
      ...{ version: 1, fingerprint, hybridFingerprint: after.hybridFingerprint, isPublished: true },
      seedHash: await hashVersionSeed(after.seed, { formId, version: 1 }),
    },
  ]);
  // The answer covers these values alone: earlier ones differ from the log, and nobody is asked.
  await forge(server, formId, people.ada, before);
  assert.deepEqual((await open()).refused[0]?.denied, undefined);
}

/** The key log of a form that had none, of one entry, which names this key. */
async function beginLog(server: PlayedServer, formId: FormId, by: PlayedPerson, key: FormKey): Promise<KeyLogHead> {
  const [owner, manager] = [ada?.key.signingKey ?? "", by.key.signingKey];
  const named = { owners: [owner], managers: manager === owner ? [] : [manager] };
  const entry = { formId, key: await toLoggedKey(formId, key), signers: named };
  const text = await continueKeyLog(new Uint8Array(), entry, [by.key]);
  server.keyLogs.set(formId, text);
  const verified = await verifyKeyLog(new TextEncoder().encode(text), { formId });
  return typeof verified === "string" ? assert.fail(verified) : verified.head;
}

test("a log that is hidden, or that names what the device remembers, is no reason to ask", async () => {
  for (const what of ["hidden", "naming what is remembered"] as const) {
    const { server, formId, see, people } = await setUp("never was", "manager");
    const heads = await see();
    const context = openBrowser(server, people.ada, createHeads(heads));
    await openForm(context, formId);
    const other = wrong["another hybrid key and seed"];
    const keyLog = await beginLog(server, formId, people.ada, what === "hidden" ? other : genuine);
    await forge(server, formId, people.nia, other, { keyLog });
    if (what === "hidden") server.lies = { fetchKeyLog: async () => new Uint8Array() };
    const opened = await openForm(context, formId);
    assert.deepEqual(opened.kind === "opened" && opened.refused, [{ firstVersion: 1, reason: "key_missing" }]);
  }
});

const hybridOf = ({ keys }: PlayedServer) => (keys[0] as PublishedKey | undefined)?.hybridFingerprint;
const logable = ["the form's own", "no hybrid key"] as const;
const sights = logable.flatMap((logged) =>
  lists.flatMap((listed) => [...logable, "another hybrid key" as const].map((has) => ({ logged, listed, has }))),
);

for (const { logged, listed, has } of sights)
  test(`a manager's revision with ${has}, which a device sees first, where the log names ${logged} and the service's list ${listed}, lacks a hybrid key only where both name it`, async () => {
    const { server, formId, see, people } = await setUp("never was", "manager");
    const [own, right] = [keyOf(has), keyOf(logged)];
    await forge(server, formId, people.nia, own, { keyLog: await beginLog(server, formId, people.ada, right) });
    list(server, listed);
    const named = hybridOf(server);
    const isLacking = named === right.hybridFingerprint && own.hybridFingerprint !== named;
    const context = openBrowser(server, people.ada, createHeads(await see()));
    const opened = await openForm(context, formId);
    assert.ok(opened.kind === "opened");
    assert.deepEqual(
      opened.refused.map(({ reason }) => reason),
      isLacking ? ["key_missing"] : [],
    );
    const [head] = (await context.heads.findEnvelopes(formId)).heads;
    const isRight = own.hybridFingerprint === right.hybridFingerprint;
    if (!isLacking) assert.equal(head?.keys[0]?.hybridFingerprint, isRight ? right.hybridFingerprint : null);
  });

for (const logged of [undefined, ...logable])
  for (const listed of lists)
    for (const brought of [...logable, "another hybrid key" as const])
      test(`${brought} is put in where ${logged === undefined ? "there is no log" : `the log names ${logged}`} and the service's list ${listed} only if the log says so, or the list without one`, async () => {
        const { server, formId, see, people } = await setUp("never was", "manager");
        if (logged !== undefined) await beginLog(server, formId, people.ada, keyOf(logged));
        list(server, listed);
        const [own, of] = [keyOf(brought).hybridFingerprint, hybridOf(server)];
        const isRight = logged === undefined ? of === undefined || own === of : own === keyOf(logged).hybridFingerprint;
        const context = openBrowser(server, people.ada, createHeads(await see()));
        const comparing = compareBrought(context, formId, [keyOf(brought)]);
        await (isRight ? comparing : assert.rejects(comparing, KeyNotPutInError));
      });
