import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Change,
  deriveRecoveryKey,
  findSealable,
  findUnintroduced,
  generatePersonalKey,
  mayChange,
  type NewMember,
  openEnvelope,
  RefusalError,
  verifyList,
} from "@sealpost/envelope";
import { createId, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { findBroughtIn, signOver } from "../../packages/dashboard/src/envelopes/sign-over.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders, type ReaderChange } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type Actor, type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";

// Somebody had the open key of an owner or manager once, and has signed with it. Its person then gets another one.

type Role = NewMember["role"];

interface World {
  readonly server: PlayedServer;
  readonly founder: PlayedPerson;
  readonly victim: PlayedPerson;
  /** A reader whom the victim has brought in herself. */
  readonly cy: PlayedPerson;
  /** Brought in by the founder, with a role that reads nothing. */
  readonly rob: PlayedPerson;
  /** Brought in by a manager who was removed since: nobody vouches for them. */
  readonly stray: PlayedPerson;
  readonly paper: PlayedPerson;
  readonly formId: FormId;
  readonly founderHeads: ReturnType<typeof createMemoryStore>;
  readonly victimHeads: ReturnType<typeof createMemoryStore>;
  readonly browser: EnvelopeContext;
}

async function makePaper(): Promise<PlayedPerson> {
  const made = await generatePersonalKey();
  return {
    id: createId("account"),
    name: "Paper",
    key: { ...made, ...(await deriveRecoveryKey(made.identity)), former: [] },
  };
}

const [founder, victim, cy, rob, stray, mallory, thief, paper] = await Promise.all([
  ...["Ada", "Vi", "Cy", "Rob", "Stray", "Mallory", "Thief"].map(makePerson),
  makePaper(),
] as const);
if (!founder || !victim || !cy || !rob || !stray || !mallory || !thief || !paper) throw new Error("Nobody is there");
const [pair, second] = [await newFormKey(1), await newFormKey(2)];

async function setUp(role: "owner" | "manager"): Promise<World> {
  const people = { founder, victim, cy, rob, stray, paper } as Record<string, PlayedPerson> as unknown as World;
  const server = playServer();
  const founderHeads = createMemoryStore();
  const ada = openBrowser(server, people.founder, createHeads(founderHeads));
  await findOrFoundList(ada);
  const world = { ...people, server, formId: createId("form") };
  const change = (signer: PlayedPerson | undefined, entry: Change) => sign(server, signer, entry);
  await change(founder, { change: "add", member: { ...toMember(people.victim), role } });
  await change(founder, { change: "add", member: { ...toMember(people.paper), role: "recovery" } });
  await change(victim, { change: "add", member: toMember(people.cy, "reader") });
  await change(founder, { change: "add", member: { ...toMember(people.rob), role: "auditor" } });
  await change(founder, { change: "add", member: toMember(mallory ?? assert.fail(), "manager") });
  await change(mallory, { change: "add", member: toMember(people.stray, "reader") });
  await change(founder, { change: "remove", member: { id: mallory?.id ?? "" } });
  const { formId } = world;
  const form = {
    formId,
    name: "Hotline",
    settings: { encryption: true, piiStrip: false },
    publicKey: pair.pair.publicKey,
  };
  await createFormWithEnvelope(ada, await loadCheckedList(ada), form, pair.key);
  assert.deepEqual(await sweep(ada, formId, { add: [people.victim.id], remove: [] }), ["changed"]);
  const victimHeads = createMemoryStore();
  const browser = openBrowser(server, people.victim, createHeads(victimHeads));
  await browser.heads.advanceList(organizationId, undefined, (await loadCheckedList(ada)).list.head);
  assert.deepEqual(await sweep(browser, formId, { add: [people.cy.id], remove: [] }), ["changed"]);
  return { ...world, founderHeads, victimHeads, browser };
}

async function sign(server: PlayedServer, signer: PlayedPerson | undefined, entry: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), signer ?? assert.fail(), entry));
}

async function sweep(context: EnvelopeContext, formId: FormId, change: ReaderChange) {
  const swept = await changeReaders(context, [formId], change);
  return swept.map((one) => (one.kind === "failed" ? one.failure : one.kind));
}

interface Theft {
  readonly entry: Change;
  /** The person whose key the thief has, or who is with the thief. */
  readonly reads: PlayedPerson;
  /** The member's role before and after the entry, for the table of roles. */
  readonly before: Role | undefined;
  readonly after: Role;
}

const added = (role: Role): Theft => ({
  entry: {
    change: "add",
    member: { ...toMember(thief), role, signingKey: role === "program" ? null : thief.key.signingKey },
  },
  ...{ reads: thief, before: undefined, after: role },
});

