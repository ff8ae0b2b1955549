import type { ListHead } from "../list.ts";
import type { ListReason } from "../refusal.ts";
import { hashOf } from "../text.ts";
import { admittedBy, createEntry, headOf, type Step, signingKey } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person } from "./people.ts";

/** vectors/list-parts.json. */
export interface PartVectors {
  /** Parts as they were received. */
  readonly texts: Readonly<Record<string, string>>;
  readonly vectors: readonly PartVector[];
}

export interface PartVector {
  readonly name: string;
  readonly organizationId: string;
  readonly trust: { readonly head: ListHead } | { readonly signingKey: string };
  /** The number of the first entry, as the service says it. */
  readonly first: number;
  /** Names of `texts`. */
  readonly parts: readonly string[];
  readonly outcome: "verified" | ListReason;
  /** For vectors that are verified. */
  readonly head?: ListHead;
  readonly members?: readonly string[];
}

const first: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  { of: "reader", by: "manager" },
  { of: "signing recovery", by: "owner" },
  { of: "second owner", by: "owner" },
];
const begin: Step = { change: "begin", of: "owner", by: "owner" };
const carry = (of: Person, more: Partial<Step> = {}): Step => ({ change: "carry", of, by: "owner", ...more });
const byRecovery: readonly Step[] = [
  { change: "begin", of: "second owner", by: "signing recovery", key: "reader, second key" },
  { of: "reader", by: "second owner", signWith: "reader, second key" },
];
const otherOwner: Step = { change: "begin", of: "second owner", by: "owner" };

export type Parts = readonly (readonly Step[])[];
/** `from`: the part that is the first one received. `trust`: a number of an entry, or whose signing key. */
interface Case {
  readonly parts: Parts;
  readonly trust: number | KeyName;
  readonly from?: number;
  readonly without?: number;
  /** Instead of the number of the first entry. */
  readonly first?: number;
  readonly members?: readonly Person[];
}

const two: Parts = [first, [begin, carry("manager"), carry("reader")]];
const three: Parts = [first, [begin, carry("manager")], [begin, carry("manager"), { of: "reader", by: "manager" }]];
const admitted: Step = { of: "developer", by: "owner", ...admittedBy("second owner") };

async function verifiedCases(): Promise<Readonly<Record<string, Case>>> {
  const trio = ["owner", "manager", "reader"] as const;
  const { recipient } = await findPersonalKey("second reader");
  return {
    "an owner begins a part": { parts: two, trust: 5, members: trio },
    "the newest part alone, by a key": { parts: two, trust: "owner", from: 1, members: trio },
    "the newest part alone, by its first entry": { parts: two, trust: 6, from: 1, members: trio },
    "an owner begins a part with another recipient and name": {
      ...{ parts: [first, [{ ...begin, member: { recipient, name: "Other" } }]], trust: 5, members: ["owner"] },
    },
    "a recovery key begins a part": { parts: [first, byRecovery], trust: 4, members: ["second owner", "reader"] },
    "a part that a recovery key began, alone, by that key": {
      ...{ parts: [first, byRecovery], from: 1, trust: "signing recovery", members: ["second owner", "reader"] },
    },
    "a part that somebody began for another, alone, by that key: what was before says more": {
      ...{ parts: [first, [otherOwner]], from: 1, trust: "owner", members: ["second owner"] },
    },
    "three parts": { parts: three, trust: 2, members: trio },
    "the last two of three parts": { parts: three, trust: 7, from: 1, members: trio },
    "the last of three parts": { parts: three, trust: "manager", from: 2, members: trio },
    "carried with other edges": {
      parts: [
        first,
        [
          begin,
          carry("manager", {
            edges: { keys: [idOf("owner")], role: [], name: [idOf("owner")], ownWord: ["keys", "name"] },
          }),
        ],
      ],
      ...{ trust: 5, members: ["owner", "manager"] },
    },
    "carried with another key": {
      ...{
        parts: [first, [begin, carry("manager", { key: "second reader" })]],
        trust: 5,
        members: ["owner", "manager"],
      },
    },
    "carried, and not there before": {
      parts: [first, [begin, carry("developer")]],
      trust: 5,
      members: ["owner", "developer"],
    },
    "an admission that the part before has used": {
      ...{
        parts: [
          [...first, admitted],
          [begin, carry("second owner"), { ...admitted }],
        ],
        trust: 6,
      },
      members: ["owner", "second owner", "developer"],
    },
    "left out, and added again": {
      parts: [first, [begin, { of: "manager", by: "owner" }]],
      trust: 5,
      members: ["owner", "manager"],
    },
    "what came before another owner is gone": {
      ...{
        parts: [
          first,
          [begin],
          [{ ...begin }, carry("second owner"), { change: "remove", of: "owner", by: "second owner" }],
        ],
      },
      ...{ trust: 6, members: ["second owner"] },
    },
  };
}

