import type { Role, Unnamed } from "../member.ts";
import type { ListReason } from "../refusal.ts";
import { createEntry, createList, type Step } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, type Person, personNames } from "./people.ts";

/** vectors/list-rights.json: each change, signed by each role, about each member. */
export interface RightVectors {
  readonly organizationId: string;
  readonly list: string;
  readonly writtenAt: string;
  /** By name, the members of an entry from `change` to the last one before the extensions. */
  readonly changes: Readonly<Record<string, string>>;
  readonly cases: readonly RightCase[];
}

export interface RightCase {
  /** A name of `changes`. */
  readonly change: string;
  readonly signedBy: string;
  /** The name in personal-keys.json of the key that signs. */
  readonly signWith: KeyName;
  readonly outcome: "verified" | ListReason;
}

const under: readonly Role[] = ["reader", "developer", "auditor", "program"];
const roles: readonly Role[] = ["owner", "manager", ...under, "recovery"];

/**
 * The table of roles in section 14, of what a member does about others: the roles that these may have before and after, if they are there. About themself
 * everybody who signs may do what is in `own`, but a recovery key.
 */
const table: Readonly<Partial<Record<Role, Rights>>> = {
  owner: { before: roles, after: roles, vouches: roles, writesNotes: true },
  manager: { before: under, after: under, vouches: under },
  recovery: { before: roles.filter((role) => role !== "recovery"), after: ["owner"], vouches: [], isLasting: true },
};

interface Rights {
  readonly before: readonly Role[];
  readonly after: readonly Role[];
  readonly vouches: readonly Role[];
  readonly writesNotes?: true;
  /** Nobody is removed, and nothing is changed about themself. */
  readonly isLasting?: true;
}

/** The members before the entry, in the order in which they are added; two of each role that another one of it could be about. */
const members: Readonly<Partial<Record<Person, Role>>> = {
  ...{ owner: "owner", "second owner": "owner", manager: "manager", "hybrid owner": "manager" },
  ...{ reader: "reader", "second reader": "reader", developer: "developer", "hybrid reader": "auditor" },
  ...{ program: "program", recovery: "recovery", "signing recovery": "recovery" },
};
/** An owner who was removed, and somebody who never was there. */
const former: Person = "stranger";
const newcomer: Person = "hybrid recovery";

/** They have replaced the key of their name. */
const renewed: Person = "second reader";
/** Who signs; all of them with their own key, but one who has another one by now. */
const signers: readonly (readonly [Person, KeyName])[] = [
  ...(["owner", "manager", "reader", "developer", "hybrid reader", "program", "recovery"] as const).map(
    (name) => [name, name] as const,
  ),
  ["signing recovery", "signing recovery"],
  [former, former],
  [renewed, renewed],
];

interface Subject {
  readonly of: Person;
  /** The role in the entry; absent: no member is written. */
  readonly role?: Role;
  readonly hasOtherKeys?: true;
  readonly change: "add" | "replace" | "remove" | "vouch" | "name" | "note";
}

/** All changes, by what they are called. */
function listSubjects(): readonly (readonly [string, Subject])[] {
  const there = personNames.filter((name) => members[name] !== undefined);
  const everybody = [...there, former, newcomer];
  return [
    ...[...roles.map((role) => [newcomer, role] as const), ...roles.map((role) => [former, role] as const)].map(
      ([of, role]) => [`${of} is added as ${role}`, { change: "add", of, role }] as const,
    ),
    ["reader is added as reader", { change: "add", of: "reader", role: "reader" }],
    [`${newcomer} is replaced by reader`, { change: "replace", of: newcomer, role: "reader" }],
    ...there.flatMap((of) => roles.map((role) => [`${of} is made ${role}`, { change: "replace", of, role }] as const)),
    ...there.map((of) => {
      const role = members[of] ?? "reader";
      return [`${of} gets other keys`, { change: "replace", of, role, hasOtherKeys: true }] as const;
    }),
    ...everybody.map((of) => [`${of} is removed`, { change: "remove", of }] as const),
    ...everybody.map((of) => [`${of} is vouched for`, { change: "vouch", of }] as const),
    ["the organization is named", { change: "name", of: "owner" }],
    ["something is noted", { change: "note", of: "owner" }],
  ];
}

/** By the table, and what section 14 says of everybody. */
function findOutcome(signer: Person, signWith: KeyName, { change, of, role }: Subject): RightCase["outcome"] {
  const own = members[signer];
  const isSigner = own !== undefined && own !== "program" && signer !== "recovery" && signer !== renewed;
  if (!isSigner || signWith !== signer) return "not_signed";
  const rights = table[own];
  const before = members[of];
  const toOutcome = (isAllowed: boolean) => (isAllowed ? "verified" : "not_allowed");
  if (change === "name" || change === "note") return toOutcome(rights?.writesNotes === true);
  if (change === "vouch")
    return toOutcome(signer !== of && before !== undefined && rights?.vouches.includes(before) === true);
  if ((before === undefined) !== (change === "add")) return "not_allowed";
  // Keys, a name, and leaving; of an owner whatever it is.
  if (signer === of && rights?.isLasting !== true && (change === "remove" || role === before)) return "verified";
  const isThere = before === undefined || rights?.before.includes(before) === true;
  const isKept =
    change === "remove" ? rights?.isLasting !== true : role !== undefined && rights?.after.includes(role) === true;
  return toOutcome(rights !== undefined && isThere && isKept);
}

async function toText({ change, of, role, hasOtherKeys }: Subject): Promise<string> {
  const key: KeyName = hasOtherKeys ? "reader, second key" : of;
  const { signingKey } = await findPersonalKey(key);
  const isSigner = role !== "program" && !(role === "recovery" && of === "recovery");
  const member: Partial<Unnamed> = { role: role ?? "reader", signingKey: isSigner ? signingKey : null };
  const step: Step = { change, of, by: "owner", key, member: change === "remove" ? {} : member, vouched: [of] };
  const { line } = await createEntry(step, (await createMembers()).length + 1, null);
  return line.slice(line.indexOf('"change":'), line.indexOf(',"extensions"'));
}

async function createMembers(): Promise<readonly Step[]> {
  const steps = personNames.flatMap((of): readonly Step[] => {
    const role = members[of];
    return role === undefined ? [] : [{ of, by: "owner", member: { role } }];
  });
  return [
    ...steps,
    { of: former, by: "owner" },
    { change: "remove", of: former, by: "owner" },
    { ...{ change: "replace", of: renewed, by: renewed, key: "hybrid owner, second key" } },
  ];
}

export async function rightVectors(): Promise<RightVectors> {
  const subjects = listSubjects();
  const changes = await Promise.all(subjects.map(async ([name, subject]) => [name, await toText(subject)] as const));
  const cases = subjects.flatMap(([change, subject]) =>
    signers.map(([signer, signWith]) => ({
      ...{ change, signedBy: idOf(signer), signWith },
      outcome: findOutcome(signer, signWith, subject),
    })),
  );
  const list = await createList(await createMembers());
  return { organizationId, list, writtenAt: "2026-11-22T08:00:00Z", changes: Object.fromEntries(changes), cases };
}