/** Everything that the key of an owner or manager can do to have somebody sealed for. */
const thefts: Readonly<Record<string, Theft>> = {
  ...Object.fromEntries(
    (["reader", "program", "manager", "owner", "recovery"] as const).map((role) => [`a new ${role}`, added(role)]),
  ),
  "a reader with a key of the thief": {
    entry: { change: "replace", member: toMember({ ...cy, key: thief.key }, "reader") },
    ...{ reads: { ...thief, id: cy.id }, before: "reader", after: "reader" },
  },
  "an auditor who became a reader": {
    entry: { change: "replace", member: toMember(rob, "reader") },
    ...{ reads: rob, before: "auditor", after: "reader" },
  },
  "an auditor who became a manager": {
    entry: { change: "replace", member: toMember(rob, "manager") },
    ...{ reads: rob, before: "auditor", after: "manager" },
  },
  "a reader for whom nobody vouched": {
    entry: { change: "vouch", members: [stray.id] },
    ...{ reads: stray, before: "reader", after: "reader" },
  },
};

type Victim = "owner" | "manager";

/** How the person gets another key. Gives her with it. */
const replacements: Readonly<Record<string, (world: World, claimed: readonly string[]) => Promise<PlayedPerson>>> = {
  async "the person herself"(world, claimed) {
    const next = await withNewKey(world.victim);
    const browser = openBrowser(world.server, next, createHeads(world.victimHeads));
    const { rows } = await findBroughtIn(browser);
    const outcome = await signOver(
      browser,
      rows.filter(({ member }) => claimed.includes(member.id)),
    );
    assert.equal(outcome.kind, "checked");
    return next;
  },
  async "a colleague"({ server, victim }) {
    const next = await withNewKey(victim);
    await sign(server, founder, { change: "replace", member: toMember(next) });
    return next;
  },
  async "her sheets"({ server, victim, paper }) {
    const next = await withNewKey(victim);
    await sign(server, paper, { change: "replace", member: toMember(next) });
    return next;
  },
};

async function withNewKey({ key, ...person }: PlayedPerson): Promise<PlayedPerson> {
  const { former: _, ...before } = key;
  return { ...person, key: { ...(await generatePersonalKey()), former: [before] } };
}

function mayDo(victim: Victim, { before, after }: Theft): boolean {
  const one = (role: Role) => ({ id: role, role, recipient: "", signingKey: null });
  return mayChange(one(victim), before && { ...one(before), id: "" }, { ...one(after), id: "" });
}

async function opensNewest({ server, formId }: World, identity: string): Promise<boolean> {
  const list = await verifyList(new TextEncoder().encode(server.list.join("")), {
    organizationId,
    trust: { signingKey: founder?.key.signingKey ?? "" },
  });
  if (list instanceof RefusalError) throw list;
  const revisions = server.envelopes.get(1) ?? [];
  const file = revisions.at(-1) ?? assert.fail();
  const opened = await openEnvelope(file, identity, { list, formId, firstVersion: 1, revision: revisions.length });
  if (opened instanceof RefusalError && opened.reason !== "not_a_reader") throw opened;
  return !(opened instanceof RefusalError);
}

/** The thief signs, and puts whom it is about into the form; the founder's device has opened that. */
async function steal(role: Victim, theft: Theft, agent: AgentName): Promise<{ world: World; ada: Actor }> {
  const world = await setUp(role);
  await sign(world.server, world.victim, theft.entry);
  const swept = await sweep(world.browser, world.formId, { add: [theft.reads.id], remove: [] });
  assert.deepEqual(swept, ["changed"]);
  assert.equal(await opensNewest(world, theft.reads.key.identity), true, "it reads while nobody knows");
  const ada = await openActor(agent, world.server, world.founder, second, world.founderHeads);
  assert.deepEqual((await ada.open(world.formId)).refused, []);
  return { world, ada };
}

