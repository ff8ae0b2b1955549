import type { ListReason } from "../refusal.ts";
import { hashOf } from "../text.ts";
import { createEntry, createList, headOf, type Step } from "./list-maker.ts";
import { idOf, organizationId } from "./people.ts";

/** vectors/list-places.json. */
export interface PlaceVectors {
  readonly organizationId: string;
  /** How the list begins; its last entry has place 1. After it there is a `vouch` at each place, without extensions. */
  readonly list: string;
  /** The manager who signs these entries, with the key `manager` of personal-keys.json. */
  readonly signedBy: string;
  readonly writtenAt: string;
  /** The member whom each of them vouches for. */
  readonly vouched: string;
  readonly cases: readonly PlaceCase[];
}

export interface PlaceCase {
  readonly name: string;
  /** All places before this one are taken. */
  readonly place: number;
  /** The entry at this place and others that follow it, as received: the last one is taken or not, the others are. */
  readonly entries: readonly string[];
  readonly outcome: "verified" | ListReason;
}

const people: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  { of: "signing recovery", by: "owner" },
  { of: "second owner", by: "owner" },
  { of: "reader", by: "owner" },
];
const last = 1024;
const own = { change: "replace", key: "reader, second key" } as const;
const vouch: Step = { change: "vouch", of: "manager", by: "manager", vouched: ["reader"] };

/** Entries of others than owners and recovery keys. */
const bounded: Readonly<Record<string, Step>> = {
  "a manager adds": { of: "second reader", by: "manager" },
  "a manager removes": { change: "remove", of: "reader", by: "manager" },
  "a manager vouches": vouch,
  "a manager replaces the own keys": { ...own, of: "manager", by: "manager" },
  "a reader replaces the own keys": { ...own, of: "reader", by: "reader" },
  "a reader leaves": { change: "remove", of: "reader", by: "reader" },
};
const unbounded: Readonly<Record<string, Step>> = {
  "an owner notes": { change: "note", of: "owner", by: "owner" },
  "an owner adds": { of: "second reader", by: "owner" },
  "an owner removes": { change: "remove", of: "second owner", by: "owner" },
  "an owner makes themself a manager": {
    ...{ change: "replace", of: "second owner", by: "second owner", member: { role: "manager" } },
  },
  "a recovery key adds an owner": { of: "stranger", by: "signing recovery", member: { role: "owner" } },
};

/** A list that a manager continues as long as they may, and what may stand at its places. */
export async function placeVectors(): Promise<PlaceVectors> {
  const list = await createList(people);
  const { number, hash } = await headOf(list);
  const hashes = [hash, ...(await fill(list)).hashes];
  const cases: PlaceCase[] = [];
  const add = async (name: string, place: number, steps: readonly Step[], outcome: PlaceCase["outcome"]) => {
    const entries: string[] = [];
    let previous = hashes[place - 2] ?? null;
    for (const [index, step] of steps.entries()) {
      const { line, signed } = await createEntry(step, number + place - 1 + index, previous);
      entries.push(signed);
      previous = await hashOf(line);
    }
    cases.push({ name: `${name}, at place ${place}`, place, entries, outcome });
  };
  for (const place of [last - 1, last, last + 1]) {
    for (const [name, step] of Object.entries(bounded))
      await add(name, place, [step], place <= last ? "verified" : "not_allowed");
    for (const [name, step] of Object.entries(unbounded)) {
      await add(name, place, [step], "verified");
      await add(`${name}, and a manager vouches twice`, place, [step, vouch, vouch], "verified");
    }
  }
  const reader = bounded["a reader replaces the own keys"] ?? vouch;
  await add("a reader replaces the own keys, and a manager vouches", last, [reader, vouch], "not_allowed");
  await add(
    "a manager vouches, and an owner notes",
    last,
    [vouch, { ...vouch, change: "note", of: "owner", by: "owner" }],
    "verified",
  );
  return {
    organizationId,
    list,
    signedBy: idOf("manager"),
    writtenAt: "2026-11-22T08:00:00Z",
    vouched: idOf("reader"),
    cases,
  };
}

/** The entries after `list` up to the last place, as text, each with its hash. */
export async function fill(list: string): Promise<{
  readonly entries: readonly string[];
  readonly hashes: readonly string[];
}> {
  const { number, hash } = await headOf(list);
  const entries: string[] = [];
  const hashes: string[] = [];
  for (let place = 2; place <= last; place++) {
    const { line, signed } = await createEntry(vouch, number + place - 1, hashes.at(-1) ?? hash);
    entries.push(signed);
    hashes.push(await hashOf(line));
  }
  return { entries, hashes };
}
