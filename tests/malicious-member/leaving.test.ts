import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  answerAdmission,
  type Change,
  createAdmission,
  findSealable,
  findUnvouched,
  formatPersonalKey,
  generatePersonalKey,
  type NewMember,
  openAdmission,
  openEnvelope,
  type PersonalKey,
  RefusalError,
  toConfirmed,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { createEnvelopeWriter } from "@sealpost/sdk/envelopes";
import { createId, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
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
import { toClient } from "../support/envelope-actors.ts";
import { oneKeyStore } from "../support/one-key-store.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";

// Row B5 of the findings on 6a710908, "who leaves reads on", shown by leaver.test.ts: a manager brings in a key of his own and makes it a reader. The owner removes him, and nobody
// has to notice the key.

let [ada, bo, cy, spare]: readonly PlayedPerson[] = [];

before(async () => {
  [ada, bo, cy, spare] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy"), makePerson("Cy")]);
});

interface World {
  readonly server: PlayedServer;
  readonly browser: EnvelopeContext;
  readonly formId: FormId;
  /** The identity that the manager keeps. */
  readonly kept: string;
  /** The id under which it is in the list. */
  readonly keptId: string;
}

type Attack = (people: Readonly<Record<"ada" | "bo" | "cy" | "spare", PlayedPerson>>) => Promise<{
  readonly change: Change;
  readonly kept: string;
  readonly keptId: string;
}>;

/** All ways in which a manager may put a key into a list by the table of roles. */
const attacks: Readonly<Record<string, Attack>> = {
  "a program with a key of his own": async () => {
    const { recipient, identity } = await generatePersonalKey();
    const member = { id: createId("account"), name: "Reports", role: "program", recipient, signingKey: null } as const;
    return { change: { change: "add", member }, kept: identity, keptId: member.id };
  },
  "a reader whose key he has replaced by his own": async ({ cy, spare }) => ({
    change: { change: "replace", member: { ...toMember({ ...cy, key: spare.key }, "reader") } },
    kept: spare.key.identity,
    keptId: cy.id,
  }),
  "a made-up reader": async ({ spare }) => ({
    change: { change: "add", member: toMember(spare, "reader") },
    kept: spare.key.identity,
    keptId: spare.id,
  }),
};

async function setUp(attack: Attack): Promise<World> {
  if (!ada || !bo || !cy || !spare) throw new Error("Nobody is there");
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  await change(server, ada, { change: "add", member: toMember(bo, "manager") });
  await change(server, ada, { change: "add", member: toMember(cy, "reader") });
  const formId = createId("form");
  const { pair, key } = await newFormKey(1);
  const form = { formId, name: "Hotline", settings: { encryption: true, piiStrip: false }, publicKey: pair.publicKey };
  await createFormWithEnvelope(browser, await load(browser), form, key);
  assert.deepEqual(await sweep(browser, formId, [bo.id]), ["changed"]);
  // The manager's own browser does what a dishonest one would: his key reads, and nobody else needs to do anything.
  const { change: entry, kept, keptId } = await attack({ ada, bo, cy, spare });
  await change(server, bo, entry);
  const own = openBrowser(server, bo);
  await own.heads.advanceList(organizationId, undefined, (await load(browser)).list.head);
  assert.deepEqual(await sweep(own, formId, [keptId]), ["changed"]);
  return { server, browser, formId, kept, keptId };
}

async function change(server: PlayedServer, signer: PlayedPerson, entry: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), signer, entry));
}

async function load(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  return list.kind === "checked" ? list : assert.fail(list.kind);
}

async function sweep(context: EnvelopeContext, formId: FormId, add: readonly string[], remove: readonly string[] = []) {
  const swept = await changeReaders(context, [formId], { add, remove });
  return swept.map((one) => (one.kind === "failed" ? one.failure : one.kind));
}

async function rotate(context: EnvelopeContext, formId: FormId): Promise<void> {
  const opened = await openForm(context, formId);
  if (opened.kind !== "opened" || opened.list.kind !== "checked") throw new Error(opened.kind);
  const previous = opened.envelopes[0] ?? assert.fail();
  const { pair, key } = await newFormKey(2);
  const rotation = { keyVersion: 2, publicKey: pair.publicKey };
  const stored = await rotateAsShown(context, opened.list, formId, rotation, { key, previous });
  assert.equal(stored.kind, "read");
}

/** Whether the identity opens the newest revision, by the list as anybody has it. */
async function opensNewest({ server, formId, browser }: World, identity: string): Promise<boolean> {
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const file = revisions.at(-1) ?? assert.fail();
  const { list } = await load(browser);
  const opened = await openEnvelope(file, identity, { list, formId, firstVersion: 1, revision: revisions.length });
  if (!(opened instanceof RefusalError)) return true;
  assert.equal(opened.reason, "not_a_reader");
  return false;
}