for (const role of ["owner", "manager"] as const)
  for (const [index, [what, theft]] of Object.entries(thefts)
    .filter(([, one]) => mayDo(role, one))
    .entries())
    for (const [who, replace] of Object.entries(replacements))
      for (const agent of agentsOf(index))
        test(`${what}, brought in with the stolen key of ${role === "owner" ? "an owner" : "a manager"}, is sealed for by nobody who writes in ${agent} after ${who} has replaced it`, async () => {
          const { world, ada } = await steal(role, theft, agent);
          const { server, formId } = world;
          const isOfThief = theft.reads.id === cy.id;
          const next = await replace(world, isOfThief ? [] : [cy.id]);
          const refused = theft.after === "recovery" ? "unconfirmed" : undefined;
          const isHerself = who === "the person herself";
          const hers = await openActor(agent, server, next, await newFormKey(3), world.victimHeads);
          const isSealedFor = () => opensNewest(world, theft.reads.key.identity);
          // Otherwise nobody has accepted her key yet.
          if (isHerself)
            assert.equal(await hers.changeReaders(formId, { add: [next.id], remove: [] }), refused ?? "changed");
          if (isHerself && !refused) assert.equal(await isSealedFor(), false, "her sweep");
          assert.equal(await ada.rotate(formId), refused ?? "rotated");
          if (refused) return;
          assert.equal(await isSealedFor(), false, "a colleague's rotation");
          if (!isHerself) return;
          assert.equal(await hers.rotate(formId), "rotated");
          assert.equal(await isSealedFor(), false, "her rotation");
          assert.equal(await opensNewest(world, next.key.identity), true);
          assert.equal(await opensNewest(world, cy.key.identity), !isOfThief, "whom she has claimed reads on");
        });

for (const role of ["owner", "manager"] as const)
  for (const [what, theft] of Object.entries(thefts).filter(([, one]) => mayDo(role, one)))
    test(`${role === "owner" ? "an owner" : "a manager"} who replaces the own key is shown ${what}, brought in with it, with its entry, before anything is signed; once claimed, it is sealed for`, async () => {
      const { world } = await steal(role, theft, "memory");
      const next = await withNewKey(world.victim);
      const browser = openBrowser(world.server, next, createHeads(world.victimHeads));
      const { rows, colleagues } = await findBroughtIn(browser);
      const row = rows.find(({ member }) => member.id === theft.reads.id);
      assert.deepEqual([row?.under, row?.entry?.number], [world.victim.id, world.server.list.length]);
      assert.deepEqual(
        rows.map(({ member }) => member.id).toSorted(),
        [...new Set([cy.id, theft.reads.id])].toSorted(),
      );
      assert.ok(colleagues.some(({ id }) => id === founder.id));
      await signOver(browser, rows);
      const { list } = await loadCheckedList(browser);
      const mayVouch = mayChange(
        { ...toMember(world.victim), role },
        { ...toMember(theft.reads), role: theft.after },
        { ...toMember(theft.reads), role: theft.after },
      );
      const sealable = await findSealable(list, { own: world.founder.key });
      assert.deepEqual([sealable.has(theft.reads.id), sealable.has(cy.id)], [mayVouch, true]);
    });

test("nobody is shown to a manager who has brought in nobody, and nothing else is asked", async () => {
  const world = await setUp("manager");
  await sign(world.server, world.founder, { change: "remove", member: { id: cy.id } });
  const browser = openBrowser(world.server, await withNewKey(world.victim), createHeads(world.victimHeads));
  assert.deepEqual((await findBroughtIn(browser)).rows, []);
});

for (const role of ["owner", "manager"] as const)
  for (const [who, replace] of Object.entries(replacements))
    for (const isConfirmed of [true, false])
      test(`a member whom the stolen key of ${role === "owner" ? "an owner" : "a manager"} has put into a form is asked about on every device after ${who} has replaced it, and ${isConfirmed ? "reads on once she says so" : "is taken out by her word"}`, async () => {
        const world = await setUp(role);
        const { server, formId } = world;
        // The founder has made them a reader: others vouch for them, and nobody for that they read this form.
        await sign(server, world.founder, { change: "replace", member: toMember(rob, "reader") });
        assert.deepEqual(await sweep(world.browser, formId, { add: [rob.id], remove: [] }), ["changed"]);
        const adas = openBrowser(server, world.founder, createHeads(world.founderHeads));
        const asked = async (context: EnvelopeContext) => {
          const opened = await openForm(context, formId);
          if (opened.kind !== "opened" || opened.list.kind !== "checked") throw new Error(opened.kind);
          const { list } = opened.list;
          return opened.envelopes.flatMap(({ head }) => findUnintroduced(list, head)).includes(rob.id);
        };
        assert.equal(await asked(adas), false);
        const next = await replace(world, []);
        assert.equal(await asked(adas), true, "on the device of a colleague");
        const browser = who === "the person herself" ? openBrowser(server, next, createHeads(world.victimHeads)) : adas;
        assert.equal(await asked(browser), true);
        const said = isConfirmed ? { remove: [], confirm: [rob.id] } : { remove: [rob.id] };
        assert.deepEqual(await sweep(browser, formId, { add: [], remove: [], said: new Map([[formId, said]]) }), [
          "changed",
        ]);
        assert.equal(await opensNewest(world, rob.key.identity), isConfirmed);
        assert.deepEqual([await asked(adas), await asked(browser)], [false, false]);
      });
