import assert from "node:assert/strict";
import {
  type EnvelopeParts,
  generatePersonalKey,
  type HeadStore,
  openDeviceHeads,
  openEnvelope,
  RefusalError,
  sealDeviceHeads,
  sealEnvelope,
} from "@sealpost/envelope";
import { createId, type FormId } from "@sealpost/wire";
import { takeDeviceHeads } from "../../packages/dashboard/src/devices/device-heads.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { type CheckedList, loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
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

/** A form of Ada's, an owner, which Nia and Mo, managers, and Rob read. Rea is a reader of the organization, and not of the form. */
export interface Team {
  readonly server: PlayedServer;
  readonly formId: FormId;
  readonly people: Readonly<Record<"ada" | "nia" | "mo" | "rea" | "rob", PlayedPerson>>;
  /** Opens a device that knows the organization's list, and nothing of the form. */
  see(): Promise<HeadStore>;
  /** Loads the newest list of members. */
  load(): Promise<CheckedList>;
}

let everybody: Promise<Team["people"]> | undefined;
let firstKey: ReturnType<typeof newFormKey> | undefined;

async function makeEverybody(): Promise<Team["people"]> {
  const [ada, nia, mo, rea, rob] = await Promise.all(["Ada", "Nia", "Mo", "Rea", "Rob"].map(makePerson));
  assert.ok(ada && nia && mo && rea && rob);
  return { ada, nia, mo, rea, rob };
}

export async function setUp(log: "with a key log" | "without"): Promise<Team> {
  everybody ??= makeEverybody();
  firstKey ??= newFormKey(1);
  const [people, first] = await Promise.all([everybody, firstKey]);
  const { ada, nia, mo, rea, rob } = people;
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  for (const [person, role] of [
    [nia, "manager"],
    [mo, "manager"],
    [rea, "reader"],
    [rob, "reader"],
  ] as const)
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  const list = await loadCheckedList(browser);
  const formId = createId("form");
  if (log === "with a key log")
    await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: first.pair.publicKey }, first.key);
  else {
    server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
    await importKeys(browser, list, formId, [first.key], [], "Vote");
  }
  await changeReaders(browser, [formId], { add: [nia.id, mo.id, rob.id], remove: [] });
  return {
    ...{ server, formId, people },
    async see() {
      const store = createMemoryStore();
      await createHeads(store).advanceList(organizationId, undefined, list.list.head);
      return store;
    },
    load: () => loadCheckedList(openBrowser(server, ada)),
  };
}

/** A revision as Ada opens it without having seen anything. */
export async function openRevision({ server, formId, people, load }: Team, revision: number, firstVersion = 1) {
  const { list } = await load();
  const file = server.envelopes.get(firstVersion)?.[revision - 1] ?? assert.fail();
  const expected = { list, formId, firstVersion, revision, isForgotten: true };
  const opened = await openEnvelope(file, people.ada.key.identity, expected);
  if (opened instanceof RefusalError) throw opened;
  return { list, opened };
}

/** The next revision, for the readers of the last one, as any program of its signer can write it. */
export async function write(
  team: Team,
  by: PlayedPerson,
  parts: Partial<Pick<EnvelopeParts, "ahead" | "keyLog" | "keys" | "readerIds">> = {},
  firstVersion = 1,
): Promise<void> {
  const { server, formId } = team;
  const revisions = server.envelopes.get(firstVersion) ?? assert.fail();
  const { list, opened: previous } = await openRevision(team, revisions.length, firstVersion);
  const readerIds = previous.content.readers.map(({ id }) => id);
  const all: EnvelopeParts = {
    ...{ list, signer: await toSigner(by), standing: { own: by.key }, formId, readerIds, keys: [], ...parts },
  };
  revisions.push((await sealEnvelope({ ...all, previous })).file);
}

/** Gives a new device the form's heads of another one, with the personal key. */
export async function handOver(
  from: HeadStore,
  to: HeadStore,
  person: PlayedPerson,
  formId: FormId,
): Promise<HeadStore> {
  const { heads: envelopes } = await createHeads(from).findEnvelopes(formId);
  const { recipient, identity } = await generatePersonalKey();
  const by = { commitment: "A".repeat(43), personId: person.id };
  const heads = { lists: [], envelopes, keyLogs: [], confirmed: [], forms: [] };
  const sealed = await sealDeviceHeads(heads, { ...by, recipient, signingSeed: person.key.signingSeed });
  const opened = await openDeviceHeads(sealed, identity, { ...by, signingKey: person.key.signingKey });
  assert.ok(!(opened instanceof RefusalError));
  await takeDeviceHeads(createHeads(to), opened.heads);
  return to;
}