async function openCommandLine(
  { server }: Pick<World, "server">,
  { key }: PlayedPerson,
  seen: VerifiedList,
  former: readonly PersonalKey[] = [],
) {
  const heads = createMemoryStore();
  await heads.change(`list ${organizationId}`, () => seen.head);
  return createEnvelopeWriter({
    client: toClient(server),
    identity: formatPersonalKey(key),
    heads: oneKeyStore(heads),
    former,
  });
}

for (const [name, attack] of Object.entries(attacks)) {
  test(`B5: after a manager was removed, ${name} opens nothing that is sealed from then on, by the dashboard or the command line`, async () => {
    if (!ada || !bo) throw new Error("Nobody is there");
    for (const writer of ["dashboard", "command line"]) {
      const world = await setUp(attack);
      assert.equal(await opensNewest(world, world.kept), true, "it reads while he is there");
      const commandLine = await openCommandLine(world, ada, (await load(world.browser)).list);
      await commandLine.openWhole(world.formId);
      await change(world.server, ada, { change: "remove", member: { id: bo.id } });
      if (writer === "dashboard") {
        assert.deepEqual(await sweep(world.browser, world.formId, [], [bo.id]), ["changed"]);
        await rotate(world.browser, world.formId);
      } else {
        // Row B6, shown by manager.test.ts: what was seen before counts as seen, though its writer has left.
        const rotated = await commandLine.rotateForm(world.formId);
        assert.equal(rotated.keyVersion, 2);
      }
      assert.equal(await opensNewest(world, world.kept), false, writer);
      assert.equal(await opensNewest(world, ada.key.identity), true);
      // Asked for by name, it gets nothing either.
      const adding = writer === "dashboard" ? await sweep(world.browser, world.formId, [world.keptId]) : undefined;
      if (adding !== undefined) assert.deepEqual(adding, [{ kind: "envelope", reason: "unconfirmed" }]);
      else
        await assert.rejects(commandLine.changeReaders(world.formId, { add: [world.keptId], remove: [] }), {
          problem: "unconfirmed",
        });
    }
  });

  test(`B5: before a manager is removed, the remover sees ${name}, under him`, async () => {
    if (!ada || !bo) throw new Error("Nobody is there");
    const { browser, keptId } = await setUp(attack);
    const { list } = await load(browser);
    assert.deepEqual(await findUnvouched(list, { own: ada.key }), []);
    const rows = await findUnvouched(list, { own: ada.key }, [{ change: "remove", member: { id: bo.id } }]);
    assert.deepEqual(
      rows.map(({ member, depth }) => [member.id, depth]),
      [[keptId, 0]],
    );
  });
}

/** Entries of an owner that end what a member was, and that a manager undoes. */
const undone: Readonly<Record<string, (member: NewMember) => Promise<Change>>> = {
  removed: async ({ id }) => ({ change: "remove", member: { id } }),
  "took the role of": async (member) => ({ change: "replace", member: { ...member, role: "auditor" } }),
  "replaced the key of": async (member) => {
    const { recipient, signingKey } = await generatePersonalKey();
    return { change: "replace", member: { ...member, recipient, signingKey: member.signingKey && signingKey } };
  },
};

for (const [name, attack] of Object.entries(attacks))
  for (const [how, undo] of Object.entries(undone)) {
    // A program has no other role.
    if (name.startsWith("a program") && how === "took the role of") continue;
    test(`B5: who confirmed ${name} once, and ${how} it, is asked again after a manager made it what it was and left`, async () => {
      if (!ada || !bo) throw new Error("Nobody is there");
      const { server, browser, keptId } = await setUp(attack);
      const { list } = await load(browser);
      const member = list.members.get(keptId) ?? assert.fail();
      await browser.heads.confirm(organizationId, [await toConfirmed(list, member)]);
      const { id, name: signed, role, recipient, signingKey } = member;
      const known = { id, name: signed, role, recipient, signingKey };
      const taken = await undo(known);
      await change(server, ada, taken);
      await change(server, bo, { change: taken.change === "remove" ? "add" : "replace", member: known });
      await change(server, ada, { change: "remove", member: { id: bo.id } });
      const now = await load(browser);
      assert.equal(now.sealable.has(keptId), false);
      const [row] = await findUnvouched(now.list, { own: ada.key, confirmed: now.confirmed });
      assert.equal(row?.member.id, keptId);
      await browser.heads.confirm(organizationId, [await toConfirmed(now.list, row?.member ?? member)]);
      assert.equal((await load(browser)).sealable.has(keptId), true, "a person may say it again");
    });
  }