async function refusedCases(): Promise<Readonly<Partial<Record<ListReason, Readonly<Record<string, Case>>>>>> {
  const other = await findPersonalKey("hybrid recovery");
  const others = await signingKey("hybrid recovery");
  const withOther: readonly Step[] = [...first, { of: "hybrid recovery", by: "owner", member: others }];
  const recoveryBegins = (of: Person, more: Partial<Step> = {}): Case => ({
    ...{ parts: [withOther, [{ change: "begin", of, by: "signing recovery", ...more }]], trust: 6 },
  });
  const begins = (step: Partial<Step>, ...more: readonly Step[]): Case => ({
    ...{ parts: [first, [{ ...begin, ...step }, ...more]], trust: 5 },
  });
  const seconds = await signingKey("second reader");
  return {
    broken_chain: {
      "a part that another entry begins": {
        parts: [first, [{ of: "developer", by: "owner" }]],
        from: 1,
        trust: "owner",
      },
      "one part that came as two": { parts: [first.slice(0, 3), first.slice(3)], trust: 3 },
      "two parts that came as one": { parts: [two.flat()], trust: 5 },
      "another number than the service says": { parts: two, from: 1, first: 7, trust: "owner" },
      "a list that begins with a new part": {
        parts: [[{ ...begin, content: { number: 1, previous: null } }]],
        trust: "owner",
      },
      "a part between is missing": { parts: three, without: 1, trust: 5 },
    },
    old_list: {
      "what was seen is of a part that was not received": { parts: two, from: 1, trust: 5 },
      "the part that was seen is missing": { parts: two, without: 1, trust: 6 },
    },
    forked: { "another part than the one that was seen": { parts: [first, [otherOwner]], trust: 6 } },
    not_vouched: { "nothing of the newest part is signed with the key": { parts: three, from: 1, trust: "reader" } },
    not_signed: {
      "begun by an owner who was removed": {
        ...{
          parts: [
            [...first, { change: "remove", of: "second owner", by: "owner" }],
            [{ ...otherOwner, by: "second owner" }],
          ],
          trust: 6,
        },
      },
      "begun by a recovery key, alone": { parts: [first, byRecovery], from: 1, trust: "owner" },
      "begun by another owner, alone": { parts: [first, [otherOwner]], from: 1, trust: "second owner" },
      "begun in the name of an owner": begins({ signWith: "second owner" }),
      "signed by a member who was left out": begins({}, { of: "developer", by: "manager" }),
    },
    not_allowed: {
      "begun by a manager": begins({ of: "manager", by: "manager", member: { role: "owner" } }),
      "begun by a manager for an owner": begins({ by: "manager" }),
      "begun by a reader": begins({ of: "reader", by: "reader", member: { role: "owner" } }),
      "begun by an owner for another one": begins(otherOwner),
      "begun by an owner with another signing key": begins({ member: seconds }),
      "begun by an owner who becomes a manager": begins({ member: { role: "manager" } }),
      "begun by a recovery key for itself": recoveryBegins("signing recovery", { member: { role: "owner" } }),
      "begun by a recovery key with its own keys": recoveryBegins("developer", {
        key: "signing recovery",
        member: { role: "owner" },
      }),
      "begun by a recovery key for another one": recoveryBegins("hybrid recovery", {
        key: "second reader",
        member: { role: "owner", ...seconds },
      }),
      "begun by a recovery key with the recipient of another one": recoveryBegins("developer", {
        member: { role: "owner", recipient: other.recipient },
      }),
      "begun by a recovery key with the signing key of another one": recoveryBegins("developer", {
        member: { role: "owner", ...others },
      }),
      "begun by a recovery key with its own signing key, alone": {
        ...{
          parts: [
            first,
            [
              {
                ...byRecovery[0],
                ...{
                  change: "begin",
                  of: "second owner",
                  by: "signing recovery",
                  member: await signingKey("signing recovery"),
                },
              },
            ],
          ],
        },
        ...{ from: 1, trust: "signing recovery" },
      },
      "begun by a recovery key with a reader": recoveryBegins("reader", { member: { role: "reader" } }),
      "begun by a recovery key with a critical extension": recoveryBegins("second owner", {
        content: { extensions: { later: 1 }, critical: ["later"] },
      }),
      "carried by a manager": begins({}, carry("manager"), carry("reader", { by: "manager" })),
      "carried after somebody was added": begins(
        {},
        carry("manager"),
        { of: "reader", by: "manager" },
        carry("developer"),
      ),
      "carried after a note": begins({}, { change: "note", of: "owner", by: "owner" }, carry("manager")),
      "carried in the first part": { parts: [[...first, carry("developer")]], trust: 5 },
      "carried twice": begins({}, carry("manager"), carry("manager", { key: "second reader" })),
      "carried with a key that is there": begins({}, carry("manager"), carry("reader", { key: "manager" })),
      "carried, and it is the one who began": begins({}, carry("owner", { key: "second reader" })),
      "an admission twice in a part": begins({}, carry("second owner"), admitted, {
        ...{ of: "stranger", by: "owner", member: { role: "reader" }, ...admittedBy("second owner") },
      }),
    },
    unknown_extension: {
      "begun with a critical extension": begins({ content: { extensions: { later: 1 }, critical: ["later"] } }),
    },
  };
}

