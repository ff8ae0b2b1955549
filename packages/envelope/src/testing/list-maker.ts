import { noExtensions } from "@sealpost/wire";
import type { ListHead } from "../list.ts";
import { type ListEntry, listFormat } from "../list-entry.ts";
import type { Member } from "../member.ts";
import { signLine } from "../signature.ts";
import { hashOf } from "../text.ts";
import { createNameLine } from "./name-lines.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person, toMember, toSigner } from "./people.ts";

/** An entry to make: what it changes, who signs, and deviations of careless and hostile writers. */
export interface Step {
  readonly change?: ListEntry["change"];
  readonly of: Person;
  readonly by: Person;
  /** The new key of `of`. */
  readonly key?: KeyName;
  /** Whose signing key `of` has, next to the recipient of `key`. */
  readonly signingKeyOf?: KeyName;
  /** Instead of the key of `by`. */
  readonly signWith?: KeyName;
  /** `name` is written as its commitment, unless that is given. */
  readonly member?: Partial<Record<keyof Member | "email", unknown>>;
  /** The name that a `name` gives the organization. */
  readonly called?: string;
  /** Whom a `vouch` is about. */
  readonly vouched?: readonly Person[];
  /** The entry that is the last one that its person was shown; otherwise the one before it. */
  readonly shown?: number;
  readonly content?: Readonly<Record<string, unknown>>;
  /** Another spelling of the line, which is signed. */
  readonly spell?: (line: string) => string;
  /** Changes both lines after the signature. */
  readonly alter?: (lines: string) => string;
  /** The format that the signature is for. */
  readonly signedAs?: string;
}

/** The founder, and the council of most vectors. */
const council: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "manager", by: "owner" },
  { of: "recovery", by: "owner" },
  { of: "reader", by: "manager" },
  { of: "program", by: "manager" },
  { of: "developer", by: "manager" },
];

const year: readonly Step[] = [
  ...council,
  { change: "replace", of: "reader", by: "reader", key: "reader, second key" },
  { change: "replace", of: "developer", by: "manager", member: { role: "auditor" } },
  { change: "remove", of: "developer", by: "manager" },
  { of: "second owner", by: "owner" },
  { change: "remove", of: "owner", by: "second owner" },
];

const hybrid: readonly Step[] = [
  { of: "hybrid owner", by: "hybrid owner" },
  { of: "hybrid reader", by: "hybrid owner" },
  { of: "hybrid recovery", by: "hybrid owner" },
];

/** A council whose recovery key signs, and has vouched for the list. */
const recoverable: readonly Step[] = [
  ...hybrid.slice(0, 2),
  { of: "program", by: "hybrid owner" },
  { of: "hybrid recovery", by: "hybrid owner" },
  { of: "signing recovery", by: "hybrid owner" },
  { change: "replace", of: "hybrid owner", by: "signing recovery" },
];

/** Two owners. */
const owners: readonly Step[] = [...council, { of: "second owner", by: "owner" }];

/** One of two owners loses the role or the key, at least for a while. */
const formerOwners = {
  "an owner becomes a manager": [
    ...owners,
    { change: "replace", of: "second owner", by: "owner", member: { role: "manager" } },
  ],
  "an owner becomes a reader": [
    ...owners,
    { change: "replace", of: "second owner", by: "owner", member: { role: "reader" } },
  ],
  "an owner is removed": [...owners, { change: "remove", of: "second owner", by: "owner" }],
  "an owner has another key": [
    ...owners,
    { change: "replace", of: "second owner", by: "second owner", key: "hybrid owner, second key" },
  ],
  "an owner is removed and let in again": [
    ...owners,
    { change: "remove", of: "second owner", by: "owner" },
    { of: "second owner", by: "owner" },
  ],
  "an owner becomes a manager and an owner again": [
    ...owners,
    { change: "replace", of: "second owner", by: "owner", member: { role: "manager" } },
    { change: "replace", of: "second owner", by: "owner" },
  ],
} as const satisfies Readonly<Record<string, readonly Step[]>>;

export type FormerOwner = keyof typeof formerOwners;

