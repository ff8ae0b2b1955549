import type { Edges } from "../vouching.ts";
import { admittedBy, createList, type Step, signingKey } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person } from "./people.ts";

/** One entry of vectors/list-vouching.json: a list that verifies. */
export interface VouchingVector {
  readonly name: string;
  readonly organizationId: string;
  readonly list: string;
  readonly trust: { readonly signingKey: string };
  /** The name in personal-keys.json of the keys that are open on the device. */
  readonly own: KeyName | null;
  /** By the ids of members. */
  readonly edges: Readonly<Record<string, Edges>>;
  /** Ascending. */
  readonly vouched: readonly string[];
}

/** One set of members, or none; or several. */
type Leads = readonly Person[] | readonly (readonly Person[])[];

/** By names: the edges of keys, role and name, and the own words. `all` stands for the three alike. */
type Expected = Partial<
  Record<Person, { all?: Leads; ownWord?: Edges["ownWord"] } & Partial<Record<"keys" | "role" | "name", Leads>>>
>;

interface Case {
  readonly list: readonly Step[];
  readonly own?: KeyName;
  readonly edges: Expected;
  readonly vouched: readonly Person[];
}

const [owner, manager]: readonly [Step, Step] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
];
const reader: Step = { of: "reader", by: "manager" };
const second: Step = { of: "second owner", by: "owner" };
const team: readonly Step[] = [owner, manager, reader];
const remove = (of: Person, by: Person = "owner"): Step => ({ change: "remove", of, by });
const replace = (of: Person, by: Person, more: Partial<Step> = {}): Step => ({ change: "replace", of, by, ...more });
const vouch = (by: Person, ...vouched: readonly Person[]): Step => ({ change: "vouch", of: by, by, vouched });
const lower = (of: Person, by: Person): Step => replace(of, by, { member: { role: "manager" } });
const bySecond: readonly Step[] = [
  owner,
  second,
  ...(["reader", "manager", "signing recovery", "stranger"] as const).map((of): Step => ({ of, by: "second owner" })),
];

const founder = { all: ["owner"] } as const;
const byOwner = { all: ["owner"] } as const;
const byManager = { all: ["manager"] } as const;
const cut = { all: [] } as const;
/** An owner has given a role, and nobody has said whose key it is. */
const promoted = { keys: [], role: ["owner"], name: [] } as const;
const aRole = (role: string) => (role === "owner" ? "an owner" : `a ${role}`);
const cutOfSecond = { manager: cut, "signing recovery": cut, stranger: cut } as const;

async function recipientOf(name: KeyName) {
  return { recipient: (await findPersonalKey(name)).recipient };
}

