import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EnvelopeContent, openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { findBringable, type TakenOut } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import type { EnvelopeApi } from "../../packages/dashboard/src/envelopes/context.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { newFormKey, openBrowser, toMember, toSigner, writeEntry } from "../dashboard/played-envelopes.ts";
import { type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";
import { forge as forgeRevision } from "../support/forged-revision.ts";
import { setUp, type Team } from "../support/played-team.ts";
import { sampleEvery } from "../support/sample.ts";

// Nia, a manager, is honest. She can't tell a revision that takes her out on purpose from one that somebody made for nobody, or from bytes that the service
// shows in its place, and brings back what she could read.

type Person = keyof Team["people"];

let rotated: Awaited<ReturnType<typeof newFormKey>>;
before(async () => {
  rotated = await newFormKey(2);
});

interface Case {
  readonly who: "nia" | "ada";
  /** The revisions above the one that Nia reads. */
  readonly above: string;
  readonly form: "an owner reads" | "no owner reads";
  readonly device: "has seen the form" | "is fresh";
}

const readers = {
  "an owner reads": ["ada", "nia", "mo", "rob"],
  "no owner reads": ["nia", "mo", "rob"],
} as const satisfies Readonly<Record<Case["form"], readonly Person[]>>;

const without = (some: readonly Person[], person: Person) => some.filter((one) => one !== person);
const store = (team: Pick<Team, "server" | "people">, file: Uint8Array<ArrayBuffer>, by: Person) => {
  const files = team.server.envelopes.get(1) ?? assert.fail();
  files.push(file);
  team.server.writers.set(`1 ${files.length}`, team.people[by].id);
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Files that the service shows in the place of the revision that takes the person out, where a signature of a member can't be found right in it. */
const shownInstead: Readonly<Record<string, (team: Team, to: Person, revision: number) => Promise<Bytes | undefined>>> =
  {
    "with a stanza of another kind": async ({ server }, _, revision) => {
      const file = server.envelopes.get(1)?.[revision - 1] ?? assert.fail();
      return Uint8Array.from(
        Buffer.from(Buffer.from(file).toString("latin1").replace("mlkem768x25519", "mlkem768x25518"), "latin1"),
      );
    },
    "as bytes of no file": async () => crypto.getRandomValues(new Uint8Array(300)),
    "as a file without signed lines": async ({ people }, to) => encryptTo([people[to].key.recipient], "made up"),
    "as one of another form": (team, to, revision) => forge(team, to, { revision, formId: createId("form") }),
    "as one of another number": (team, to, revision) => forge(team, to, { revision: revision - 1 }),
    "as one by an unknown list": (team, to, revision) =>
      forge(team, to, { revision, list: { number: 9, hash: "A".repeat(43) } }),
    "as one that nobody has signed": (team, to, revision) => forge(team, to, { revision }, "rob"),
    "signed by a reader": (team, to, revision) => forge(team, to, { revision, signedBy: team.people.rob.id }, "rob"),
    "signed by somebody who does not read the form": (team, to, revision) =>
      forge(team, to, { revision, signedBy: team.people.rea.id }, "rea"),
    "signed by a manager who does not read the form": async (team, to, revision) => {
      await addEntry(team, { change: "replace", member: toMember(team.people.rea, "manager") });
      const { head } = (await team.load()).list;
      return forge(team, to, { revision, signedBy: team.people.rea.id, list: head }, "rea");
    },
    "not at all": async () => undefined,
  };

const whyOf = (how: string): TakenOut["why"] =>
  how === "not at all" ? "not_shown" : how.startsWith("signed by") ? "by_others" : "unsigned";

const addEntry = async ({ server, people }: Team, change: Parameters<typeof writeEntry>[2]) => {
  server.list.push(await writeEntry(server.list.join(""), people.ada, change));
};

interface Above {
  /** Who has stored the first revision that is not accounted for; `undefined`: there is none, each is by a member. */
  readonly by?: Person;
  readonly why?: TakenOut["why"];
  make(team: Team, some: readonly Person[]): Promise<void>;
  /** File that the service shows this person in the place of the first one. */
  show?(team: Team, to: Person, revision: number): Promise<Bytes | undefined>;
  /** The first of them that an owner can't use either, counted from 1. */
  readonly lostForAll?: number;
}

const takeOut = (team: Team, some: readonly Person[]) => write(team, "mo", without(some, "nia"));

/** The revisions that others have stored since. */
const revisions: Readonly<Record<string, Above>> = {
  "a manager takes her out": { by: "mo", why: "not_for_them", make: takeOut },
  "a manager takes her out, and another revision follows": {
    ...{ by: "mo", why: "not_for_them" },
    async make(team, some) {
      await takeOut(team, some);
      await takeOut(team, some);
    },
  },
  "a manager takes her out, and then stores bytes of no file": {
    ...{ by: "mo", why: "not_for_them", lostForAll: 2 },
    async make(team, some) {
      await takeOut(team, some);
      store(team, crypto.getRandomValues(new Uint8Array(300)), "mo");
    },
  },
  "a manager takes her out, and puts her in again himself": {
    ...{ by: "mo", why: "not_for_them" },
    async make(team, some) {
      await takeOut(team, some);
      await write(team, "mo", some);
    },
  },
  "a manager stores a file for themself": {
    ...{ by: "mo", why: "not_for_them", lostForAll: 1 },
    make: async (team) => store(team, await encryptTo([team.people.mo.key.recipient], "nobody else's"), "mo"),
  },
  "a manager stores bytes of no file": {
    ...{ by: "mo", why: "unsigned", lostForAll: 1 },
    make: async (team) => store(team, crypto.getRandomValues(new Uint8Array(300)), "mo"),
  },
  "a manager signs one that has too few readers": {
    lostForAll: 1,
    async make(team) {
      const { length } = team.server.envelopes.get(1) ?? assert.fail();
      store(team, await forge(team, "nia", { revision: length + 1 }, "mo", ["nia", "ada", "mo"]), "mo");
    },
  },
  "a manager signs one that has too few readers, and leaves": {
    ...{ by: "mo", why: "by_others", lostForAll: 1 },
    async make(team, some) {
      await revisions["a manager signs one that has too few readers"]?.make(team, some);
      await addEntry(team, { change: "remove", member: { id: team.people.mo.id } });
    },
  },
  ...Object.fromEntries(
    Object.entries(shownInstead)
      // Nobody follows a newest revision that is not shown.
      .filter(([how]) => how !== "not at all")
      .map(([how, show]): [string, Above] => [
        `a manager takes her out, which the service shows ${how}`,
        { by: "mo", why: whyOf(how), make: takeOut, show },
      ]),
  ),
  ...Object.fromEntries(
    Object.entries(shownInstead).map(([how, show]): [string, Above] => [
      `a manager takes her out, which the service shows ${how}, and then stores what is refused`,
      {
        ...{ by: "mo", why: whyOf(how), show },
        async make(team, some) {
          await takeOut(team, some);
          await revisions["a manager signs one that has too few readers"]?.make(team, some);
        },
      },
    ]),
  ),
};

const cases: readonly Case[] = (["nia", "ada"] as const).flatMap((who) =>
  Object.keys(revisions).flatMap((above) =>
    (["an owner reads", "no owner reads"] as const)
      .filter((form) => who === "nia" || form === "an owner reads")
      .flatMap((form) => (["has seen the form", "is fresh"] as const).map((device) => ({ who, above, form, device })))
      // There a fresh device goes back further: who has left wrote the older one, too.
      .filter(
        ({ form, device }) => !(above.endsWith("and leaves") && form === "no owner reads" && device === "is fresh"),
      ),
  ),
);

const revisionsOf = (above: string) => revisions[above] ?? assert.fail();

/** Whether the newest revision does not count on the person's device. */
const isMet = ({ who, above, device }: Case) => {
  if (above.endsWith("himself")) return who === "nia" && device === "has seen the form";
  const { lostForAll, show } = revisionsOf(above);
  return who === "nia" || lostForAll !== undefined || show !== undefined;
};

const expected = (one: Case) => {
  const { who, above, form } = one;
  if (!isMet(one)) return "nothing";
  return who === "nia" && form === "an owner reads" && revisionsOf(above).by !== undefined ? "owner_needed" : "brought";
};

for (const [index, one] of sampleEvery(cases, 3).entries())
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
  const { make, by, why, show, lostForAll = 1 } = revisionsOf(above);
  await make(team, some);
  const { length } = server.envelopes.get(1) ?? assert.fail();
  if (show !== undefined) {
    const file = await show(team, who, before + 1);
    const fetchEnvelope: EnvelopeApi["fetchEnvelope"] = async (_, version, asked) => {
      const files = server.envelopes.get(version) ?? assert.fail();
      const revision = asked ?? files.length;
      const kept = revision === before + 1 ? file : files[revision - 1];
      return kept && { file: kept, revision };
    };
    server.lies = { fetchEnvelope };
  }
  const actor = await openActor(agent, server, people[who], rotated, heads);
  const { refused } = await actor.open(formId);
  if (expected(one) === "nothing") return assert.deepEqual(refused, []);

  const browser = openBrowser(server, people[who], createHeads(heads));
  const found = await findBringable(browser, await loadCheckedList(browser), formId, 1);
  const isOut = by !== undefined;
  const first = who === "nia" ? 1 : lostForAll;
  assert.equal(found?.takenOut?.revision, isOut ? before + first : undefined, "the first not accounted for");
  assert.equal(found?.takenOut?.why, first === 1 ? why : "unsigned");
  assert.equal(found?.takenOut?.writerId, isOut ? people[by].id : undefined);
  assert.deepEqual(
    found?.takenOut?.ownerIds,
    isOut ? (form === "an owner reads" && who === "nia" ? [people.ada.id] : []) : undefined,
  );
  assert.equal(await actor.bringBack(formId), expected(one));
  server.lies = {};
  if (expected(one) === "owner_needed") {
    assert.equal(server.envelopes.get(1)?.length, length, "nothing was sent");
    // Ada opens it, and says that Nia reads; or can't open it either, and brings back.
    const adas = await openActor(agent, server, people.ada, rotated, await team.see());
    if ((await adas.open(formId)).refused.length > 0) assert.equal(await adas.bringBack(formId), "brought");
    await adas.changeReaders(formId, { add: [people.nia.id], remove: [] });
  }
  // Mo's revision without her stays as it was, unless somebody has said otherwise who could not open it.
  const isStillOut = who === "ada" && above.startsWith("a manager takes her out") && show === undefined;
  const after = await openActor(agent, server, people.nia, rotated, who === "nia" ? heads : await team.see());
  assert.deepEqual([...(await after.open(formId)).keys.keys()], isStillOut ? [] : [1]);
}

/** A revision with the keys and readers of the second one, and what is changed in it, signed with the key of `by`. */
function forge(
  team: Team,
  to: Person,
  changed: Partial<EnvelopeContent>,
  by: Person = "mo",
  recipients: readonly Person[] = [to],
): Promise<Bytes> {
  return forgeRevision(team, () => changed, { by, recipients });
}

test("once the owners who read a form have left the list, a manager brings back", async () => {
  for (const agent of agentsOf(0)) {
    const team = await setUp("without");
    const { server, formId, people } = team;
    const nias = await openActor(agent, server, people.nia, rotated, await team.see());
    await nias.open(formId);
    await revisionsOf("a manager stores a file for themself").make(team, []);
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
  store({ server, people }, sealed.file, by);
}
