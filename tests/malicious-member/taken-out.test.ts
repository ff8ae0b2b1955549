import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { findBringable } from "@sealpost/sdk/envelopes";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { newFormKey, openBrowser, toMember, toSigner, writeEntry } from "../dashboard/played-envelopes.ts";
import { type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";
import { setUp, type Team } from "../support/played-team.ts";
import { sampleEvery } from "../support/sample.ts";

// Nia, a manager, is honest. She can't tell a revision that takes her out on purpose from one that somebody made for nobody, and brings back what she could read.

type Person = keyof Team["people"];

let rotated: Awaited<ReturnType<typeof newFormKey>>;
before(async () => {
  rotated = await newFormKey(2);
});

interface Case {
  readonly who: "nia" | "ada";
  /** The revisions above the one that Nia reads. */
  readonly above: keyof typeof revisions;
  readonly form: "an owner reads" | "no owner reads";
  readonly device: "has seen the form" | "is fresh";
}

const readers = {
  "an owner reads": ["ada", "nia", "mo", "rob"],
  "no owner reads": ["nia", "mo", "rob"],
} as const satisfies Readonly<Record<Case["form"], readonly Person[]>>;

const without = (some: readonly Person[], person: Person) => some.filter((one) => one !== person);
const store = (team: Team, file: Uint8Array<ArrayBuffer>, by: Person) => {
  const files = team.server.envelopes.get(1) ?? assert.fail();
  files.push(file);
  team.server.writers.set(`1 ${files.length}`, team.people[by].id);
};

/** The revisions that others have stored since, and who stored the first revision that is not for Nia. */
const revisions = {
  "a manager takes her out": {
    by: "mo",
    make: (team: Team, some: readonly Person[]) => write(team, "mo", without(some, "nia")),
  },
  "a manager takes her out, and another revision follows": {
    by: "mo",
    async make(team: Team, some: readonly Person[]) {
      await write(team, "mo", without(some, "nia"));
      await write(team, "mo", without(some, "nia"));
    },
  },
  "a manager takes her out, and then stores bytes of no file": {
    by: "mo",
    async make(team: Team, some: readonly Person[]) {
      await write(team, "mo", without(some, "nia"));
      store(team, crypto.getRandomValues(new Uint8Array(300)), "mo");
    },
  },
  "a manager stores a file for themself": {
    by: "mo",
    make: async (team: Team) => store(team, await encryptTo([team.people.mo.key.recipient], "nobody else's"), "mo"),
  },
  "a manager stores bytes of no file": {
    by: undefined,
    make: async (team: Team) => store(team, crypto.getRandomValues(new Uint8Array(300)), "mo"),
  },
} as const satisfies Readonly<
  Record<string, { by: Person | undefined; make(team: Team, some: readonly Person[]): Promise<void> }>
>;

const cases: readonly Case[] = (["nia", "ada"] as const).flatMap((who) =>
  (Object.keys(revisions) as Case["above"][]).flatMap((above) =>
    (["an owner reads", "no owner reads"] as const)
      .filter((form) => who === "nia" || form === "an owner reads")
      .flatMap((form) => (["has seen the form", "is fresh"] as const).map((device) => ({ who, above, form, device }))),
  ),
);

/** Ada reads what Mo wrote without Nia: there is nothing for her to bring back. */
const expected = ({ who, above, form }: Case) => {
  if (who === "ada")
    return above.startsWith("a manager stores") || above.endsWith("of no file") ? "brought" : "nothing";
  return form === "an owner reads" && revisions[above].by !== undefined ? "owner_needed" : "brought";
};

for (const [index, one] of sampleEvery(cases, 2).entries())
  for (const agent of agentsOf(index))
    test(`a manager does not let themself in again where an owner reads the form, and nobody is stuck: ${one.above}, ${one.form}, brought back by ${one.who}, whose device ${one.device}, with the key in ${agent}`, () =>
      tryOne(one, agent));

async function tryOne(one: Case, agent: AgentName): Promise<void> {
  const { who, above, form, device } = one;
  const team = await setUp("without");
  const { server, formId, people } = team;
  const some = readers[form];
  if (form === "no owner reads") await write(team, "mo", some);
  const heads = await team.see();
  if (device === "has seen the form") await (await openActor(agent, server, people[who], rotated, heads)).open(formId);
  const before = server.envelopes.get(1)?.length ?? assert.fail();
  const { make, by } = revisions[above];
  await make(team, some);
  const actor = await openActor(agent, server, people[who], rotated, heads);
  const { refused } = await actor.open(formId);
  if (expected(one) === "nothing") return assert.deepEqual(refused, []);
  const { length } = server.envelopes.get(1) ?? assert.fail();

  const browser = openBrowser(server, people[who], createHeads(heads));
  const found = await findBringable(browser, await loadCheckedList(browser), formId, 1);
  const isOut = by !== undefined && (who === "nia" || above === "a manager stores a file for themself");
  assert.equal(found?.takenOut?.revision, isOut ? before + 1 : undefined, "the first revision that is not for them");
  assert.equal(found?.takenOut?.writerId, isOut ? people[by].id : undefined);
  assert.deepEqual(
    found?.takenOut?.ownerIds,
    isOut ? (form === "an owner reads" && who === "nia" ? [people.ada.id] : []) : undefined,
  );
  assert.equal(await actor.bringBack(formId), expected(one));
  if (expected(one) === "owner_needed") {
    assert.equal(server.envelopes.get(1)?.length, length, "nothing was sent");
    // Ada opens it, and says that Nia reads; or it is for nobody, and Ada brings back.
    const adas = await openActor(agent, server, people.ada, rotated, await team.see());
    if ((await adas.open(formId)).refused.length > 0) assert.equal(await adas.bringBack(formId), "brought");
    await adas.changeReaders(formId, { add: [people.nia.id], remove: [] });
  }
  // Mo's revision without her stays as it was, unless an owner says otherwise.
  const isStillOut = who === "ada" && above.startsWith("a manager takes her out");
  const after = await openActor(agent, server, people.nia, rotated, who === "nia" ? heads : await team.see());
  assert.deepEqual([...(await after.open(formId)).keys.keys()], isStillOut ? [] : [1]);
}

test("once the owners who read a form have left the list, a manager brings back", async () => {
  for (const agent of agentsOf(0)) {
    const team = await setUp("without");
    const { server, formId, people } = team;
    const nias = await openActor(agent, server, people.nia, rotated, await team.see());
    await nias.open(formId);
    await revisions["a manager stores a file for themself"].make(team);
    assert.equal(await nias.bringBack(formId), "owner_needed");
    for (const change of [
      { change: "replace", member: toMember(people.rea, "owner") } as const,
      { change: "remove", member: { id: people.ada.id } } as const,
    ])
      server.list.push(await writeEntry(server.list.join(""), people.ada, change));
    assert.equal(await nias.bringBack(formId), "brought");
  }
});

/** The next revision, for these, with the keys of the one before. */
async function write({ server, formId, people, load }: Team, by: Person, some: readonly Person[]): Promise<void> {
  const files = server.envelopes.get(1) ?? assert.fail();
  const { list } = await load();
  const { key } = people[by];
  const file = files.at(-1) ?? assert.fail();
  const request = { list, formId, firstVersion: 1, revision: files.length, isForgotten: true };
  const previous = await openEnvelope(file, key.identity, request);
  assert.ok(!(previous instanceof RefusalError));
  const readerIds = some.map((person) => people[person].id);
  const parts = { list, signer: await toSigner(people[by]), standing: { own: key }, formId, readerIds };
  const sealed = await sealEnvelope({ ...parts, keys: [], previous });
  store({ server, people } as Team, sealed.file, by);
}