test("B6: keys that a former writer has put there, and that this machine has never seen, are carried on by no rotation, the second one neither", async () => {
  if (!ada || !bo) throw new Error("Nobody is there");
  const world = await setUp(attacks["a made-up reader"] ?? assert.fail());
  await change(world.server, ada, { change: "remove", member: { id: bo.id } });
  const commandLine = await openCommandLine(world, ada, (await load(world.browser)).list);
  for (const _ of [1, 2]) await assert.rejects(commandLine.rotateForm(world.formId), { problem: "former_writer" });
});

test("B6: keys that the person's own former key has put there, and that this machine has never seen, are carried on by no rotation", async () => {
  if (!ada) throw new Error("Nobody is there");
  const world = await setUp(attacks["a made-up reader"] ?? assert.fail());
  await rotate(world.browser, world.formId);
  const { list } = await load(world.browser);
  const next = { ...ada, key: { ...(await generatePersonalKey()), former: [] } };
  await change(world.server, ada, { change: "replace", member: toMember(next, "owner") });
  const commandLine = await openCommandLine(world, next, list, [ada.key]);
  await assert.rejects(commandLine.rotateForm(world.formId), { problem: "former_writer" });
});

test("B5: a member whom the owner vouches for reads on after the manager who brought them in has left", async () => {
  if (!ada || !bo || !spare) throw new Error("Nobody is there");
  const world = await setUp(attacks["a made-up reader"] ?? assert.fail());
  // Seen while he was a manager.
  await openForm(world.browser, world.formId);
  await change(world.server, ada, { change: "remove", member: { id: bo.id } });
  await change(world.server, ada, { change: "vouch", members: [spare.id] });
  assert.deepEqual(await sweep(world.browser, world.formId, []), ["changed"]);
  await rotate(world.browser, world.formId);
  assert.equal(await opensNewest(world, spare.key.identity), true);
  assert.equal(await opensNewest(world, bo.key.identity), false);
});

test("B5: after the founder has left, a manager who has confirmed the other owner rotates for both, and for nobody else", async () => {
  if (!ada || !bo || !cy || !spare) throw new Error("Nobody is there");
  const world = await setUp(attacks["a program with a key of his own"] ?? assert.fail());
  const { server, formId } = world;
  await change(server, ada, { change: "add", member: toMember(spare, "owner") });
  await change(server, spare, { change: "remove", member: { id: ada.id } });
  const own = openBrowser(server, bo);
  const known = await verifyList(new TextEncoder().encode(server.list.join("")), {
    organizationId,
    trust: { signingKey: bo.key.signingKey },
  });
  if (known instanceof RefusalError) throw known;
  await own.heads.advanceList(organizationId, undefined, known.head);
  const before = await load(own);
  assert.deepEqual([...before.sealable].sort(), [bo.id, world.keptId].sort());
  const member = known.members.get(spare.id) ?? assert.fail();
  await own.heads.confirm(organizationId, [await toConfirmed(known, member)]);
  assert.deepEqual([...(await load(own)).sealable].sort(), [bo.id, spare.id, world.keptId].sort());
  assert.deepEqual(await sweep(own, formId, [spare.id]), ["changed"]);
  // With another key they are strangers again.
  const other = await generatePersonalKey();
  await change(server, spare, {
    change: "replace",
    member: { ...member, recipient: other.recipient, signingKey: other.signingKey },
  });
  assert.equal((await load(own)).sealable.has(spare.id), false);
});

test("B5: an owner who was let in by somebody who was removed since is sealed for by nobody", async () => {
  if (!ada || !bo || !cy || !spare) throw new Error("Nobody is there");
  const server = playServer();
  await change(server, ada, { change: "add", member: toMember(ada) });
  await change(server, ada, { change: "add", member: toMember(bo) });
  await change(server, ada, { change: "add", member: toMember(cy, "manager") });
  await change(server, bo, { change: "add", member: toMember(spare) });
  const signed = { organizationId, trust: { signingKey: ada.key.signingKey } };
  const verify = async () => {
    const list = await verifyList(new TextEncoder().encode(server.list.join("")), signed);
    return list instanceof RefusalError ? assert.fail(list.reason) : list;
  };
  const sealable = async (list: VerifiedList) =>
    [...(await findSealable(list, { own: cy?.key ?? assert.fail() }))].sort();
  assert.deepEqual(await sealable(await verify()), [ada.id, bo.id, cy.id, spare.id].sort());
  await change(server, ada, { change: "remove", member: { id: bo.id } });
  assert.deepEqual(await sealable(await verify()), [ada.id, cy.id].sort());
});

