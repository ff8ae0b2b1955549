import { decodeBase64Url, isUsableEd25519 } from "@sealpost/wire";
import { type Commitment, parseCommitment } from "./commitment.ts";
import { isRecipient } from "./recipient.ts";
import { check } from "./refusal.ts";
import { parse32Bytes, parseObject, parseText } from "./text.ts";

/** The roles of members, and what the format makes of them; each takes a right from who had one before it. */
const roles = {
  /** Changes everybody, signs envelopes, reads. */
  owner: { rank: 3, signs: true, reads: true },
  /** Changes everybody but owners, managers and recovery keys; signs envelopes, reads. */
  manager: { rank: 2, signs: true, reads: true },
  reader: { rank: 1, signs: false, reads: true },
  developer: { rank: 1, signs: false, reads: false },
  auditor: { rank: 1, signs: false, reads: false },
  /** A program that reads: a receiver, the command line. It has no signing key. */
  program: { rank: 1, signs: false, reads: true },
  /** The organization's recovery key: a reader of every envelope. With a signing key it makes owners. */
  recovery: { rank: 3, signs: false, reads: true },
} as const satisfies Record<string, { rank: number; signs: boolean; reads: boolean }>;

export type Role = keyof typeof roles;

/** Everything about a member but the name. */
export interface Unnamed {
  /** A TypeID of any prefix. */
  readonly id: string;
  readonly role: Role;
  /** An age recipient, to wrap to. */
  readonly recipient: string;
  /** An Ed25519 public key, base64url of 32 bytes; `null` for programs, and for recovery keys that only read. */
  readonly signingKey: string | null;
}

/** A member as the entries of a signed list have them: with a commitment to their name. */
export interface ListedMember extends Unnamed {
  readonly name: Commitment;
}

/** A member for an entry that is to be written. Without a name it keeps the commitment that the list has for them. */
export interface NewMember extends Unnamed {
  readonly name: string | undefined;
}

/** A member of an organization as its signed list has it. */
export interface Member extends NewMember {
  /** For people, and proven by the commitment in the list. `undefined`: it is missing, so the id and the key are all that is known. */
  readonly name: string | undefined;
  readonly commitment: Commitment;
}

const idPattern = /^[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** At most 100 characters, none of which ends a line, controls a terminal, turns the direction of a text, or is half of one. */
const namePattern = /^[^\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]{1,100}$/u;

export function parseId(value: unknown): string {
  return parseText(value, idPattern);
}

export function parseAdmissionId(value: unknown): string {
  return parseText(value, /^adm_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
}

export function parseName(value: unknown): string {
  return parseText(value, namePattern);
}

/** The first 100 characters of a text that may be in a name; nothing where there are none. */
export function fitName(text: string): string {
  return [...text]
    .filter((character) => namePattern.test(character))
    .slice(0, 100)
    .join("");
}

export function parseMember(value: unknown): ListedMember {
  const { id, role, recipient, signingKey } = parseUnnamed(value);
  return { id, name: parseCommitment(parseObject(value).name), role, recipient, signingKey };
}

export function parseUnnamed(value: unknown): Unnamed {
  const { id, role: roleText, recipient, signingKey } = parseObject(value);
  const role = parseRole(roleText);
  check(typeof recipient === "string" && isRecipient(recipient), "malformed");
  const isSigner = role !== "program" && !(role === "recovery" && signingKey === null);
  if (!isSigner) check(signingKey === null, "malformed");
  return {
    id: parseId(id),
    role,
    recipient,
    signingKey: isSigner ? parseSigningKey(signingKey) : null,
  };
}

export function parseRole(value: unknown): Role {
  check(typeof value === "string" && Object.hasOwn(roles, value), "malformed");
  return value as Role; // a name of the table
}

export function parseSigningKey(value: unknown): string {
  const text = parse32Bytes(value);
  check(isUsableEd25519(decodeBase64Url(text) ?? new Uint8Array()), "malformed");
  return text;
}

/** Whether a member of this role signs envelopes. */
export function mayWrite({ role }: Pick<Unnamed, "role">): boolean {
  return roles[role].signs;
}

/** Whether envelopes may be for a member of this role. */
export function mayRead({ role }: Pick<Unnamed, "role">): boolean {
  return roles[role].reads;
}

/** Whether a change takes a right from a person; `undefined` is a member who is not there. */
export function takesRight(
  before: Pick<Unnamed, "role"> | undefined,
  after: Pick<Unnamed, "role"> | undefined,
): boolean {
  if (before === undefined || before.role === "program" || before.role === "recovery") return false;
  const order = Object.keys(roles);
  return after === undefined || order.indexOf(after.role) > order.indexOf(before.role);
}

/** Whether managers change, and vouch for, members of this role. */
export function isUnderManagers({ role }: Pick<Unnamed, "role">): boolean {
  return roles[role].rank < roles.manager.rank;
}

/**
 * Whether `signer` may turn `before` into `after`; `undefined` is a member who is not there. Owners may do everything,
 * managers what concerns neither owners nor managers nor recovery keys, and all people may change their own name and keys, and leave.
 * A recovery key adds an owner, or makes a member an owner, with other keys or the same, and does nothing else: it neither replaces
 * nor removes itself.
 */
export function mayChange(signer: Unnamed, before: Unnamed | undefined, after: Unnamed | undefined): boolean {
  if (signer.role === "owner") return true;
  if (signer.role === "recovery") return after?.role === "owner" && before?.role !== "recovery";
  if (before?.id === signer.id) return after === undefined || after.role === signer.role;
  return signer.role === "manager" && [before, after].every((one) => one === undefined || isUnderManagers(one));
}
