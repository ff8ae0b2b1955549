import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type EnvelopeContent,
  type FormKey,
  importSigningKey,
  openEnvelope,
  RefusalError,
  sealEnvelope,
} from "@sealpost/envelope";
import { createId, createVersionSeed, encodeBase64Url, type FormId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { type CheckedList, loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
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
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { agentsOf, openActor } from "../support/envelope-actors.ts";
import { sampleEvery } from "../support/sample.ts";

// A manager who does not read a form, or no longer does, may store revisions of its envelope all the same: the service can't look inside. One that is refused
// is not the last one that he can write.

let [ada, bo, cy]: readonly PlayedPerson[] = [];
let keys: readonly FormKey[];
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  keys = await Promise.all([1, 2].map(async (version) => (await newFormKey(version)).key));
  rotated = await newFormKey(2);
});

/** Bo's part in the form before. An owner of the organization has become a manager since, and his revisions name the list of before. */
const befores = ["never a reader", "a reader", "an owner and a reader"] as const;
/** When the owner's browser has opened the form at last. */
const seens = ["after he was taken out", "before he was taken out"] as const;
const rotations = ["rotated", "not rotated"] as const;
/** How many revisions he stores. Those but the last are bytes that nobody opens, or for these readers too. */
const firsts = ["none", "one that nobody opens", "one like the last", "twenty that nobody opens"] as const;

interface Return {
  readonly was: (typeof befores)[number];
  readonly seen: (typeof seens)[number];
  readonly rotation: (typeof rotations)[number];
  readonly first: (typeof firsts)[number];
}

const returns: readonly Return[] = befores.flatMap((was) =>
  seens.flatMap((seen) => rotations.flatMap((rotation) => firsts.map((first) => ({ was, seen, rotation, first })))),
);

// `npm test` has every third, in which each state is; by a page and by the command line in turn, and in `npm run test:cases` by both.
for (const [index, one] of sampleEvery(returns, 3).entries())
  for (const agent of agentsOf(index))
    test(`a manager who was ${one.was} of a form that was ${one.rotation} since stores a revision for himself, after ${one.first}, seen ${one.seen}: he reads nothing that is sealed from then on, with the key in ${agent}`, async () => {
      assert.ok(ada && bo && cy);
      const server = playServer();
      const formId = createId("form");
      const store = createMemoryStore();
      // Where the browser has not seen that he was taken out, another one of hers did it.
      const other = openBrowser(server, ada);
      await findOrFoundList(other);
      const role = one.was === "an owner and a reader" ? "owner" : "manager";
      for (const [person, as] of [[bo, role] as const, [cy, "reader"] as const])
        server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, as) }));
      server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
      await importKeys(other, await loadCheckedList(other), formId, keys.slice(0, 1), [], "Vote");
      await changeReaders(other, [formId], {
        add: one.was === "never a reader" ? [cy.id] : [bo.id, cy.id],
        remove: [],
      });

      const adas = await openActor(agent, server, ada, rotated, store);
      await createHeads(store).advanceList(organizationId, undefined, (await loadCheckedList(other)).list.head);
      const colleague = await openActor(agent, server, ada, rotated);
      await createHeads(colleague.heads).advanceList(
        organizationId,
        undefined,
        (await loadCheckedList(other)).list.head,
      );
      await adas.open(formId);
      await colleague.open(formId);
      if (one.was !== "never a reader") await changeReaders(other, [formId], { add: [], remove: [bo.id] });
      const then = (await loadCheckedList(other)).list.head;
      if (role === "owner")
        server.list.push(
          await writeEntry(server.list.join(""), ada, { change: "replace", member: toMember(bo, "manager") }),
        );
      if (one.rotation === "rotated") assert.equal(await colleague.rotate(formId), "rotated");
      if (one.seen === "after he was taken out") await adas.open(formId);

      const listed = role === "owner" && one.rotation === "not rotated" ? then : undefined;
      const files = server.envelopes.get(1) ?? assert.fail();
      if (one.first === "one like the last") await write(server, formId, one, listed);
      const garbage = { none: 0, "one that nobody opens": 1, "one like the last": 0, "twenty that nobody opens": 20 };
      for (let count = 0; count < garbage[one.first]; count++) files.push(new Uint8Array(200));
      await write(server, formId, one, listed);

      // As the page leads an owner: what is refused is followed by what was read before. Then visitors get another key.
      const { refused } = await adas.open(formId);
      if (refused.length > 0) assert.equal(await adas.bringBack(formId), "brought", `refused (${refused})`);
      assert.deepEqual((await adas.open(formId)).refused, []);
      if (one.rotation === "not rotated") assert.equal(await adas.rotate(formId), "rotated");
      assert.match(await adas.changeReaders(formId, { add: [cy.id], remove: [] }), /changed$/);
      const { keys: held } = await adas.open(formId);
      for (const { version, fingerprint } of server.keys) assert.equal(held.get(version), fingerprint);

      const revisions = server.envelopes.get(1) ?? assert.fail();
      const { list } = await checkedList(server);
      const opens = async (file: Uint8Array<ArrayBuffer> | undefined, revision: number, person: PlayedPerson) => {
        assert.ok(file);
        const expected = { list, formId, firstVersion: 1, revision };
        return !((await openEnvelope(file, person.key.identity, expected)) instanceof RefusalError);
      };
      assert.equal(await opens(revisions.at(-1), revisions.length, cy), true, "the reader opens the newest revision");
      assert.equal(await opens(revisions.at(-1), revisions.length, bo), false, "he opens the newest revision");
    });

