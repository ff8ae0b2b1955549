import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type Change,
  type FormKey,
  openEnvelope,
  RefusalError,
  readEnvelopeWithoutList,
  sealEnvelope,
} from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { findExposed } from "../../packages/dashboard/src/envelopes/find-exposed.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { findUnfinished } from "../../packages/dashboard/src/envelopes/unfinished.ts";
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
import { agentsOf, openActor } from "../support/envelope-actors.ts";
import { isWhole, samplePairs } from "../support/sample.ts";

// An owner takes a reader out of the list, or a stolen key. Somebody who does not read the form lets them in again, with the same id and key, before any of its
// readers looks at the list: nobody who reads the form has said that they read on.

let [ada, hana, bo, cy, spare]: readonly PlayedPerson[] = [];
let first: FormKey;
let last: FormKey;
let second: Awaited<ReturnType<typeof newFormKey>>;
let further: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, hana, bo, cy, spare] = await Promise.all(["Ada", "Hana", "Bo", "Cy", "Cy"].map(makePerson));
  [first, last] = (await Promise.all([newFormKey(1), newFormKey(32)])).map(({ key }) => key) as [FormKey, FormKey];
  [second, further] = await Promise.all([newFormKey(2), newFormKey(33)]);
});

type Role = "owner" | "manager" | "reader";
type Taking = (person: PlayedPerson, role: Role) => readonly [taken: Change, back: Change];

/** How the list says that somebody reads no longer, and that they do again. */
const takings: Readonly<Record<string, Taking>> = {
  "is removed": (person, role) => [
    { change: "remove", member: { id: person.id } },
    { change: "add", member: toMember(person, role) },
  ],
  "becomes an auditor": (person, role) => [
    { change: "replace", member: { ...toMember(person, role), role: "auditor" } },
    { change: "replace", member: toMember(person, role) },
  ],
  "loses a stolen key": (person, role) => [
    { change: "replace", member: toMember({ ...person, key: spare?.key ?? assert.fail() }, role) },
    { change: "replace", member: toMember(person, role) },
  ],
};

/** The next act of a reader of the form. `key`: the version that the form has. */
const acts = {
  "looks through the forms": { key: 1, act: "changeReaders" },
  rotates: { key: 1, act: "rotate" },
  "rotates to a version of the next envelope": { key: 32, act: "rotate" },
  "brings the envelope back": { key: 1, act: "bringBack" },
} as const;
type ActName = keyof typeof acts;

async function play(version: number) {
  assert.ok(ada && hana && bo && cy);
  const server = playServer();
  const formId = createId("form");
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  const write = async (by: PlayedPerson, change: Change) => {
    server.list.push(await writeEntry(server.list.join(""), by, change));
  };
  for (const [person, role] of [[hana, "manager"] as const, [bo, "manager"] as const, [cy, "reader"] as const])
    await write(ada, { change: "add", member: toMember(person, role) });
  const { head } = (await loadCheckedList(adas)).list;
  const browserOf = async (person: PlayedPerson, store = createMemoryStore()) => {
    await createHeads(store).advanceList(organizationId, undefined, head);
    return { store, browser: { ...openBrowser(server, person, createHeads(store)), isOwner: person === ada } };
  };
  const { store, browser } = await browserOf(hana);
  const key = version === 1 ? first : last;
  server.keys.push({ version, fingerprint: key.fingerprint });
  await importKeys(browser, await loadCheckedList(browser), formId, [key], [], "Vote");
  await changeReaders(browser, [formId], { add: [cy.id], remove: [] });
  return { server, formId, write, store, browser, browserOf };
}

type World = Awaited<ReturnType<typeof play>>;

async function opens({ server }: Pick<World, "server">, { key: { identity } }: PlayedPerson) {
  const files = server.envelopes.get(Math.max(...server.envelopes.keys())) ?? assert.fail();
  const opened = await readEnvelopeWithoutList(files.at(-1) ?? assert.fail(), identity);
  return opened instanceof RefusalError ? opened.reason : "opened";
}

