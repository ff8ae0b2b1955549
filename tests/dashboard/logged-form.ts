import assert from "node:assert/strict";
import { createKeyLogEntry } from "@sealpost/envelope";
import { bringBack, findBringable } from "@sealpost/sdk/envelopes";
import { createId, type FormId, type KeyLogHead, type VerifiedKeyLog, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { importAsShown } from "../support/import-keys.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
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
} from "./played-envelopes.ts";

// A form whose envelope names its key log, and everybody who writes a revision or an entry of the log.

type Person = Pick<PlayedPerson, "id" | "key">;

/** All of a log that a server in bad hands shows in the place of the real one. */
export type Lie = (real: string, formId: FormId, owner: Person) => Promise<string>;

export const entriesOf = (log: string): readonly string[] => log.match(/.*\n.*\n/g) ?? [];

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

export const lies: Readonly<Record<string, Lie>> = {
  hidden: async () => "",
  "older than what the envelope names": async (real) => entriesOf(real).slice(0, -1).join(""),
  "another branch": (real, formId, owner) =>
    extend(entriesOf(real).slice(0, 1), entriesOf(real).length + 1, formId, owner),
  "another log of the form": (real, formId, owner) => extend([], entriesOf(real).length + 1, formId, owner),
  "another form's": (real, _, owner) => extend([], entriesOf(real).length + 1, createId("form"), owner),
  truncated: async (real) => real.slice(0, -12),
};

export async function verified(log: string, formId: FormId): Promise<VerifiedKeyLog> {
  const known = await verifyKeyLog(new TextEncoder().encode(log), { formId });
  assert.ok(typeof known !== "string", String(known));
  return known;
}

/** Ada's form, of which Cy, a manager, and Bo are readers, with three versions in its key log; the envelope names the newest entry. */
export async function setUp() {
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
  /** A browser that has seen nothing but the list. */
  const openNew = async (person: PlayedPerson) => {
    const context = { ...openBrowser(server, person), isOwner: person === ada };
    await context.heads.advanceList(organizationId, undefined, list.head);
    return context;
  };
  /** A browser that has seen nothing but the list, and the form's envelopes. */
  const openFresh = async (person: PlayedPerson) => {
    const context = await openNew(person);
    await openForm(context, formId);
    return context;
  };
  return { ada, bo, cy, server, formId, adas, openNew, openFresh };
}

export type World = Awaited<ReturnType<typeof setUp>>;

export async function checked(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}

export async function rotate(context: EnvelopeContext, formId: FormId): Promise<void> {
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened" && opened.refused.length === 0);
  const [previous = assert.fail()] = opened.envelopes;
  const version = previous.head.keys.length + 1;
  const { pair, key } = await newFormKey(version);
  const rotation = { publicKey: pair.publicKey, keyVersion: version };
  const stored = await rotateAsShown(context, await checked(context), formId, rotation, { key, previous });
  assert.equal(stored.kind, "read");
}

interface Writer {
  readonly by: "ada" | "cy";
  /** Whether it adds an entry, or a key that the log has to be compared with, and so is refused; anything else names what the envelope before has named. */
  readonly adds: boolean;
  /** Whether it follows a revision that is refused. */
  readonly bringsBack?: true;
  write(context: EnvelopeContext, world: World): Promise<unknown>;
}

const change = async (context: EnvelopeContext, { formId, bo }: World) => {
  const [swept] = await changeReaders(context, [formId], { add: [bo.id], remove: [] });
  assert.equal(swept?.kind, "changed", JSON.stringify(swept));
};

const bring = async (context: EnvelopeContext, { server, formId }: World) => {
  server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(4096)));
  await bringBackNewest(context, formId);
};

/** As the page does it for a newest revision that is refused, after a person has agreed. */
export async function bringBackNewest(context: EnvelopeContext, formId: FormId): Promise<void> {
  const list = await checked(context);
  const found = (await findBringable(context, list, formId, 1)) ?? assert.fail();
  assert.equal((await bringBack(context, list, found)).kind, "read");
}

/** A version that somebody has rotated to without an envelope. */
const bringIn = async (context: EnvelopeContext, { server, formId }: World) => {
  const opened = await openForm(context, formId);
  const { key } = await newFormKey(4);
  server.keys.push({ version: 4, fingerprint: key.fingerprint });
  const importing = importAsShown(context, await checked(context), formId, [key], opened);
  importing.catch(() => server.keys.pop());
  assert.equal((await importing)[0]?.kind, "read");
};

export const writers: Readonly<Record<string, Writer>> = {
  "an owner rotates": { by: "ada", adds: true, write: (context, { formId }) => rotate(context, formId) },
  "a manager rotates": { by: "cy", adds: true, write: (context, { formId }) => rotate(context, formId) },
  "an owner changes readers": { by: "ada", adds: false, write: change },
  "a manager changes readers": { by: "cy", adds: false, write: change },
  // A manager brings nothing back over bytes of no file where an owner reads the form (tests/malicious-member/taken-out.test.ts).
  "an owner brings an envelope back": { by: "ada", adds: false, bringsBack: true, write: bring },
  "an owner brings a key in": { by: "ada", adds: true, write: bringIn },
};

/** The entry that the newest revision names, and how many there are, as Ada's browser sees it with an honest server. */
export async function look({ adas, server, formId }: World): Promise<{ keyLog: KeyLogHead | null; revisions: number }> {
  server.lies = {};
  let opened = await openForm(adas, formId);
  // A manager's, brought back after bytes that nobody opens, stands on other devices once an owner has said so.
  if (opened.kind === "opened" && opened.refused[0]?.reason === "other_previous") {
    await bringBackNewest(adas, formId);
    opened = await openForm(adas, formId);
  }
  assert.ok(opened.kind === "opened");
  assert.deepEqual(opened.refused, []);
  return { keyLog: opened.envelopes[0]?.head.keyLog ?? null, revisions: server.envelopes.get(1)?.length ?? 0 };
}

export async function headOf({ server, formId }: World): Promise<KeyLogHead> {
  return (await verified(server.keyLogs.get(formId) ?? "", formId)).head;
}