async function cases(): Promise<Readonly<Record<string, Case>>> {
  return {
    "everybody, through the founder": {
      list: team,
      edges: { owner: founder, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager was removed": {
      list: [...team, remove("manager")],
      edges: { owner: founder, reader: cut },
      vouched: ["owner"],
    },
    "a program of a manager": {
      list: [owner, manager, { of: "program", by: "manager" }],
      edges: { owner: founder, manager: byOwner, program: byManager },
      vouched: ["owner", "manager", "program"],
    },
    "a program of a manager who was removed": {
      list: [owner, manager, { of: "program", by: "manager" }, remove("manager")],
      edges: { owner: founder, program: cut },
      vouched: ["owner"],
    },
    "a manager was removed and came back": {
      list: [...team, remove("manager"), manager],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a manager was removed and came back, and let in somebody": {
      list: [...team, remove("manager"), manager, { of: "developer", by: "manager" }],
      edges: { owner: founder, manager: byOwner, reader: cut, developer: byManager },
      vouched: ["owner", "manager", "developer"],
    },
    "two of whom nobody vouches for one let in somebody together": {
      list: [
        ...[owner, second],
        { of: "stranger", by: "second owner", member: { role: "owner" } },
        { of: "reader", by: "owner", ...admittedBy("stranger") },
        remove("second owner"),
      ],
      edges: { owner: founder, stranger: cut, reader: { all: ["owner", "stranger"] } },
      vouched: ["owner"],
    },
    "a manager was removed, and an owner vouches": {
      list: [...team, remove("manager"), vouch("owner", "reader")],
      edges: { owner: founder, reader: byOwner },
      vouched: ["owner", "reader"],
    },
    "an accomplice by another's terms": {
      list: [owner, manager, { of: "reader", by: "owner", ...admittedBy("manager") }, remove("manager")],
      edges: { owner: founder, reader: cut },
      vouched: ["owner"],
    },
    "an admission that somebody else completed": {
      list: [owner, manager, { of: "reader", by: "owner", ...admittedBy("manager") }],
      edges: { owner: founder, manager: byOwner, reader: { all: ["owner", "manager"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager became a developer": {
      list: [...team, replace("manager", "owner", { member: { role: "developer" } })],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "an owner became a manager": {
      list: [...bySecond, lower("second owner", "owner")],
      edges: { owner: founder, "second owner": byOwner, reader: { all: ["second owner"] }, ...cutOfSecond },
      vouched: ["owner", "second owner", "reader"],
    },
    "an owner became a manager, and an owner again": {
      list: [...bySecond, lower("second owner", "owner"), replace("second owner", "owner")],
      edges: { owner: founder, "second owner": byOwner, reader: { all: ["second owner"] }, ...cutOfSecond },
      vouched: ["owner", "second owner", "reader"],
    },
    "an owner who let in an owner with another became a manager": {
      list: [
        owner,
        second,
        { of: "stranger", by: "owner", ...admittedBy("second owner") },
        lower("second owner", "owner"),
      ],
      edges: { owner: founder, "second owner": byOwner, stranger: cut },
      vouched: ["owner", "second owner"],
    },
    "a manager became an owner": {
      list: [...team, replace("manager", "owner", { member: { role: "owner" } })],
      edges: { owner: founder, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a recovery key became a reader": {
      list: [
        owner,
        { of: "signing recovery", by: "owner" },
        { of: "second owner", by: "signing recovery" },
        replace("signing recovery", "owner", { member: { role: "reader" } }),
      ],
      edges: { owner: founder, "signing recovery": byOwner, "second owner": cut },
      vouched: ["owner", "signing recovery"],
    },
    "the founder has made themself a manager": {
      list: [...team, second, lower("owner", "owner")],
      own: "second owner",
      edges: { owner: cut, manager: cut, "second owner": cut, reader: byManager },
      vouched: ["second owner"],
    },
    "a stolen key was replaced": {
      list: [...team, replace("manager", "owner", { key: "second reader" })],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a manager has replaced the own key": {
      list: [...team, replace("manager", "manager", { key: "second reader" })],
      edges: { owner: founder, manager: { ...byOwner, ownWord: ["keys"] }, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a manager has replaced the own key, and vouches again": {
      list: [
        ...team,
        replace("manager", "manager", { key: "second reader" }),
        { ...vouch("manager", "reader"), signWith: "second reader" },
      ],
      edges: { owner: founder, manager: { ...byOwner, ownWord: ["keys"] }, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "an owner has replaced the own key": {
      list: [...bySecond, replace("second owner", "second owner", { key: "second reader" })],
      edges: {
        owner: founder,
        "second owner": { ...byOwner, ownWord: ["keys"] },
        reader: cut,
        ...cutOfSecond,
      },
      vouched: ["owner", "second owner"],
    },
    "a manager has replaced the own recipient alone": {
      list: [...team, replace("manager", "manager", { member: await recipientOf("stranger") })],
      edges: { owner: founder, manager: { ...byOwner, ownWord: ["keys"] }, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager has another name": {
      list: [...team, replace("manager", "manager", { member: { name: "M." } })],
      edges: { owner: founder, manager: { ...byOwner, ownWord: ["name"] }, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "own words, and then another role": {
      list: [
        ...team,
        replace("reader", "reader", { key: "reader, second key", member: { name: "R." } }),
        replace("reader", "owner", { key: "reader, second key", member: { name: "R.", role: "auditor" } }),
      ],
      edges: {
        owner: founder,
        manager: byOwner,
        reader: { keys: ["manager"], role: ["owner"], name: ["manager"], ownWord: ["keys", "name"] },
      },
      vouched: ["owner", "manager", "reader"],
    },
    "own keys, and then keys by somebody else": {
      list: [
        ...team,
        replace("reader", "reader", { key: "reader, second key" }),
        replace("reader", "owner", { key: "second reader" }),
      ],
      edges: { owner: founder, manager: byOwner, reader: { keys: ["owner"], role: ["manager"], name: ["manager"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager vouches for somebody next to an owner, twice": {
      list: [owner, manager, { of: "reader", by: "owner" }, vouch("manager", "reader"), vouch("manager", "reader")],
      edges: { owner: founder, manager: byOwner, reader: { all: [["owner"], ["manager"]] } },
      vouched: ["owner", "manager", "reader"],
    },
    "an owner who has vouched for everybody was removed": {
      list: [...team, second, vouch("second owner", "manager", "reader"), remove("second owner")],
      edges: { owner: founder, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager was removed, and an owner had vouched before": {
      list: [...team, vouch("owner", "reader"), remove("manager")],
      edges: { owner: founder, reader: byOwner },
      vouched: ["owner", "reader"],
    },
    "one of the two who let in somebody together was removed, and another one had vouched": {
      list: [
        ...[owner, manager, second],
        { of: "reader", by: "owner", ...admittedBy("manager") },
        vouch("second owner", "reader"),
        remove("manager"),
      ],
      edges: { owner: founder, "second owner": byOwner, reader: { all: ["second owner"] } },
      vouched: ["owner", "second owner", "reader"],
    },
    "who gives somebody another role vouches for neither key nor name": {
      list: [...team, replace("reader", "owner", { member: { role: "auditor" } }), remove("manager")],
      edges: { owner: founder, reader: { keys: [], role: ["owner"], name: [] } },
      vouched: ["owner"],
    },
    "own keys are the own word again after the one who vouched for them was removed": {
      list: [
        ...team,
        second,
        replace("reader", "reader", { key: "reader, second key" }),
        vouch("second owner", "reader"),
        remove("second owner"),
      ],
      edges: { owner: founder, manager: byOwner, reader: { ...byManager, ownWord: ["keys"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "an owner who has vouched became a manager": {
      list: [...team, second, vouch("second owner", "manager", "reader"), lower("second owner", "owner")],
      edges: {
        ...{ owner: founder, manager: byOwner, "second owner": byOwner },
        reader: { all: [["manager"], ["second owner"]] },
      },
      vouched: ["owner", "manager", "second owner", "reader"],
    },
    "a reader of an owner who became a manager becomes a manager": {
      list: [...bySecond, lower("second owner", "owner"), replace("reader", "owner", { member: { role: "manager" } })],
      edges: {
        owner: founder,
        "second owner": byOwner,
        reader: promoted,
        ...cutOfSecond,
      },
      vouched: ["owner", "second owner"],
    },
    ...Object.fromEntries(
      (["owner", "manager", "recovery"] as const).map((role): [string, Case] => [
        `a reader of a manager becomes ${role === "recovery" ? "a recovery key" : aRole(role)}`,
        {
          list: [...team, replace("reader", "owner", { member: { role } })],
          edges: { owner: founder, manager: byOwner, reader: promoted },
          vouched: ["owner", "manager"],
        },
      ]),
    ),
    "a reader of a manager becomes an owner, and an owner vouches": {
      list: [...team, replace("reader", "owner", { member: { role: "owner" } }), vouch("owner", "reader")],
      edges: { owner: founder, manager: byOwner, reader: byOwner },
      vouched: ["owner", "manager", "reader"],
    },
    "a reader of a manager becomes an owner, and a reader again": {
      list: [...team, replace("reader", "owner", { member: { role: "owner" } }), replace("reader", "owner")],
      edges: { owner: founder, manager: byOwner, reader: promoted },
      vouched: ["owner", "manager"],
    },
    "a reader of a manager becomes an owner, and so does the manager": {
      list: [
        ...team,
        replace("reader", "owner", { member: { role: "owner" } }),
        replace("manager", "owner", { member: { role: "owner" } }),
      ],
      edges: { owner: founder, manager: byOwner, reader: promoted },
      vouched: ["owner", "manager"],
    },
    "a reader of a manager who is an owner by now becomes a manager": {
      list: [
        ...team,
        replace("manager", "owner", { member: { role: "owner" } }),
        replace("reader", "owner", { member: { role: "manager" } }),
      ],
      edges: { owner: founder, manager: byOwner, reader: { keys: ["manager"], role: ["owner"], name: ["manager"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "a reader of an owner who was a manager for a while becomes a manager": {
      list: [
        ...[owner, second, { of: "reader", by: "second owner" } as const],
        ...[lower("second owner", "owner"), replace("second owner", "owner")],
        replace("reader", "owner", { member: { role: "manager" } }),
      ],
      edges: {
        ...{ owner: founder, "second owner": byOwner },
        reader: { keys: ["second owner"], role: ["owner"], name: ["second owner"] },
      },
      vouched: ["owner", "second owner", "reader"],
    },
    "a manager has given a reader keys, and an owner had vouched before: the reader becomes an owner": {
      list: [
        ...[owner, manager, { of: "reader", by: "owner" } as const],
        replace("reader", "manager", { key: "reader, second key" }),
        replace("reader", "owner", { key: "reader, second key", member: { role: "owner" } }),
      ],
      edges: { owner: founder, manager: byOwner, reader: { keys: [], role: ["owner"], name: ["owner"] } },
      vouched: ["owner", "manager"],
    },
    "a reader of an owner and a manager becomes a manager": {
      list: [
        ...[owner, manager, { of: "reader", by: "owner" } as const, vouch("manager", "reader")],
        replace("reader", "owner", { member: { role: "manager" } }),
      ],
      edges: { owner: founder, manager: byOwner, reader: byOwner },
      vouched: ["owner", "manager", "reader"],
    },
    "a reader of a manager becomes an owner by the recovery key": {
      list: [
        ...team,
        { of: "signing recovery", by: "owner" },
        replace("reader", "signing recovery", { member: { role: "owner" } }),
      ],
      edges: {
        ...{ owner: founder, manager: byOwner, "signing recovery": byOwner },
        reader: { all: ["signing recovery"] },
      },
      vouched: ["owner", "manager", "reader", "signing recovery"],
    },
    "somebody for whom nobody vouched is let in again as they were": {
      list: [
        ...[owner, manager, second, { of: "reader", by: "manager" } as const],
        replace("reader", "reader", { key: "reader, second key" }),
        remove("manager"),
        replace("reader", "owner", { key: "reader, second key", ...admittedBy("second owner") }),
      ],
      edges: { owner: founder, "second owner": byOwner, reader: { all: ["owner", "second owner"] } },
      vouched: ["owner", "reader", "second owner"],
    },
    "the founder is let in again as they were": {
      list: [...team, second, replace("owner", "second owner", admittedBy("second owner"))],
      edges: {
        owner: { all: [["owner"], ["second owner"]] },
        ...{ manager: byOwner, "second owner": byOwner, reader: byManager },
      },
      vouched: ["owner", "manager", "second owner", "reader"],
    },
    "a recovery key signs for an owner who is one": {
      list: [...team, { of: "signing recovery", by: "owner" }, replace("owner", "signing recovery")],
      edges: { owner: founder, manager: byOwner, reader: byManager, "signing recovery": byOwner },
      vouched: ["owner", "manager", "reader", "signing recovery"],
    },
    "the founder has made themself a reader": {
      list: [...team, second, replace("owner", "owner", { member: { role: "reader" } })],
      own: "second owner",
      edges: { owner: cut, manager: cut, "second owner": cut, reader: byManager },
      vouched: ["second owner"],
    },
    "a manager whom an owner had vouched for became a reader before that owner became a manager": {
      list: [
        ...[owner, manager, second],
        vouch("second owner", "manager"),
        replace("manager", "owner", { member: { role: "reader" } }),
        lower("second owner", "owner"),
      ],
      edges: {
        owner: founder,
        manager: { keys: [["owner"], ["second owner"]], role: ["owner"], name: [["owner"], ["second owner"]] },
        "second owner": byOwner,
      },
      vouched: ["owner", "manager", "second owner"],
    },
    "a manager vouches for own keys, and for somebody who lost theirs": {
      list: [
        ...([owner, manager, second, { of: "reader", by: "owner" }, { of: "developer", by: "second owner" }] as const),
        replace("reader", "reader", { key: "reader, second key" }),
        remove("second owner"),
        vouch("manager", "reader", "developer"),
      ],
      edges: {
        owner: founder,
        manager: byOwner,
        reader: { all: [["owner"], ["manager"]] },
        developer: byManager,
      },
      vouched: ["owner", "manager", "reader", "developer"],
    },
    "an owner vouches for everything": {
      list: [
        ...team,
        second,
        replace("reader", "reader", { key: "reader, second key" }),
        vouch("second owner", "reader"),
      ],
      edges: {
        owner: founder,
        manager: byOwner,
        "second owner": byOwner,
        reader: { all: [["manager"], ["second owner"]] },
      },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "two who vouch for each other after the founder has left": {
      list: [
        owner,
        second,
        { of: "stranger", by: "second owner" },
        remove("owner", "second owner"),
        vouch("stranger", "second owner"),
      ],
      edges: { "second owner": { all: ["stranger"] }, stranger: { all: ["second owner"] } },
      vouched: [],
    },
    "two who vouch for each other, on the device of one of them": {
      list: [
        owner,
        second,
        { of: "stranger", by: "second owner" },
        remove("owner", "second owner"),
        vouch("stranger", "second owner"),
      ],
      own: "stranger",
      edges: { "second owner": { all: ["stranger"] }, stranger: { all: ["second owner"] } },
      vouched: ["second owner", "stranger"],
    },
    "somebody who was cut, on their own device": {
      list: [...team, remove("manager")],
      own: "reader",
      edges: { owner: founder, reader: cut },
      vouched: ["owner", "reader"],
    },
    "the founder has replaced the own key": {
      list: [...team, replace("owner", "owner", { key: "second owner" })],
      edges: { owner: { ...founder, ownWord: ["keys"] }, manager: cut, reader: byManager },
      vouched: ["owner"],
    },
    "the founder has replaced the own key, and vouches again": {
      list: [
        ...team,
        replace("owner", "owner", { key: "second owner" }),
        { ...vouch("owner", "manager"), signWith: "second owner" },
      ],
      edges: { owner: { ...founder, ownWord: ["keys"] }, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "another owner has replaced the founder's key": {
      list: [...team, second, replace("owner", "second owner", { key: "second reader" })],
      edges: {
        owner: { keys: ["second owner"], role: [], name: [] },
        manager: cut,
        "second owner": cut,
        reader: byManager,
      },
      vouched: [],
    },
    "another owner has changed the founder's name": {
      list: [...team, second, replace("owner", "second owner", { member: { name: "O." } })],
      edges: {
        owner: { keys: ["owner"], role: ["owner"], name: ["second owner"] },
        manager: byOwner,
        "second owner": byOwner,
        reader: byManager,
      },
      vouched: ["owner", "manager", "second owner", "reader"],
    },
    "an owner by the recovery key": {
      list: [owner, { of: "signing recovery", by: "owner" }, { of: "second owner", by: "signing recovery" }],
      edges: { owner: founder, "signing recovery": byOwner, "second owner": { all: ["signing recovery"] } },
      vouched: ["owner", "signing recovery", "second owner"],
    },
    "an owner by the recovery key becomes a manager": {
      list: [
        ...[
          owner,
          { of: "signing recovery", by: "owner" } as const,
          { of: "second owner", by: "signing recovery" } as const,
        ],
        lower("second owner", "owner"),
      ],
      edges: {
        ...{ owner: founder, "signing recovery": byOwner },
        "second owner": { keys: ["signing recovery"], role: ["owner"], name: ["signing recovery"] },
      },
      vouched: ["owner", "signing recovery", "second owner"],
    },
    "another owner vouches for the founder": {
      list: [...team, second, vouch("second owner", "owner")],
      edges: {
        owner: { all: [["owner"], ["second owner"]] },
        manager: byOwner,
        "second owner": byOwner,
        reader: byManager,
      },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "an owner vouches for the founder, who is a manager now": {
      list: [
        ...team,
        second,
        replace("owner", "second owner", { member: { role: "manager" } }),
        vouch("second owner", "owner"),
      ],
      own: "second owner",
      edges: { owner: { all: ["second owner"] }, manager: cut, "second owner": cut, reader: byManager },
      vouched: ["owner", "second owner"],
    },
    "another owner has given the founder another recipient alone": {
      list: [...team, second, replace("owner", "second owner", { member: await recipientOf("stranger") })],
      edges: {
        owner: { keys: ["second owner"], role: ["owner"], name: ["owner"] },
        manager: byOwner,
        "second owner": byOwner,
        reader: byManager,
      },
      vouched: [],
    },
  };
}

export async function vouchingVectors(): Promise<readonly VouchingVector[]> {
  return Promise.all(
    Object.entries(await cases()).map(async ([name, { list, own = null, edges, vouched }]) => {
      const toIds = (people: readonly Person[]) => people.map(idOf).sort();
      const isOne = (leads: Leads): leads is readonly Person[] => leads.some((one) => typeof one === "string");
      const toSets = (leads: Leads = []) => (isOne(leads) ? [toIds(leads)] : leads.map(toIds).sort());
      const toEdges = ({ all, ownWord = [], ...own }: NonNullable<Expected[Person]>): Edges => ({
        ...{ keys: toSets(own.keys ?? all), role: toSets(own.role ?? all), name: toSets(own.name ?? all), ownWord },
      });
      return {
        ...{ name: `vouching: ${name}`, organizationId, list: await createList(list) },
        ...{ trust: await signingKey("owner"), own },
        edges: Object.fromEntries(Object.entries(edges).map(([person, one]) => [idOf(person as Person), toEdges(one)])), // a key of the object
        vouched: toIds(vouched),
      };
    }),
  );
}
