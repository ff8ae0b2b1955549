import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type Change,
  findUnintroduced,
  findWritingEnd,
  followKeyLog,
  generatePersonalKey,
  openEnvelope,
  RefusalError,
} from "@sealpost/envelope";
import { bringBack, findBringable } from "@sealpost/sdk/envelopes";
import { createVersionSeed } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { newFormKey, openBrowser, type PlayedPerson, toMember, writeEntry } from "../dashboard/played-envelopes.ts";
import { type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";
import { openRevision, setUp, type Team, write } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// Somebody has lost the right to write, or their key, and nobody has written since. The service shows one more revision of theirs, by the list from before, to a
// device that sees the form for the first time. Its reader Rea is a member, and nobody who may write has put her there; its key of version 6 is theirs.

/** How the writer's right or key has ended: the entry, and who signs it. */
const endings: Readonly<Record<string, (team: Team, writer: PlayedPerson) => Promise<PlayedPerson>>> = {
  "was removed": async (team, writer) => {
    await add(team, team.people.ada, { change: "remove", member: { id: writer.id } });
    return writer;
  },
  "is a reader now": async (team, writer) => {
    await add(team, team.people.ada, { change: "replace", member: toMember(writer, "reader") });
    return writer;
  },
  "was given another key": async (team, writer) => {
    const next = await renew(writer);
    await add(team, team.people.ada, { change: "replace", member: toMember(next, "manager") });
    return next;
  },
  "has replaced their own key": async (team, writer) => {
    const next = await renew(writer);
    const role = writer === team.people.ada ? "owner" : "manager";
    await add(team, writer, { change: "replace", member: toMember(next, role) });
    return next;
  },
};

const lookers = ["an owner", "a manager", "the owner whose key it was"] as const;
const acts = ["a sweep", "a change of readers", "another name", "a rotation", "giving up the key log"] as const;

interface Case {
  readonly ending: string;
  readonly looker: (typeof lookers)[number];
  readonly act: (typeof acts)[number];
}

const cases: readonly Case[] = Object.keys(endings).flatMap((ending) =>
  lookers
    .filter((looker) => looker !== "the owner whose key it was" || ending === "has replaced their own key")
    .flatMap((looker) => acts.map((act) => ({ ending, looker, act }))),
);

let planted: Awaited<ReturnType<typeof newFormKey>>;
let second: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [planted, second] = await Promise.all([newFormKey(6), newFormKey(7)]);
});

for (const [index, one] of sampleKinds(cases, ({ looker, act }) => `${looker} ${act}`).entries())
  for (const agent of agentsOf(index))
    test(`a revision by somebody who ${one.ending}, the first that ${one.looker} is shown, is followed by ${one.act} only once its reader and its key were said to be right, with the key in ${agent}`, () =>
      lookAndAct(one, agent));