for (const role of ["owner", "manager", "recovery"] as const)
  for (const by of ["another owner", "themself"] as const)
    for (const isFounder of [false, true])
      test(`an owner, ${isFounder ? "the founder" : "and not the founder"}, who is made a manager by ${by}, has no reach left by a member with the role ${role} whom they had let in: they are shown before, nothing is sealed for them on any other device, and readers stay`, async () => {
        if (!ada || !bo || !cy || !spare) throw new Error("Nobody is there");
        const server = playServer();
        const [lowered, other] = isFounder ? [ada, bo] : [bo, ada];
        await change(server, ada, { change: "add", member: toMember(ada) });
        await change(server, ada, { change: "add", member: toMember(bo) });
        const reader = await makePerson("Dee");
        await change(server, lowered, { change: "add", member: { ...toMember(spare), role } });
        await change(server, lowered, { change: "add", member: toMember(reader, "reader") });
        const verify = async () => {
          const signed = { organizationId, trust: { signingKey: ada?.key.signingKey ?? "" } };
          const list = await verifyList(new TextEncoder().encode(server.list.join("")), signed);
          return list instanceof RefusalError ? assert.fail(list.reason) : list;
        };
        const before = await verify();
        assert.equal((await findSealable(before, { own: other.key })).has(spare.id), true);
        const lowering = { change: "replace", member: toMember(lowered, "manager") } as const;
        const rows = await findUnvouched(before, { own: other.key }, [lowering]);
        // Through a founder who is one no longer nobody is vouched for, until somebody vouches for them.
        const expected = isFounder ? [lowered.id, spare.id, reader.id] : [spare.id];
        assert.deepEqual(rows.map(({ member }) => member.id).toSorted(), expected.toSorted());
        await change(server, by === "themself" ? lowered : other, lowering);
        const after = await verify();
        const sealable = await findSealable(after, { own: other.key });
        assert.deepEqual([sealable.has(spare.id), sealable.has(other.id)], [false, true]);
        // As somebody new learns it who has confirmed the two.
        const confirmed = [lowered, other].map(({ id }) => after.members.get(id) ?? assert.fail());
        const standing = { own: cy.key, confirmed: await Promise.all(confirmed.map((one) => toConfirmed(after, one))) };
        const elsewhere = await findSealable(after, standing);
        assert.deepEqual([elsewhere.has(spare.id), elsewhere.has(reader.id)], [false, true]);
      });

for (const [how, { change: entry }] of Object.entries({
  "was removed": { change: ({ id }: PlayedPerson) => ({ change: "remove", member: { id } }) as const },
  "was made a manager": {
    change: (person: PlayedPerson) => ({ change: "replace", member: toMember(person, "manager") }) as const,
  },
  "lost the signing key": {
    change: (person: PlayedPerson) =>
      ({ change: "replace", member: toMember({ ...person, key: spare?.key ?? assert.fail() }) }) as const,
  },
}))
  for (const role of ["owner", "manager"] as const)
    test(`a member with the role ${role}, let in by an owner who ${how} since, can finish an admission, and nothing is sealed for its person until somebody who stays vouches for one of the two`, async () => {
      if (!ada || !bo || !cy) throw new Error("Nobody is there");
      const server = playServer();
      const [browser, zoe] = [openBrowser(server, ada), await makePerson("Zoe")];
      await findOrFoundList(browser);
      await change(server, ada, { change: "add", member: toMember(bo) });
      await change(server, bo, { change: "add", member: toMember(cy, role) });
      const signer = await toSigner(ada);
      const person = { person: zoe.id, email: "zoe@example.org", name: "Zoe", role: "reader" } as const;
      const make = async () => {
        const { list } = await load(browser);
        const { terms, link } = await createAdmission({ list, signer, ...person });
        return { terms, answer: await answerAdmission(terms, link, zoe.id, zoe.key) };
      };
      const finish = async ({ terms, answer }: Awaited<ReturnType<typeof make>>) =>
        openAdmission(terms, answer, { list: (await load(browser)).list, finisherId: cy?.id ?? "" });
      const before = await make();
      await change(server, ada, entry(bo));
      const first = await finish(before);
      // A right that was taken from anybody ends each link that adds somebody.
      const isEnded = how !== "lost the signing key";
      assert.equal(first instanceof RefusalError ? first.reason : "opened", isEnded ? "used" : "opened");
      const opened = isEnded ? await finish(await make()) : first;
      if (opened instanceof RefusalError) assert.fail(opened.reason);
      assert.equal(opened.change.member.recipient, zoe.key.recipient, "nobody else's key");
      await change(server, cy, opened.change);
      const isSealedFor = async () =>
        (await findSealable((await load(browser)).list, { own: browser.own })).has(zoe.id);
      assert.equal(await isSealedFor(), false);
      const { list: joined } = await load(browser);
      const confirmed = [await toConfirmed(joined, joined.members.get(cy.id) ?? assert.fail())];
      assert.equal((await findSealable(joined, { own: browser.own, confirmed })).has(zoe.id), true, "confirmed here");
      await change(server, ada, { change: "vouch", members: [cy.id] });
      assert.equal(await isSealedFor(), true, "once vouched for");
    });
