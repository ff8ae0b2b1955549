import type { Edges } from "../list-entry.ts";
import { admittedBy, type Step, signingKey } from "./list-maker.ts";
import { createParts, type Parts } from "./list-parts.ts";
import { idOf, type KeyName, organizationId, type Person } from "./people.ts";

/** One entry of vectors/list-vouching.json: a list that verifies. */
export interface VouchingVector {
  readonly name: string;
  readonly organizationId: string;
  /** The number of the first entry that was received. */
  readonly first: number;
  readonly parts: readonly string[];
  readonly trust: { readonly signingKey: string };
  /** The name in personal-keys.json of the keys that are open on the device. */
  readonly own: KeyName | null;
  /** By the ids of members. */
  readonly edges: Readonly<Record<string, Edges>>;
  /** Ascending. */
  readonly vouched: readonly string[];
}

/** By names: the edges of keys, role and name, and the own words. `all` stands for the three alike. */
type Expected = Partial<
  Record<
    Person,
    { all?: readonly Person[]; ownWord?: Edges["ownWord"] } & Partial<
      Record<"keys" | "role" | "name", readonly Person[]>
    >
  >
>;

interface Case {
  readonly parts: Parts;
  readonly from?: number;
  readonly own?: KeyName;
  readonly trust?: KeyName;
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
const carry = (of: Person, more: Partial<Step> = {}): Step => ({ change: "carry", of, by: "owner", ...more });
const begin: Step = { change: "begin", of: "owner", by: "owner" };

const beginSecond: Step = { change: "begin", of: "second owner", by: "second owner" };

const carriedBySecond = [
  ["owner", "owner"],
  ["manager", "owner"],
  ["reader", "manager"],
].map(([of, by]) => carry(of as Person, { by: "second owner", edges: toAll(by as Person) })); // each is one

function toAll(person: Person): Partial<Edges> {
  const ids = [idOf(person)];
  return { keys: ids, role: ids, name: ids };
}

const founder = { all: ["owner"] } as const;
const byOwner = { all: ["owner"] } as const;
const byManager = { all: ["manager"] } as const;
const cut = { all: [] } as const;

function cases(): Readonly<Record<string, Case>> {
  return {
    "everybody, through the founder": {
      parts: [team],
      edges: { owner: founder, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager was removed": {
      parts: [[...team, remove("manager")]],
      edges: { owner: founder, reader: cut },
      vouched: ["owner"],
    },
    "a manager was removed and came back": {
      parts: [[...team, remove("manager"), manager]],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a manager was removed, and an owner vouches": {
      parts: [[...team, remove("manager"), vouch("owner", "reader")]],
      edges: { owner: founder, reader: byOwner },
      vouched: ["owner", "reader"],
    },
    "an accomplice by another's terms": {
      parts: [[owner, manager, { of: "reader", by: "owner", ...admittedBy("manager") }, remove("manager")]],
      edges: { owner: founder, reader: cut },
      vouched: ["owner"],
    },
    "an admission that somebody else completed": {
      parts: [[owner, manager, { of: "reader", by: "owner", ...admittedBy("manager") }]],
      edges: { owner: founder, manager: byOwner, reader: { all: ["owner", "manager"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager became a developer": {
      parts: [[...team, replace("manager", "owner", { member: { role: "developer" } })]],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "an owner became a manager": {
      parts: [
        [
          owner,
          second,
          { of: "reader", by: "second owner" },
          replace("second owner", "owner", { member: { role: "manager" } }),
        ],
      ],
      edges: { owner: founder, "second owner": byOwner, reader: { all: ["second owner"] } },
      vouched: ["owner", "second owner", "reader"],
    },
    "a stolen key was replaced": {
      parts: [[...team, replace("manager", "owner", { key: "second reader" })]],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a manager has replaced the own key": {
      parts: [[...team, replace("manager", "manager", { key: "second reader" })]],
      edges: { owner: founder, manager: { ...byOwner, ownWord: ["keys"] }, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "own words, and then another role": {
      parts: [
        [
          ...team,
          replace("reader", "reader", { key: "reader, second key", member: { name: "R." } }),
          replace("reader", "owner", { key: "reader, second key", member: { name: "R.", role: "auditor" } }),
        ],
      ],
      edges: {
        owner: founder,
        manager: byOwner,
        reader: { keys: ["manager"], role: ["owner"], name: ["manager"], ownWord: ["keys", "name"] },
      },
      vouched: ["owner", "manager", "reader"],
    },
    "own keys, and then keys by somebody else": {
      parts: [
        [
          ...team,
          replace("reader", "reader", { key: "reader, second key" }),
          replace("reader", "owner", { key: "second reader" }),
        ],
      ],
      edges: { owner: founder, manager: byOwner, reader: { keys: ["owner"], role: ["manager"], name: ["manager"] } },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager's vouching takes no edge that leads somewhere": {
      parts: [[owner, manager, { of: "reader", by: "owner" }, vouch("manager", "reader")]],
      edges: { owner: founder, manager: byOwner, reader: byOwner },
      vouched: ["owner", "manager", "reader"],
    },
    "a manager vouches for own keys, and for somebody who lost theirs": {
      parts: [
        [
          ...([
            owner,
            manager,
            second,
            { of: "reader", by: "owner" },
            { of: "developer", by: "second owner" },
          ] as const),
          replace("reader", "reader", { key: "reader, second key" }),
          remove("second owner"),
          vouch("manager", "reader", "developer"),
        ],
      ],
      edges: {
        owner: founder,
        manager: byOwner,
        reader: { keys: ["manager"], role: ["owner"], name: ["owner"] },
        developer: byManager,
      },
      vouched: ["owner", "manager", "reader", "developer"],
    },
    "an owner vouches for everything": {
      parts: [
        [...team, second, replace("reader", "reader", { key: "reader, second key" }), vouch("second owner", "reader")],
      ],
      edges: { owner: founder, manager: byOwner, "second owner": byOwner, reader: { all: ["second owner"] } },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "two who vouch for each other after the founder has left": {
      parts: [
        [
          owner,
          second,
          { of: "stranger", by: "second owner" },
          remove("owner", "second owner"),
          vouch("stranger", "second owner"),
        ],
      ],
      edges: { "second owner": { all: ["stranger"] }, stranger: { all: ["second owner"] } },
      vouched: [],
    },
    "two who vouch for each other, on the device of one of them": {
      parts: [
        [
          owner,
          second,
          { of: "stranger", by: "second owner" },
          remove("owner", "second owner"),
          vouch("stranger", "second owner"),
        ],
      ],
      own: "stranger",
      edges: { "second owner": { all: ["stranger"] }, stranger: { all: ["second owner"] } },
      vouched: ["second owner", "stranger"],
    },
    "somebody who was cut, on their own device": {
      parts: [[...team, remove("manager")]],
      own: "reader",
      edges: { owner: founder, reader: cut },
      vouched: ["owner", "reader"],
    },
    "the founder has replaced the own key": {
      parts: [[...team, replace("owner", "owner", { key: "second owner" })]],
      edges: { owner: { ...founder, ownWord: ["keys"] }, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "another owner has replaced the founder's key": {
      parts: [[...team, second, replace("owner", "second owner", { key: "second reader" })]],
      edges: {
        owner: { keys: ["second owner"], role: [], name: [] },
        manager: cut,
        "second owner": cut,
        reader: byManager,
      },
      vouched: [],
    },
    "another owner has changed the founder's name": {
      parts: [[...team, second, replace("owner", "second owner", { member: { name: "O." } })]],
      edges: {
        owner: { keys: ["owner"], role: ["owner"], name: ["second owner"] },
        manager: byOwner,
        "second owner": byOwner,
        reader: byManager,
      },
      vouched: ["owner", "manager", "second owner", "reader"],
    },
    "an owner by the recovery key": {
      parts: [[owner, { of: "signing recovery", by: "owner" }, { of: "second owner", by: "signing recovery" }]],
      edges: { owner: founder, "signing recovery": byOwner, "second owner": { all: ["signing recovery"] } },
      vouched: ["owner", "signing recovery", "second owner"],
    },
    "a new part, with the one before": {
      parts: [team, [begin, carry("manager"), carry("reader")]],
      edges: { owner: founder, manager: byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader"],
    },
    "a program of a manager who was left out": {
      parts: [
        [owner, manager, { of: "program", by: "manager" }],
        [begin, carry("program")],
      ],
      edges: { owner: founder, program: cut },
      vouched: ["owner"],
    },
    "carried with other edges, with the part before": {
      parts: [
        [owner, manager, reader],
        [begin, carry("reader", { edges: { keys: [idOf("owner")], role: [idOf("owner")], name: [idOf("owner")] } })],
      ],
      edges: { owner: founder, reader: cut },
      vouched: ["owner"],
    },
    "carried with other edges, alone": {
      parts: [
        [owner, manager, reader],
        [
          begin,
          carry("reader", {
            edges: { keys: [idOf("owner")], role: [idOf("owner")], name: [idOf("owner")], ownWord: ["name"] },
          }),
        ],
      ],
      from: 1,
      edges: { owner: founder, reader: { ...byOwner, ownWord: ["name"] } },
      vouched: ["owner", "reader"],
    },
    "carried with edges to somebody who is carried later, alone": {
      parts: [
        [owner, manager, reader],
        [
          begin,
          carry("reader", {
            edges: { keys: [idOf("manager")], role: [idOf("manager")], name: [idOf("second owner")] },
          }),
          carry("manager", { edges: { keys: [idOf("owner")], role: [idOf("owner")], name: [idOf("owner")] } }),
        ],
      ],
      from: 1,
      edges: { owner: founder, manager: byOwner, reader: { keys: ["manager"], role: ["manager"], name: [] } },
      vouched: ["owner", "manager"],
    },
    "carried with another key": {
      parts: [team, [begin, carry("manager", { key: "second reader" }), carry("reader")]],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "carried as something less": {
      parts: [team, [begin, carry("manager", { member: { role: "auditor" } }), carry("reader")]],
      edges: { owner: founder, manager: byOwner, reader: cut },
      vouched: ["owner", "manager"],
    },
    "a recovery key begins a part with another owner": {
      parts: [
        [owner, { of: "signing recovery", by: "owner" }, second, { of: "reader", by: "second owner" }],
        [
          { change: "begin", of: "second owner", by: "signing recovery", key: "second reader" },
          carry("reader", { by: "second owner", signWith: "second reader" }),
        ],
      ],
      edges: { "second owner": cut, reader: cut },
      vouched: [],
    },
    "a recovery key begins a part with another owner, and is carried": {
      parts: [
        [owner, { of: "signing recovery", by: "owner" }],
        [
          { change: "begin", of: "second owner", by: "signing recovery" },
          carry("owner", { by: "second owner" }),
          carry("signing recovery", { by: "second owner" }),
        ],
      ],
      edges: { owner: founder, "second owner": { all: ["signing recovery"] }, "signing recovery": byOwner },
      vouched: ["owner", "second owner", "signing recovery"],
    },
    "an owner for whom nobody vouches begins a part": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }, remove("owner", "second owner")],
        [beginSecond, carry("manager", { by: "second owner" })],
      ],
      edges: { "second owner": cut, manager: { all: ["second owner"] } },
      vouched: [],
    },
    "an owner for whom nobody vouches begins a part, on a manager's device": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }, remove("owner", "second owner")],
        [beginSecond, carry("manager", { by: "second owner" })],
      ],
      own: "manager",
      edges: { "second owner": cut, manager: { all: ["second owner"] } },
      vouched: ["manager"],
    },
    "an owner begins a part without the one who let them in": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }],
        [beginSecond, carry("manager", { by: "second owner" })],
      ],
      edges: { "second owner": cut, manager: { all: ["second owner"] } },
      vouched: [],
    },
    "an owner begins a part, and the one who let them in is removed later": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }],
        [
          beginSecond,
          carry("owner", { by: "second owner" }),
          carry("manager", { by: "second owner" }),
          remove("owner", "second owner"),
        ],
      ],
      edges: { "second owner": cut, manager: { all: ["second owner"] } },
      vouched: [],
    },
    "an owner who was let in by the founder begins a part": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }],
        [beginSecond, carry("owner", { by: "second owner" }), carry("manager", { by: "second owner" })],
      ],
      edges: { owner: founder, "second owner": byOwner, manager: { all: ["second owner"] } },
      vouched: ["owner", "second owner", "manager"],
    },
    "another owner vouches for the founder": {
      parts: [[...team, second, replace("owner", "owner", { key: "stranger" }), vouch("second owner", "owner")]],
      edges: { owner: founder, manager: byOwner, "second owner": byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "another owner vouches for the founder, in a part that they have begun": {
      parts: [
        [...team, second],
        [beginSecond, ...carriedBySecond, vouch("second owner", "owner")],
      ],
      edges: { owner: founder, manager: byOwner, "second owner": byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "another owner vouches for the founder, in a part that they have begun, alone": {
      parts: [
        [...team, second],
        [beginSecond, ...carriedBySecond, vouch("second owner", "owner")],
      ],
      from: 1,
      trust: "second owner",
      edges: {
        owner: { all: ["second owner"] },
        manager: byOwner,
        "second owner": { all: ["second owner"] },
        reader: byManager,
      },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "an owner vouches for the founder, who is a manager now": {
      parts: [
        [
          ...team,
          second,
          replace("owner", "second owner", { member: { role: "manager" } }),
          vouch("second owner", "owner"),
        ],
      ],
      own: "second owner",
      edges: { owner: { all: ["second owner"] }, manager: byOwner, "second owner": byOwner, reader: byManager },
      vouched: ["owner", "manager", "reader", "second owner"],
    },
    "carried by an owner for whom nobody vouches, and not in the part before": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }, { of: "second reader", by: "owner" }, remove("manager")],
        [
          beginSecond,
          carry("owner", { by: "second owner", edges: toAll("owner") }),
          carry("manager", { by: "second owner", edges: toAll("owner") }),
          carry("recovery", { by: "second owner", edges: toAll("owner") }),
        ],
      ],
      edges: {
        owner: founder,
        "second owner": byOwner,
        manager: { all: ["second owner"] },
        recovery: { all: ["second owner"] },
      },
      vouched: ["owner", "second owner", "manager", "recovery"],
    },
    "the founder is left out of a part, and another one carried under their id": {
      parts: [
        [owner, second, manager],
        [beginSecond, carry("manager", { by: "second owner", edges: toAll("owner") })],
        [
          beginSecond,
          carry("manager", { by: "second owner", edges: toAll("owner") }),
          carry("owner", { by: "second owner", key: "stranger", edges: toAll("owner") }),
        ],
      ],
      edges: { "second owner": cut, manager: cut, owner: { all: ["second owner"] } },
      vouched: [],
    },
    "an owner begins a part, alone": {
      parts: [
        [owner, second, { of: "manager", by: "second owner" }],
        [
          beginSecond,
          carry("manager", {
            by: "second owner",
            edges: { keys: [idOf("second owner")], role: [idOf("second owner")], name: [idOf("second owner")] },
          }),
        ],
      ],
      from: 1,
      trust: "second owner",
      edges: { "second owner": { all: ["second owner"] }, manager: { all: ["second owner"] } },
      vouched: ["second owner", "manager"],
    },
    "an owner begins a part with another name": {
      parts: [
        [owner, second],
        [{ ...beginSecond, member: { name: "S." } }, carry("owner", { by: "second owner" })],
      ],
      edges: { owner: founder, "second owner": { ...byOwner, ownWord: ["name"] } },
      vouched: ["owner", "second owner"],
    },
  };
}

export async function vouchingVectors(): Promise<readonly VouchingVector[]> {
  return Promise.all(
    Object.entries(cases()).map(async ([name, { parts, from = 0, own = null, trust = "owner", edges, vouched }]) => {
      const made = await createParts(parts);
      const before = made.slice(0, from).join("");
      const toIds = (people: readonly Person[] = []) => people.map(idOf).sort();
      const toEdges = ({ all, ownWord = [], ...own }: NonNullable<Expected[Person]>): Edges => ({
        ...{ keys: toIds(own.keys ?? all), role: toIds(own.role ?? all), name: toIds(own.name ?? all), ownWord },
      });
      return {
        ...{
          name: `vouching: ${name}`,
          organizationId,
          first: (before.split("\n").length >> 1) + 1,
          parts: made.slice(from),
        },
        ...{ trust: await signingKey(trust), own },
        edges: Object.fromEntries(Object.entries(edges).map(([person, one]) => [idOf(person as Person), toEdges(one)])), // a key of the object
        vouched: toIds(vouched),
      };
    }),
  );
}
