import type { ListEntry, UsedAdmission } from "./list-entry.ts";
import { type ListedMember, mayChange, mayWrite, type Unnamed } from "./member.ts";

/** A part of a list has at most so many entries. SPECIFICATION.md section 14. */
export const entriesMax = 4096;
export const membersMax = 2048;
/** Each of them reads every envelope, so each takes a reader's place in all of them. */
export const recoveryKeysMax = 8;
/** Up to this place, everybody allowed by the table of roles may sign. */
export const openPlaces = 3072;
/** The last 64 places after these are for removals, so that an owner can always remove somebody. */
export const ownerPlaces = 4032;

/** Who may sign an entry at a place: everybody as the roles say; owners and recovery keys; owners, to remove; nobody any more. */
export type PlaceStage = "open" | "owners" | "removals" | "full";

export function stageOf(place: number): PlaceStage {
  if (place <= openPlaces) return "open";
  if (place <= ownerPlaces) return "owners";
  return place <= entriesMax ? "removals" : "full";
}

/** Everything about the entries before that the rules ask. */
export interface ListBefore {
  readonly members: ReadonlyMap<string, Unnamed>;
  /** How many the part has. */
  readonly count: number;
  /** The ids of the admissions that the part has used up. */
  readonly used: ReadonlySet<string>;
  /** The last change; `undefined` where nothing was received. */
  readonly last: ListEntry["change"] | undefined;
}

/**
 * Every entry is signed by a member as the entries before have it. Where nothing was received before it, it is signed by the owner whom it adds or with whom
 * it begins a part; or a part by a recovery key whose signing key is trusted, as it may be on paper.
 */
export function findSigner(
  { members, last }: Pick<ListBefore, "members" | "last">,
  entry: ListEntry,
  trustedKey?: string,
): Unnamed | undefined {
  if (last !== undefined) return members.get(entry.signedBy);
  if (entry.change !== "add" && entry.change !== "begin") return undefined;
  if (entry.member.id === entry.signedBy) return entry.member;
  if (entry.change === "add" || trustedKey === undefined) return undefined;
  return { ...entry.member, id: entry.signedBy, role: "recovery", signingKey: trustedKey };
}

/** Whether `signer` may write this entry after those before. */
export function isAllowed(before: ListBefore, signer: Unnamed, entry: ListEntry): boolean {
  // Others could write an entry after which no program of today continues the list.
  if (entry.critical.length > 0 && signer.role !== "owner") return false;
  if (entry.change === "begin") return mayBegin(before, signer, entry.member);
  if (!mayUsePlace(stageOf(before.count + 1), signer, entry)) return false;
  if (entry.change === "note" || entry.change === "name") return signer.role === "owner";
  if (entry.change === "vouch") return entry.members.every((id) => mayVouch(before.members, signer, id));
  if (entry.change === "carry" && !mayCarry(before, signer)) return false;
  const known = before.members.get(entry.member.id);
  const after = entry.change === "remove" ? undefined : entry.member;
  if ((known === undefined) !== (entry.change === "add" || entry.change === "carry")) return false;
  if (!isInOrder(before.members, entry.member.id, after)) return false;
  // The founder is an owner, since there is one always.
  if (before.last !== undefined && !mayChange(signer, known, after)) return false;
  return entry.admission === null || after === undefined || mayUseAdmission(before, signer, entry.admission, after);
}

/** An owner, who keeps the signing key; or a recovery key, for others than the recovery keys that were there. What was not received is not compared. */
function mayBegin({ members, last }: ListBefore, signer: Unnamed, member: Unnamed): boolean {
  if (member.role !== "owner") return false;
  if (signer.role === "recovery") return isNoRecoveryKey(members, signer, member);
  const isSame = signer.id === member.id && signer.signingKey === member.signingKey;
  return isSame && (last === undefined || signer.role === "owner");
}

function isNoRecoveryKey(members: ReadonlyMap<string, Unnamed>, signer: Unnamed, member: Unnamed): boolean {
  const { id, recipient, signingKey } = member;
  const isOther = (one: Unnamed) =>
    one.role !== "recovery" || (one.id !== id && one.recipient !== recipient && one.signingKey !== signingKey);
  return signer.signingKey !== signingKey && [...members.values()].every(isOther);
}

/** Right after the part was begun. */
function mayCarry({ last }: ListBefore, signer: Unnamed): boolean {
  return signer.role === "owner" && (last === "begin" || last === "carry");
}

/** Owners vouch for everybody but themselves, managers for the members they may change. */
function mayVouch(members: ReadonlyMap<string, Unnamed>, signer: Unnamed, id: string): boolean {
  const member = members.get(id);
  if (member === undefined || id === signer.id) return false;
  return signer.role === "owner" || (signer.role === "manager" && mayChange(signer, member, member));
}

function mayUsePlace(stage: PlaceStage, { role }: Unnamed, { change }: ListEntry): boolean {
  if (stage === "open") return true;
  if (stage === "owners") return role === "owner" || role === "recovery";
  return stage === "removals" && role === "owner" && change === "remove";
}

/** Whether there is an owner, no key is there twice, and there are not too many, once `after` is in the place of the member with this id. */
function isInOrder(members: ReadonlyMap<string, Unnamed>, id: string, after: Unnamed | undefined): boolean {
  let [all, owners, recoveryKeys] = after === undefined ? [0, 0, 0] : countOf(after);
  // Without copies: thousands of members are looked at for each of as many entries.
  for (const [otherId, other] of members) {
    if (otherId === id) continue;
    const { recipient, signingKey } = other;
    const isUnique = recipient !== after?.recipient && (signingKey === null || signingKey !== after?.signingKey);
    if (!isUnique) return false;
    const [one, owner, recoveryKey] = countOf(other);
    all += one;
    owners += owner;
    recoveryKeys += recoveryKey;
  }
  return owners > 0 && all <= membersMax && recoveryKeys <= recoveryKeysMax;
}

function countOf({ role }: Unnamed): readonly [all: number, owners: number, recoveryKeys: number] {
  return [1, Number(role === "owner"), Number(role === "recovery")];
}

/**
 * Each admission once, of a maker who could sign the entry, at whatever place: others would be named as the ones who let somebody in. Nobody is let in by
 * themself, and so nobody uses up another's admission with a key of their own.
 */
function mayUseAdmission(
  { members, used }: ListBefore,
  signer: Unnamed,
  { id, maker: makerId }: UsedAdmission,
  after: Unnamed,
): boolean {
  const maker = members.get(makerId);
  if (used.has(id) || maker === undefined || !mayWrite(maker)) return false;
  const isByOthers = signer.id !== after.id && makerId !== after.id;
  return isByOthers && mayChange(maker, members.get(after.id), after);
}

/** The members after an entry, each as `toKnown` has them. */
export function apply<Known>(
  members: Map<string, Known>,
  entry: ListEntry,
  toKnown: (member: ListedMember) => Known,
): void {
  if (!("member" in entry)) return;
  if (entry.change === "begin") members.clear();
  if (entry.change === "remove") members.delete(entry.member.id);
  else members.set(entry.member.id, toKnown(entry.member));
}