/** Why a colleague's device can't use what took him out. */
const unusable = {
  "by somebody who has left since, with keys that were not seen": "former_writer",
  "not for this colleague": "not_a_reader",
  withheld: "hidden_envelope",
  "with a hidden key log": "unknown_key_log",
} as const;
type Unusable = keyof typeof unusable;

for (const [index, how] of (Object.keys(unusable) as Unusable[]).entries()) // the keys of `unusable`
  for (const agent of agentsOf(index))
    test(`a manager who was taken out of a form by a revision that is ${how} stores a revision for himself: nothing is sealed for him, and the form is brought on without him, with the key in ${agent}`, async () => {
      assert.ok(ada && bo && cy);
      const server = playServer();
      const formId = createId("form");
      const [dee, eve] = await Promise.all([makePerson("Dee"), makePerson("Eve")]);
      const adas = openBrowser(server, ada);
      await findOrFoundList(adas);
      // By the one who stays, who vouches for them from then on.
      for (const [by, person, role] of [
        [ada, dee, "owner"],
        [dee, bo, "manager"],
        [dee, cy, "reader"],
        [dee, eve, "reader"],
      ] as const)
        server.list.push(await writeEntry(server.list.join(""), by, { change: "add", member: toMember(person, role) }));
      server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
      await importKeys(adas, await loadCheckedList(adas), formId, keys.slice(0, 1), [], "Vote");
      await changeReaders(adas, [formId], { add: [bo.id, cy.id, dee.id], remove: [] });
      const store = createMemoryStore();
      const { list } = await loadCheckedList(adas);
      await createHeads(store).advanceList(organizationId, undefined, list.head);
      const hasLeft = unusable[how] === "former_writer";
      const dees = await openActor(agent, server, dee, hasLeft ? await newFormKey(3) : rotated, store);
      assert.deepEqual((await dees.open(formId)).refused, []);

      const files = () => server.envelopes.get(1) ?? assert.fail();
      const read = async (person: PlayedPerson) => {
        const expected = { list, formId, firstVersion: 1, revision: files().length };
        const opened = await openEnvelope(files().at(-1) ?? assert.fail(), person.key.identity, expected);
        if (opened instanceof RefusalError) throw opened;
        return opened;
      };
      if (hasLeft) {
        const colleague = await openActor("a worker", server, ada, rotated);
        await createHeads(colleague.heads).advanceList(organizationId, undefined, list.head);
        assert.equal(await colleague.rotate(formId), "rotated");
      }
      const previous = await read(bo);
      if (unusable[how] === "unknown_key_log") {
        const parts = { list, signer: await toSigner(ada), formId, keys: [], previous };
        const keyLog = { number: 1, hash: "A".repeat(43) };
        files().push((await sealEnvelope({ ...parts, readerIds: [ada.id, cy.id, dee.id], keyLog })).file);
      } else {
        const remove = unusable[how] === "not_a_reader" ? [bo.id, dee.id] : [bo.id];
        await changeReaders(adas, [formId], { add: [], remove });
      }
      const hidden = files().length;
      if (hasLeft) {
        const removal = { change: "remove", member: { id: ada.id } } as const;
        server.list.push(await writeEntry(server.list.join(""), dee, removal));
      }
      // Two of them, with somebody else who never read the form: what is brought back is neither.
      for (let count = 0; count < 2; count++) {
        const after = { revision: files().length, hash: await hashOf(files().at(-1) ?? assert.fail()) };
        const own = { list, signer: await toSigner(bo), formId, keys: [], previous, after };
        files().push((await sealEnvelope({ ...own, readerIds: [bo.id, cy.id, dee.id, eve.id], keyLog: null })).file);
      }
      if (unusable[how] === "hidden_envelope") {
        const shown = async (_: FormId, __: number, revision = files().length) => {
          const file = revision === hidden ? undefined : files()[revision - 1];
          return file && { file, revision };
        };
        server.lies = { fetchEnvelope: shown };
      }

      const stored = files().length;
      const opened = await dees.open(formId);
      assert.deepEqual(opened.refused, ["other_previous"]);
      assert.ok(opened.keys.size > 0, "its keys open submissions");
      assert.equal(await dees.rotate(formId), "other_previous");
      assert.equal(await dees.changeReaders(formId, { add: [], remove: [cy.id] }), "other_previous");
      assert.equal(files().length, stored);

      assert.equal(await dees.bringBack(formId), "brought");
      assert.equal(await dees.changeReaders(formId, { add: [], remove: [bo.id] }), "changed");
      // The revision that was brought back lacks the version of the one who has left.
      if (hasLeft) assert.equal(await dees.rotate(formId), "lost_keys");
      const left: number[] = [];
      assert.equal(await dees.rotate(formId, ({ newer }) => void left.push(...newer)), "rotated");
      assert.deepEqual(left, hasLeft ? [2] : []);
      assert.deepEqual((await dees.open(formId)).refused, []);
      const expected = {
        list: (await loadCheckedList(openBrowser(server, dee, createHeads(store)))).list,
        ...{ formId, firstVersion: 1, revision: files().length },
      };
      const opens = async (person: PlayedPerson) =>
        !((await openEnvelope(files().at(-1) ?? assert.fail(), person.key.identity, expected)) instanceof RefusalError);
      const reads = await Promise.all([cy, dee, bo, eve].map(opens));
      assert.deepEqual(reads, [true, true, false, false]);
    });

