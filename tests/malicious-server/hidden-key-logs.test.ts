import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createKeyLogEntry, formatPersonalKey, openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createEnvelopeWriter, EnvelopeProblemError, type EnvelopeWriter } from "@sealpost/sdk/envelopes";
import {
  createId,
  createVersionSeed,
  type FormId,
  hasKeyLogHead,
  type KeyLogHead,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { bringBack, findBringable } from "../../packages/dashboard/src/envelopes/bring-back-envelope.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { KeyLogError } from "../../packages/dashboard/src/envelopes/continue-key-log.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import {
  createFormWithEnvelope,
  importKeys,
  rotateWithEnvelope,
} from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { createFounder, fetchList } from "../../packages/server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";

// Somebody writes a revision or an entry of a key log, and a server that shows no key log, an older one or another one.

type Person = Pick<PlayedPerson, "id" | "key">;

/** All of a log that a server in bad hands shows in the place of the real one. */
type Lie = (real: string, formId: FormId, owner: Person) => Promise<string>;

const entriesOf = (log: string): readonly string[] => log.match(/.*\n.*\n/g) ?? [];

/** Continues these entries with the owner's key, as it has signed another log before, up to `count` entries. */
async function extend(entries: readonly string[], count: number, formId: FormId, { id, key }: Person): Promise<string> {
  const { signingKey } = await toSigner({ id, key: { ...key, former: [] } });
  const signer = { publicKey: key.signingKey, signingKey };
  let log = entries.join("");
  for (let number = entries.length + 1; number <= count; number++) {
    const known = log === "" ? undefined : await verifyKeyLog(new TextEncoder().encode(log), { formId });
    assert.ok(typeof known !== "string", String(known));
    const logged = { version: number, fingerprint: "A".repeat(43), hybridFingerprint: null, replyKey: null };
    const signers = { owners: [key.signingKey], managers: [] };
    log += await createKeyLogEntry(known, { formId, key: logged, ...signers }, signer);
  }
  return log;
}

const lies: Readonly<Record<string, Lie>> = {
  hidden: async () => "",
  "older than what the envelope names": async (real) => entriesOf(real).slice(0, -1).join(""),
  "another branch": (real, formId, owner) =>
    extend(entriesOf(real).slice(0, 1), entriesOf(real).length + 1, formId, owner),
  "another log of the form": (real, formId, owner) => extend([], entriesOf(real).length + 1, formId, owner),
  "another form's": (real, _, owner) => extend([], entriesOf(real).length + 1, createId("form"), owner),
  truncated: async (real) => real.slice(0, -12),
};

async function verified(log: string, formId: FormId): Promise<VerifiedKeyLog> {
  const known = await verifyKeyLog(new TextEncoder().encode(log), { formId });
  assert.ok(typeof known !== "string", String(known));
  return known;
}

/** Ada's form, of which Cy, a manager, and Bo are readers, with three versions in its key log; the envelope names the newest entry. */
async function setUp() {
  const [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  const server = playServer();
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  for (const [person, role] of [[bo, "reader"] as const, [cy, "manager"] as const])
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const settings = { encryption: true, piiStrip: false };
  const form = { formId, name: "Vote", publicKey: pair.publicKey, settings };
  await createFormWithEnvelope(adas, await checked(adas), form, key);
  await changeReaders(adas, [formId], { add: [cy.id], remove: [] });
  await rotate(adas, formId);
  await rotate(adas, formId);
  const { list } = await checked(adas);
  /** A browser that has seen nothing but the list, and the form's envelopes. */
  const openFresh = async (person: PlayedPerson) => {
    const context = { ...openBrowser(server, person), isOwner: person === ada };
    await context.heads.advanceList(organizationId, undefined, list.head);
    await openForm(context, formId);
    return context;
  };
  return { ada, bo, cy, server, formId, adas, openFresh };
}

type World = Awaited<ReturnType<typeof setUp>>;

async function checked(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}

async function rotate(context: EnvelopeContext, formId: FormId): Promise<void> {
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened" && opened.refused.length === 0);
  const [previous = assert.fail()] = opened.envelopes;
  const version = previous.head.keys.length + 1;
  const { pair, key } = await newFormKey(version);
  const rotation = { publicKey: pair.publicKey, keyVersion: version };
  const stored = await rotateWithEnvelope(context, await checked(context), formId, rotation, { key, previous });
  assert.equal(stored.kind, "read");
}

interface Writer {
  readonly by: "ada" | "cy";
  /** Whether it adds an entry, and so is refused; anything else names what the envelope before has named. */
  readonly adds: boolean;
  write(context: EnvelopeContext, world: World): Promise<unknown>;
}

const change = async (context: EnvelopeContext, { formId, bo }: World) => {
  const [swept] = await changeReaders(context, [formId], { add: [bo.id], remove: [] });
  assert.equal(swept?.kind, "changed", JSON.stringify(swept));
};

const bring = async (context: EnvelopeContext, { server, formId }: World) => {
  server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(4096)));
  const list = await checked(context);
  const found = (await findBringable(context, list, formId, 1)) ?? assert.fail();
  assert.equal((await bringBack(context, list, found)).kind, "read");
};

