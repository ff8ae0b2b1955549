import { identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { hybridIdentityOf } from "../recipient.ts";
import type { ListReason } from "../refusal.ts";
import { hashOf } from "../text.ts";
import { createEntry, createList, headOf, type Step } from "./list-maker.ts";
import { idOf, organizationId } from "./people.ts";

/** vectors/list-places.json. */
export interface PlaceVectors {
  readonly organizationId: string;
  /** How the list begins. After it there is a `note` at each place up to 4,032, and a `remove` at each one from 4,033 on, without extensions. */
  readonly list: string;
  /** The owner who signs these entries, with the key `owner` of personal-keys.json. */
  readonly signedBy: string;
  readonly writtenAt: string;
  /** Who is removed, in this order. */
  readonly removed: readonly string[];
  readonly cases: readonly PlaceCase[];
}

export interface PlaceCase {
  readonly name: string;
  /** All places before this one are taken. */
  readonly place: number;
  /** The entry at this place, as received. */
  readonly entry: string;
  readonly outcome: "verified" | ListReason;
}

const writtenAt = "2026-11-22T08:00:00Z";

const people: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  { of: "signing recovery", by: "owner" },
  { of: "reader", by: "owner" },
];
/** As many as can be removed at the last 64 places. */
const removable = Array.from({ length: 64 }, (_, index) => {
  const letters = "0123456789abcdefghjkmnpqrstvwxyz";
  return `usr_01hk153x00e5rbcwg8rxcnh8${index < 32 ? "q" : "r"}${letters[index % 32]}`;
});

async function addProgram(id: string): Promise<Step> {
  const recipient = await identityToRecipient(hybridIdentityOf(await derive("identity", id, 32)));
  return { of: "program", by: "owner", member: { id, name: id, recipient } };
}

/** Each with the stages in which it is allowed. */
const steps: Readonly<Record<string, readonly [Step, ...("never" | "owners" | "removals" | "full")[]]>> = {
  "an owner adds": [{ of: "second reader", by: "owner" }, "owners"],
  "an owner notes": [{ change: "note", of: "owner", by: "owner" }, "owners"],
  "an owner replaces the own keys": [{ change: "replace", of: "owner", by: "owner", key: "second owner" }, "owners"],
  "an owner removes": [{ change: "remove", of: "reader", by: "owner" }, "owners", "removals"],
  "a recovery key adds an owner": [{ of: "second owner", by: "signing recovery" }, "owners"],
  "an owner vouches": [{ change: "vouch", of: "owner", by: "owner", vouched: ["manager"] }, "owners"],
  "an owner begins a part": [{ change: "begin", of: "owner", by: "owner" }, "owners", "removals", "full"],
  "a recovery key begins a part": [
    { change: "begin", of: "second owner", by: "signing recovery" },
    ...(["owners", "removals", "full"] as const),
  ],
  "a manager begins a part": [{ change: "begin", of: "manager", by: "manager", member: { role: "owner" } }, "never"],
  "a manager adds": [{ of: "second reader", by: "manager" }],
  "a manager removes": [{ change: "remove", of: "reader", by: "manager" }],
  "a manager replaces the own keys": [{ change: "replace", of: "manager", by: "manager", key: "second owner" }],
  "a reader replaces the own keys": [{ change: "replace", of: "reader", by: "reader", key: "reader, second key" }],
  "a reader leaves": [{ change: "remove", of: "reader", by: "reader" }],
};

const places = [
  [3072, "open"],
  [3073, "owners"],
  [4032, "owners"],
  [4033, "removals"],
  [4096, "removals"],
  [4097, "full"],
] as const;

/** A list that is full, and what may stand at its places. */
export async function placeVectors(): Promise<PlaceVectors> {
  const list = await createList([...people, ...(await Promise.all(removable.map(addProgram)))]);
  const { hashes } = await fill(list);
  const cases: PlaceCase[] = [];
  const add = async (name: string, step: Step, place: number, outcome: PlaceCase["outcome"]) => {
    const { signed: entry } = await createEntry(step, place, hashes[place - 1] ?? null);
    cases.push({ name: `${name}, at place ${place}`, place, entry, outcome });
  };
  for (const [place, stage] of places)
    for (const [name, [step, ...stages]] of Object.entries(steps)) {
      const isAllowed = stage === "open" ? !stages.includes("never") : stages.includes(stage);
      await add(name, step, place, isAllowed ? "verified" : "not_allowed");
    }
  return { organizationId, list, signedBy: idOf("owner"), writtenAt, removed: removable, cases };
}

/** The entries after `list` up to place 4,096, as text, and the hash of the entry at each place. */
export async function fill(list: string): Promise<{
  readonly entries: readonly string[];
  readonly hashes: readonly (string | undefined)[];
}> {
  const { number, hash } = await headOf(list);
  const hashes: (string | undefined)[] = [...Array<undefined>(number), hash];
  const entries: string[] = [];
  for (let place = number + 1; place <= 4096; place++) {
    const id = removable[place - 4033];
    const step: Step = { change: id === undefined ? "note" : "remove", of: "owner", by: "owner", member: { id } };
    const { line, signed } = await createEntry(step, place, hashes[place - 1] ?? null);
    entries.push(signed);
    hashes.push(await hashOf(line));
  }
  return { entries, hashes };
}