export async function partVectors(): Promise<PartVectors> {
  const texts: Record<string, string> = {};
  const vectors: PartVector[] = [];
  const add = async (name: string, outcome: PartVector["outcome"], one: Case) => {
    const made = await createParts(one.parts);
    const kept = made.slice(one.from ?? 0).filter((_, index) => index !== one.without);
    const parts = kept.map((text) => {
      const known = Object.entries(texts).find(([, other]) => other === text)?.[0];
      const key = known ?? `text ${Object.keys(texts).length + 1}`;
      texts[key] = text;
      return key;
    });
    const before = made.slice(0, one.from ?? 0).join("");
    const isOther = outcome === "forked";
    const whole = isOther ? (await createParts(two)).join("") : made.join("");
    const trust =
      typeof one.trust === "number" ? { head: await headOf(whole, one.trust) } : await signingKey(one.trust);
    vectors.push({
      ...{
        name: `parts: ${name}`,
        organizationId,
        trust,
        first: one.first ?? (before.split("\n").length >> 1) + 1,
        parts,
        outcome,
      },
      ...(outcome === "verified" && { head: await headOf(made.join("")), members: (one.members ?? []).map(idOf) }),
    });
  };
  for (const [name, one] of Object.entries(await verifiedCases())) await add(name, "verified", one);
  for (const [outcome, cases] of Object.entries(await refusedCases()))
    for (const [name, one] of Object.entries(cases)) await add(name, outcome as ListReason, one); // a key of the object
  return { texts, vectors };
}

/** The text of each part of a list. */
export async function createParts(parts: Parts): Promise<readonly string[]> {
  const texts: string[] = [];
  let [number, previous]: [number, string | null] = [0, null];
  for (const part of parts) {
    let text = "";
    for (const step of part) {
      number += 1;
      const { line, signed }: { line: string; signed: string } = await createEntry(step, number, previous);
      text += signed;
      previous = await hashOf(line);
    }
    texts.push(text);
  }
  return texts;
}
