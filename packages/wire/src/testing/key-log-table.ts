import type { KeyLogHead } from "../key-log.ts";
import { keyLogNumberMax, keyLogPlaceMax } from "../key-log-entry.ts";
import { fingerprintOf, type Step } from "./key-log-maker.ts";

// Who may write what: each cell of the table of SPECIFICATION.md section 20 with each change, and what it says of it.

export interface TableCase {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly outcome: "verified" | "not_allowed" | "malformed";
  /** The entry before the first of the steps, which the reader has pinned. */
  readonly startsAfter?: KeyLogHead;
}

type Change = Partial<Step>;
type Allowed = "by both" | "by owners" | "by managers" | "by nobody";

const before: Step = {
  version: 4,
  by: "owner",
  owners: ["owner", "other owner"],
  managers: ["manager", "other manager"],
};
/** The least that each may write: nothing new, and the next version. */
const ofOwner: Step = { ...before };
const ofManager: Step = { ...before, by: "manager", version: 5, place: 2 };

export async function tableCases(): Promise<readonly TableCase[]> {
  const changes: readonly (readonly [name: string, change: Change, allowed: Allowed])[] = [
    ["nothing new", { version: 4 }, "by owners"],
    ["the next version", { version: 5 }, "by both"],
    ...signerChanges,
    ...(await keyChanges()),
    ["the place of the entry before", { place: 1 }, "by owners"],
    ["the place after that of the entry before", { place: 2 }, "by managers"],
    ["a place too high", { place: 3 }, "by nobody"],
  ];
  const cases = changes.flatMap(([name, change, allowed]) => [
    pair(`${name}, by an owner`, ofOwner, change, allowed === "by both" || allowed === "by owners"),
    pair(`${name}, by a manager`, ofManager, change, allowed === "by both" || allowed === "by managers"),
  ]);
  return [...cases.flat(), ...(await leaving()), ...firstEntries(), ...(await places())];
}

const leavers = { owners: ["other owner"] };
const without = { managers: ["other manager"] };
const signerChanges: readonly (readonly [string, Change, Allowed])[] = [
  ["another owner", { owners: ["owner", "other owner", "new"] }, "by owners"],
  ["an owner less", { owners: ["owner"] }, "by owners"],
  ["other owners alone", { owners: ["new"] }, "by owners"],
  ["owners without the signer", leavers, "by owners"],
  ["another manager", { managers: ["manager", "other manager", "new"] }, "by owners"],
  ["another manager less", { managers: ["manager"] }, "by owners"],
  ["no managers", { managers: [] }, "by owners"],
  ["the signing manager less", without, "by both"],
  ["a manager as owner", { owners: ["owner", "other owner", "manager"], ...without }, "by owners"],
  ["an owner as manager", { owners: ["owner"], managers: [...(before.managers ?? []), "other owner"] }, "by owners"],
];

async function keyChanges(): Promise<readonly (readonly [string, Change, Allowed])[]> {
  const another = await fingerprintOf("another");
  return [
    ["a version two ahead", { version: 6 }, "by owners"],
    ["a version 32 ahead", { version: 36 }, "by owners"],
    ["a version 33 ahead", { version: 37 }, "by nobody"],
    ["a version that falls", { version: 3 }, "by nobody"],
    ["the same version with another RSA key", { version: 4, key: { fingerprint: another } }, "by nobody"],
    ["the same version with another hybrid key", { version: 4, key: { hybridFingerprint: another } }, "by nobody"],
    ["the same version without its hybrid key", { version: 4, rsa: true }, "by nobody"],
    ["the same version with another reply key", { version: 4, key: { replyKey: another } }, "by nobody"],
    ["the same version without its reply key", { version: 4, seedless: true }, "by nobody"],
    ["the next version without a hybrid key", { version: 5, rsa: true }, "by owners"],
    ["the next version without a reply key", { version: 5, seedless: true }, "by owners"],
    ["the next version with the same keys", { version: 5, key: await keysOf(4) }, "by both"],
    // Who leaves the owners makes keys as a manager does.
    ...(
      [
        ["the next version", { version: 5 }, "by owners"],
        ["a version two ahead", { version: 6 }, "by nobody"],
        ["a version 32 ahead", { version: 36 }, "by nobody"],
        ["a version that falls", { version: 3 }, "by nobody"],
        ["the same version with another RSA key", { version: 4, key: { fingerprint: another } }, "by nobody"],
        ["the next version without a hybrid key", { version: 5, rsa: true }, "by nobody"],
        ["the next version without a reply key", { version: 5, seedless: true }, "by nobody"],
      ] as const
    ).map(
      ([name, change, allowed]) =>
        [`${name}, and owners without the signer`, { ...change, ...leavers }, allowed] as const,
    ),
  ];
}