async function lookAndAct({ ending, looker, act }: Case, agent: AgentName): Promise<void> {
  const team = await setUp(act === "giving up the key log" ? "with a key log" : "without");
  const { server, formId, people, see } = team;
  const { ada, nia, mo, rea, rob } = people;
  const store = await see();
  const writer = looker === "the owner whose key it was" ? ada : mo;
  const readerIds = [ada, nia, mo, rob, rea].map(({ id }) => id);
  await write(team, writer, { readerIds, keys: [{ ...planted.key, seed: createVersionSeed() }] });
  const after = await (endings[ending] ?? assert.fail())(team, writer);
  // The service says that the planted key is the form's.
  server.keys.push({ version: 6, fingerprint: planted.key.fingerprint });
  const person = { "an owner": ada, "a manager": nia, "the owner whose key it was": after }[looker];
  const actor = await openActor(agent, server, person, second, store);
  const revisions = () => server.envelopes.get(1)?.length ?? 0;
  const shown = revisions();
  const sweep = () => actor.changeReaders(formId, { add: [], remove: [mo.id] });
  const take = {
    "a sweep": sweep,
    "a change of readers": () => actor.changeReaders(formId, { add: [], remove: [rob.id] }),
    "another name": () => actor.changeReaders(formId, { add: [], remove: [], formName: "Votes" }),
    "a rotation": () => actor.rotate(formId),
    "giving up the key log": () => actor.giveKeyLogUp(formId),
  }[act];
  const remembered = async () => (await createHeads(store).findEnvelopes(formId)).heads;

  // Submissions open by every look, however often something is tried.
  for (const _ of act === "giving up the key log" ? [1] : [1, 2]) {
    const opened = await actor.open(formId);
    assert.deepEqual([[...opened.keys.keys()], opened.refused], [[1, 6], ["former_writer"]]);
    assert.equal(await take(), act === "giving up the key log" ? "named" : "former_writer");
  }
  assert.deepEqual([await remembered(), revisions()], [[], shown]);

  const page = openBrowser(server, person, createHeads(store));
  const sight = await openForm(page, formId);
  assert.ok(sight.kind === "opened");
  assert.deepEqual(sight.unproved, [1, 6], "neither key is shown as the form's");
  const [envelope = assert.fail(), ...others] = findToLookAt(sight);
  const end = findWritingEnd(sight.list.list, { id: writer.id, since: envelope.envelope.head.list });
  assert.equal(end?.stillWrites, ending.endsWith("key"), "who has another key alone can be asked");
  assert.deepEqual(others, []);
  const another = { ...envelope.envelope, head: { ...envelope.envelope.head, hash: "A".repeat(43) } };
  assert.equal((await sayIsRight(page, formId, { ...envelope, envelope: another })).outcome, "other");
  assert.deepEqual(await remembered(), [], "an answer about another revision does not count for this one");
  assert.equal((await sayIsRight(page, formId, envelope)).outcome, "accepted");

  const [head = assert.fail()] = await remembered();
  const { list } = await loadCheckedList(page);
  assert.equal(head.revision, shown);
  assert.ok(findUnintroduced(list, head).includes(rea.id), "nobody is known to have put her there");
  assert.deepEqual((await actor.open(formId)).refused, []);
  // An envelope that still names its writer names the log until its readers are changed.
  const follow = act === "giving up the key log" ? sweep : take;
  assert.equal(await follow(), act === "a rotation" ? "rotated" : "changed");
  const expected = { list, formId, firstVersion: 1, revision: revisions() };
  const file = server.envelopes.get(1)?.at(-1) ?? assert.fail();
  const opened = await openEnvelope(file, person.key.identity, expected);
  assert.ok(!(opened instanceof RefusalError));
  // Where the owner's key was replaced, nobody vouches for her key either.
  const isVouched = looker !== "the owner whose key it was";
  assert.equal(
    opened.content.readers.some(({ id }) => id === rea.id),
    isVouched,
  );
}

for (const [index, looker] of (["an owner", "a manager"] as const).entries())
  for (const agent of agentsOf(index))
    test(`where the key log that a first sight names was given up elsewhere, ${looker} reads so, and the answer counts once they have said that it was, with the key in ${agent}`, async () => {
      const team = await setUp("with a key log");
      const { server, formId, people, see } = team;
      const { ada, nia, mo, rea, rob } = people;
      const store = await see();
      await write(team, mo, { readerIds: [ada, nia, mo, rob, rea].map(({ id }) => id) });
      await add(team, ada, { change: "remove", member: { id: mo.id } });
      await server.api.removeKeyLog(formId);
      const person = looker === "an owner" ? ada : nia;
      const page = openBrowser(server, person, createHeads(store));
      const actor = await openActor(agent, server, person, second, store);
      const answer = async () => {
        const opened = await openForm(page, formId);
        const [sight = assert.fail()] = opened.kind === "opened" ? findToLookAt(opened) : [];
        return (await sayIsRight(page, formId, sight)).outcome;
      };
      const showLog = () =>
        followKeyLog({ formId, heads: page.heads, fetchKeyLog: () => page.api.fetchKeyLog(formId) });
      // The service may as well hide it.
      for (const _ of [1, 2]) assert.equal(await answer(), "unknown_key_log");
      assert.deepEqual((await page.heads.findEnvelopes(formId)).heads, []);
      // The page Keys says that there was a log, and lets a person say that it is gone.
      assert.deepEqual(await showLog(), { kind: "refused", reason: "hidden" });
      await page.heads.forgetKeyLog(formId);
      assert.deepEqual(await showLog(), { kind: "none" });
      assert.equal(await answer(), "accepted");
      assert.equal(await actor.changeReaders(formId, { add: [], remove: [mo.id] }), "changed");
    });

// Nia has taken Rob out, and her revision opens, but can't be followed here. What was before it is brought back without him, unless somebody says that he reads.

interface TakingOut {
  /** Refusal of her revision, the newest one. */
  readonly reason: string;
  /** The device has seen what was before. */
  readonly isSeen?: true;
  readonly lookers: readonly (typeof lookers)[number][];
  make(team: Team, readerIds: readonly string[]): Promise<void>;
}