/** An owner takes people out, or their keys, and somebody lets them in again as they were. */
const returned: readonly Step[] = [
  ...council,
  { of: "second reader", by: "manager" },
  { change: "remove", of: "reader", by: "owner" },
  { of: "reader", by: "manager" },
  { change: "replace", of: "second reader", by: "owner", member: { role: "auditor" } },
  { change: "replace", of: "second reader", by: "manager" },
  { change: "replace", of: "program", by: "owner", key: "reader, second key" },
  { change: "replace", of: "program", by: "manager" },
  { change: "remove", of: "manager", by: "owner" },
  { of: "manager", by: "owner" },
  { change: "replace", of: "manager", by: "owner", signingKeyOf: "hybrid owner, second key" },
  { change: "replace", of: "manager", by: "owner" },
];

/** The last of them gets other keys by themself. */
const renewed: readonly Step[] = [
  ...returned,
  { change: "replace", of: "manager", by: "manager", key: "hybrid owner, second key" },
];

/** The admission that an entry uses up, as its `content` has it. */
export function admittedBy(maker: Person, last = "0") {
  return { content: { admission: { id: `adm_01hk153x00e5rbcwg8rxcnh8w${last}`, maker: idOf(maker) } } };
}

/** So many recovery keys that only read, in the places of other people. */
export function recoveryKeys(count: number): readonly Step[] {
  const places = [
    ...(["recovery", "hybrid recovery", "signing recovery", "second reader", "stranger"] as const),
    ...(["program", "developer", "reader", "hybrid reader"] as const),
  ];
  return places
    .slice(0, count)
    .map((of) => ({ of, by: "owner", member: { name: of, role: "recovery", signingKey: null } }));
}

export const steps = { council, year, hybrid, recoverable, owners, formerOwners, returned, renewed };

/** The text of a list, entry after entry. */
export async function createList(entries: readonly Step[]): Promise<string> {
  let text = "";
  let previous: string | null = null;
  for (const [index, step] of entries.entries()) {
    const { line, signed } = await createEntry(step, index + 1, previous);
    text += signed;
    previous = await hashOf(line);
  }
  return text;
}

export async function createEntry(step: Step, number: number, previous: string | null) {
  const { change = "add", of, by, key = of, signWith = by, signingKeyOf } = step;
  const deviations = { ...step.member, ...(signingKeyOf && (await signingKey(signingKeyOf))) };
  const member = change === "remove" ? { id: idOf(of), ...deviations } : await toWritten(of, key, deviations);
  const changed = await toChanged(step, member, number);
  const content = {
    format: listFormat,
    organizationId,
    number,
    previous,
    writtenAt: "2026-11-22T08:00:00Z",
    signedBy: idOf(by),
    change,
    admission: null,
    ...changed,
    ...noExtensions,
    ...step.content,
  };
  const { spell = (text: string) => text, alter = (text: string) => text, signedAs = listFormat } = step;
  const line = spell(JSON.stringify(content));
  const signer = await toSigner(by, signWith);
  return { line, signed: alter(await signLine(signedAs, line, signer.signingKey)) };
}

export async function toWritten(
  of: Person,
  key: KeyName = of,
  { commitment, ...other }: NonNullable<Step["member"]> = {},
) {
  const member = { ...(await toMember(of, key)), ...other };
  const line = await createNameLine({ use: "member", organizationId, id: String(member.id) }, String(member.name));
  return { ...member, name: commitment ?? line.commitment };
}

async function toChanged(
  { change, vouched = [], called = "Example Council", shown }: Step,
  member: object,
  number: number,
): Promise<object> {
  if (change === "note") return {};
  if (change === "name")
    return { name: (await createNameLine({ use: "organization", organizationId }, called)).commitment };
  if (change === "vouch") return { members: vouched.map(idOf).sort(), shown: shown ?? number - 1 };
  return { member };
}

/** The place after `number` entries. */
export async function headOf(list: string, number = list.split("\n").length >> 1): Promise<ListHead> {
  return { number, hash: await hashOf(list.split("\n")[2 * (number - 1)] ?? "") };
}

export async function signingKey(name: KeyName) {
  return { signingKey: (await findPersonalKey(name)).signingKey };
}