/** A version that somebody has rotated to without an envelope. */
const bringIn = async (context: EnvelopeContext, { server, formId }: World) => {
  const opened = await openForm(context, formId);
  const { envelopes } = opened.kind === "opened" ? opened : assert.fail();
  const { key } = await newFormKey(4);
  server.keys.push({ version: 4, fingerprint: key.fingerprint });
  const [stored] = await importKeys(context, await checked(context), formId, [key], envelopes, "Vote");
  assert.equal(stored?.kind, "read");
};

const writers: Readonly<Record<string, Writer>> = {
  "an owner rotates": { by: "ada", adds: true, write: (context, { formId }) => rotate(context, formId) },
  "a manager rotates": { by: "cy", adds: true, write: (context, { formId }) => rotate(context, formId) },
  "an owner changes readers": { by: "ada", adds: false, write: change },
  "a manager changes readers": { by: "cy", adds: false, write: change },
  "an owner brings an envelope back": { by: "ada", adds: false, write: bring },
  "a manager brings an envelope back": { by: "cy", adds: false, write: bring },
  "an owner brings a key in": { by: "ada", adds: false, write: bringIn },
};

/** The entry that the newest revision names, and how many there are, as Ada's browser sees it with an honest server. */
async function look({ adas, server, formId }: World): Promise<{ keyLog: KeyLogHead | null; revisions: number }> {
  server.lies = {};
  const opened = await openForm(adas, formId);
  assert.ok(opened.kind === "opened");
  assert.deepEqual(opened.refused, []);
  return { keyLog: opened.envelopes[0]?.head.keyLog ?? null, revisions: server.envelopes.get(1)?.length ?? 0 };
}

test("while a server hides a form's key log or shows another one, nobody who writes adds to it, and the envelope keeps the entry that it names", async () => {
  for (const [name, { by, adds, write }] of Object.entries(writers)) {
    // A refusal leaves everything unchanged.
    const refusing = adds ? await setUp() : undefined;
    for (const isFresh of [true, false])
      for (const [lie, toShown] of Object.entries(lies)) {
        // A browser that has seen the log takes none of them in any case: one is enough.
        if (!isFresh && lie !== "hidden") continue;
        const what = `${name}: ${lie}, to a browser that has ${isFresh ? "not " : ""}seen the log`;
        const world = refusing ?? (await setUp());
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
  }
});

async function headOf({ server, formId }: World): Promise<KeyLogHead> {
  return (await verified(server.keyLogs.get(formId) ?? "", formId)).head;
}

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
  server.keyLogs.set(formId, "");
  const [owners, managers] = [await openFresh(ada), await openFresh(cy)];
  for (const context of [owners, managers]) await assert.rejects(rotate(context, formId), KeyLogError);
  await managers.heads.forgetKeyLog(formId);
  await rotate(managers, formId);
  assert.notEqual((await look(world)).keyLog, null, "a manager says nothing of the kind");
  await owners.heads.forgetKeyLog(formId);
  await rotate(owners, formId);
  assert.equal((await look(world)).keyLog, null);
  // Others go by the envelope of an owner.
  await rotate(await openFresh(cy), formId);
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
  for (const [lie, toShown] of Object.entries(lies)) {
    const shown = await toShown(real, formId, { id: account.id, key: { ...key, former: [] } });
    const acts: Readonly<Record<string, (by: EnvelopeWriter) => Promise<unknown>>> = {
      rotate: (by) => by.rotateForm(formId),
      renew: (by) => by.renewKeyLog(formId),
      begin: (by) => by.beginKeyLog(formId),
    };
    for (const [act, work] of Object.entries(acts))
      await assert.rejects(
        work(await openWriter(founder, { shown })),
        (error) =>
          error instanceof EnvelopeProblemError &&
          ["key_log_hidden", "key_log_old", "key_log_refused"].includes(error.problem) &&
          /nothing was changed\. Ask who runs the server; if an owner says/.test(error.message),
        `${act}: ${lie}`,
      );
    assert.equal(
      await (await openWriter(founder, { shown })).changeReaders(formId, { add: [], remove: [] }),
      false,
      lie,
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
  assert.deepEqual([outcome.problem, outcome.file !== undefined], ["lost_envelope", true]);
});