/** The next revision, for himself and in his own name, with all the keys that he has. */
async function write(
  server: PlayedServer,
  formId: FormId,
  { was }: Return,
  listed?: EnvelopeContent["list"],
): Promise<void> {
  assert.ok(ada && bo && cy);
  const files = server.envelopes.get(1) ?? assert.fail();
  const { list } = await checkedList(server);
  const key = was === "never a reader" ? keys[1] : keys[0];
  assert.ok(key);
  const readers = [ada, bo, cy].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const honest = await openEnvelope(files[1] ?? assert.fail(), ada.key.identity, {
    ...{ list, formId, firstVersion: 1, revision: 2 },
  });
  if (honest instanceof RefusalError) throw honest;
  const known = was === "never a reader" ? [{ ...key, seed: createVersionSeed() }] : honest.content.keys;
  const content: EnvelopeContent = {
    ...honest.content,
    revision: files.length + 1,
    previous: await hashOf(files.at(-1) ?? assert.fail()),
    list: listed ?? list.head,
    keys: known,
    readers: await Promise.all(
      readers.map(async ({ id, key: { recipient } }) => ({
        id,
        fingerprint: await hashOf(new TextEncoder().encode(recipient)),
        by: bo?.id ?? "",
      })),
    ),
    signedBy: bo.id,
  };
  const text = await signLine(
    "sealpost-envelope/1",
    JSON.stringify(content),
    await importSigningKey(bo.key.signingSeed),
  );
  files.push(
    await encryptTo(
      readers.map(({ key: { recipient } }) => recipient),
      text,
    ),
  );
}

async function checkedList(server: PlayedServer): Promise<CheckedList> {
  assert.ok(ada);
  return loadCheckedList(openBrowser(server, ada));
}

async function hashOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", file)));
}