const keysOf = async (version: number) => ({
  fingerprint: await fingerprintOf(`rsa ${version}`),
  hybridFingerprint: await fingerprintOf(`hybrid ${version}`),
});

/** From the first entry; and where it is refused, by a page that has pinned it, which looks at no rule for that entry. */
function pair(name: string, base: Step, change: Change, isAllowed: boolean): readonly TableCase[] {
  const step = { ...base, ...change };
  if (isAllowed) return [{ name, steps: [before, step], outcome: "verified" }];
  return [
    { name, steps: [before, step], outcome: "not_allowed" },
    { name: `${name}, pinned`, steps: [step], outcome: "verified", startsAfter: { number: 1, hash: "A".repeat(43) } },
  ];
}

async function leaving(): Promise<readonly TableCase[]> {
  const keyless: Step = { ...before, rsa: true, seedless: true };
  const leaves: Step = { ...ofManager, version: 4, ...without };
  const rotated: Step = { ...before, version: 5 };
  return [
    { name: "a manager leaves, with the same key", steps: [before, leaves], outcome: "verified" },
    {
      name: "a manager leaves and takes another one along",
      steps: [before, { ...leaves, managers: [] }],
      outcome: "not_allowed",
    },
    {
      name: "a manager leaves, and another one continues",
      steps: [before, leaves, { ...ofManager, ...without, by: "other manager", place: 3 }],
      outcome: "verified",
    },
    {
      name: "a manager adds a hybrid key and a reply key",
      steps: [keyless, { ...ofManager }],
      outcome: "verified",
    },
    {
      name: "a manager continues without a hybrid key and a reply key where there were none",
      steps: [keyless, { ...ofManager, rsa: true, seedless: true }],
      outcome: "verified",
    },
    {
      name: "an owner leaves, and a version follows without a hybrid key and a reply key where there were none",
      steps: [keyless, { ...keyless, ...leavers, version: 5 }],
      outcome: "verified",
    },
    {
      name: "an owner adds a reply key to the same version",
      steps: [{ ...before, seedless: true }, before],
      outcome: "not_allowed",
    },
    { name: "signer-left-and-a-manager-rotates", steps: [before, ofManager], outcome: "verified" },
    {
      name: "an owner's entry after managers' has place 1, and a manager's after it place 2",
      steps: [before, ofManager, { ...rotated }, { ...ofManager, version: 6 }],
      outcome: "verified",
    },
    {
      name: "a manager's place continues after an owner's entry",
      steps: [before, ofManager, { ...rotated }, { ...ofManager, version: 6, place: 3 }],
      outcome: "not_allowed",
    },
    {
      name: "a pin after an entry that no reader takes",
      steps: [
        { ...before, version: 3 },
        { ...before, version: 5 },
      ],
      outcome: "verified",
      startsAfter: { number: 2, hash: await fingerprintOf("an entry that falls back") },
    },
  ];
}

const newer = { content: { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] } };

function firstEntries(): readonly TableCase[] {
  const byManager: Step = { ...before, by: "manager" };
  return [
    { name: "entry 1 by a manager", steps: [byManager], outcome: "verified" },
    {
      name: "entry 1 by a manager, with a critical extension",
      steps: [{ ...byManager, ...newer }],
      outcome: "not_allowed",
    },
    { name: "entry 1 by a manager, in place 2", steps: [{ ...byManager, place: 2 }], outcome: "not_allowed" },
    { name: "entry 1 by an owner, in place 2", steps: [{ ...before, place: 2 }], outcome: "not_allowed" },
    { name: "owner-missing-in-entry-1", steps: [{ ...before, owners: ["owner"] }], outcome: "verified" },
  ];
}

async function places(): Promise<readonly TableCase[]> {
  const startsAfter = { number: 2000, hash: await fingerprintOf("entry 2000") };
  const at = (place: number): Step => ({ ...ofManager, place });
  const after: Step = { ...ofManager, version: 6 };
  const [last, beforeLast] = [at(keyLogPlaceMax), at(keyLogPlaceMax - 1)];
  const highest = { number: keyLogNumberMax - 1, hash: await fingerprintOf("the highest number") };
  return [
    { name: "place 1,024", steps: [beforeLast, { ...after, place: 1024 }], outcome: "verified", startsAfter },
    { name: "place 1,025", steps: [last, { ...after, place: 1025 }], outcome: "malformed", startsAfter },
    {
      name: "place 1 of a manager after 1,024",
      steps: [last, { ...after, place: 1 }],
      outcome: "not_allowed",
      startsAfter,
    },
    { name: "an owner after place 1,024", steps: [last, { ...before, version: 6 }], outcome: "verified", startsAfter },
    { name: "number 2,147,483,647", steps: [before], outcome: "verified", startsAfter: highest },
    { name: "number 2,147,483,648", steps: [before, before], outcome: "malformed", startsAfter: highest },
  ];
}