const takingsOut: Readonly<Record<string, TakingOut>> = {
  ...Object.fromEntries(
    Object.entries(endings).map(([ending, end]): [string, TakingOut] => [
      `by somebody who ${ending}`,
      {
        reason: "former_writer",
        lookers: ["an owner", "a manager"],
        async make(team, readerIds) {
          await write(team, team.people.nia, { readerIds });
          await end(team, team.people.nia);
        },
      },
    ]),
  ),
  "that names a log which is not shown": {
    reason: "unknown_key_log",
    lookers: ["an owner", "a manager"],
    make: (team, readerIds) => write(team, team.people.nia, { readerIds, keyLog: { number: 1, hash: "A".repeat(43) } }),
  },
  "that lacks the form's key": {
    reason: "key_missing",
    lookers: ["an owner", "a manager"],
    make: (team, readerIds) => write(team, team.people.nia, { readerIds, ahead: [1] }),
  },
  "that has another seed for the form's key": {
    ...{ reason: "key_missing", isSeen: true },
    lookers: ["an owner", "a manager"],
    async make(team, readerIds) {
      const { opened: previous } = await openRevision(team, team.server.envelopes.get(1)?.length ?? 0);
      const keys = previous.content.keys.map((key) => ({ ...key, seed: createVersionSeed() }));
      await write(team, team.people.nia, { readerIds, ahead: [1], keys });
    },
  },
  "after a gap": {
    ...{ reason: "other_previous", isSeen: true },
    lookers: ["an owner"],
    async make(team, readerIds) {
      const { server, people } = team;
      await write(team, people.nia, { readerIds });
      await write(team, people.nia, { readerIds });
      server.envelopes.get(1)?.splice(-2, 1, crypto.getRandomValues(new Uint8Array(300)));
    },
  },
};

for (const [how, { reason, isSeen, lookers: people, make }] of Object.entries(takingsOut))
  for (const looker of people)
    test(`a reader who was taken out by a revision ${how} is not brought back by ${looker}, unless that is said of them`, async () => {
      for (const isSaid of [false, true]) {
        const team = await setUp("without");
        const { server, formId, see } = team;
        const { ada, nia, mo, rob } = team.people;
        const person = looker === "an owner" ? ada : mo;
        const page = openBrowser(server, person, createHeads(await see()));
        if (isSeen) await openForm(page, formId);
        await make(
          team,
          [ada, nia, mo].map(({ id }) => id),
        );
        const opened = await openForm(page, formId);
        assert.ok(opened.kind === "opened");
        assert.deepEqual(
          opened.refused.map((one) => one.reason),
          [reason],
        );
        const { list } = await loadCheckedList(page);
        const found = await findBringable(page, await loadCheckedList(page), formId, 1);
        assert.ok(found && !found.readerIds.includes(rob.id));
        if (found.kept === undefined) {
          assert.deepEqual(found.difference?.returningIds, [rob.id]);
          const { leavingVersions, returningVersions } = found.difference;
          const isOther = how.endsWith("another seed for the form's key");
          assert.deepEqual([leavingVersions, returningVersions], isOther ? [[1], [1]] : [[], []]);
        }
        // Rea is a member, and reads neither: nobody is brought in so.
        const returningIds = isSaid ? [rob.id, team.people.rea.id] : [];
        const bringing = bringBack(page, await loadCheckedList(page), found, { returningIds });
        // The signature of somebody who may write no longer accounts for nothing, and an owner reads.
        if (found.takenOut !== undefined && looker !== "an owner") {
          await assert.rejects(bringing, { problem: "owner_needed" });
          continue;
        }
        await bringing;
        const file = server.envelopes.get(1)?.at(-1) ?? assert.fail();
        const revision = server.envelopes.get(1)?.length ?? 0;
        const next = await openEnvelope(file, ada.key.identity, {
          list,
          formId,
          firstVersion: 1,
          revision,
          isForgotten: true,
        });
        assert.ok(!(next instanceof RefusalError));
        const ids = next.content.readers.map(({ id }) => id);
        assert.equal(ids.includes(rob.id), isSaid && found.kept === undefined);
        assert.ok(ids.includes(ada.id) && ids.includes(mo.id) && !ids.includes(team.people.rea.id));
      }
    });

async function renew(person: PlayedPerson): Promise<PlayedPerson> {
  const { former = [], ...own } = person.key;
  return { ...person, key: { ...(await generatePersonalKey()), former: [own, ...former] } };
}

async function add({ server }: Team, by: PlayedPerson, change: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), by, change));
}