for (const [index, [how, what]] of samplePairs(
  Object.keys(takings),
  Object.keys(acts) as ActName[], // the keys of `acts`
).entries())
  for (const by of isWhole ? (["a manager", "an owner"] as const) : ([index % 2 ? "an owner" : "a manager"] as const))
    for (const agent of agentsOf(index))
      test(`a reader who ${how}, and whom ${by} lets in again who does not read the form, reads nothing more once a reader of it ${what}, until that one adds them, with the key in ${agent}`, async () => {
        assert.ok(ada && hana && bo && cy);
        const { key, act } = acts[what];
        const world = await play(key);
        const { server, formId, write, store, browser } = world;
        const [taken, back] = takings[how]?.(cy, "reader") ?? assert.fail();
        await write(ada, taken);
        await write(by === "an owner" ? ada : bo, back);

        const hanas = await openActor(agent, server, hana, key === 1 ? second : further, store);
        const before = await openForm(browser, formId);
        assert.ok(before.kind === "opened");
        for (const { outdated } of before.envelopes) assert.deepEqual(outdated, [cy.id], "named");
        if (act === "bringBack") server.envelopes.get(1)?.push(new Uint8Array(200));
        const done = { changeReaders: /^(un)?changed$/, rotate: /^rotated$/, bringBack: /^brought$/ }[act];
        const isKey = how === "loses a stolen key";
        if (act === "changeReaders") {
          const outcome = await hanas.changeReaders(formId, { add: [], remove: [], accept: isKey ? [] : [cy.id] });
          assert.equal(outcome, isKey ? "unchanged" : "changed", "a key waits for somebody's word");
          if (isKey) assert.equal(await hanas.rotate(formId), "rotated");
        } else assert.match(await hanas[act](formId), done);
        assert.equal(await opens(world, cy), "not_a_reader");

        assert.equal(await hanas.changeReaders(formId, { add: [cy.id], remove: [] }), "changed");
        assert.equal(await opens(world, cy), "opened");
        const after = await openForm(browser, formId);
        assert.ok(after.kind === "opened");
        for (const { head, outdated } of after.envelopes) {
          assert.equal(
            head.readers.find(({ id }) => id === cy?.id)?.by,
            hana.id,
            "in the name of the one who added them",
          );
          assert.deepEqual(outdated, []);
        }
      });

for (const how of Object.keys(takings))
  test(`a browser asks to look through the forms after a reader ${how} and is let in again, and names the forms whose key they have`, async () => {
    assert.ok(ada && bo && cy);
    const { formId, write, browser } = await play(1);
    const { list } = await loadCheckedList(browser);
    await browser.heads.rememberSwept(organizationId, list.head);
    const [taken, back] = takings[how]?.(cy, "reader") ?? assert.fail();
    await write(ada, taken);
    await write(bo, back);
    const now = await loadCheckedList(browser);
    assert.equal((await findUnfinished(browser, now, [])).isToCheck, true);
    const opened = await openForm(browser, formId);
    assert.ok(opened.kind === "opened");
    const exposed = await findExposed(browser, now, formId, opened.envelopes);
    assert.deepEqual(exposed, how === "loses a stolen key" ? [] : [cy.id]);
    await changeReaders(browser, [formId], { add: [cy.id], remove: [] });
    const again = await openForm(browser, formId);
    assert.ok(again.kind === "opened");
    assert.deepEqual(
      await findExposed(browser, now, formId, again.envelopes),
      [],
      "who reads again is let in by a reader",
    );
  });

for (const how of Object.keys(takings))
  test(`a manager who ${how}, and whom an owner lets in again who does not read the form, writes nothing for its readers`, async () => {
    assert.ok(ada && hana && bo);
    const { server, formId, write, browser, browserOf } = await play(1);
    await changeReaders(browser, [formId], { add: [bo.id], remove: [] });
    const { browser: bos } = await browserOf(bo);
    const file = server.envelopes.get(1)?.at(-1) ?? assert.fail();
    const expected = { formId, firstVersion: 1, revision: 3, list: (await loadCheckedList(bos)).list };
    const previous = await openEnvelope(file, bo.key.identity, expected);
    assert.ok(!(previous instanceof RefusalError));
    const [taken, back] = takings[how]?.(bo, "manager") ?? assert.fail();
    await write(ada, taken);
    await write(ada, back);
    const { list } = await loadCheckedList(browser);
    const parts = { list, signer: await toSigner(bo), formId, keys: [], previous, readerIds: [bo.id, hana.id] };
    await assert.rejects(sealEnvelope(parts), { reason: "taken_out" });
    // One whose client does not ask.
    server.envelopes.get(1)?.push((await sealEnvelope({ ...parts, after: previous.head })).file);
    const opened = await openForm(browser, formId);
    assert.ok(opened.kind === "opened");
    assert.deepEqual(
      opened.refused.map(({ reason }) => reason),
      ["not_allowed"],
    );
  });
