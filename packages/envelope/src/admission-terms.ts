import { createId, type Extended, isId, type Unchecked } from "@sealpost/wire";
import type { ListHead, VerifiedList } from "./list.ts";
import { parseOrganizationId } from "./list-entry.ts";
import { hasHead, hasTakenRight, hasUsed, wasChangedSince } from "./list-history.ts";
import {
  type Member,
  mayChange,
  mayWrite,
  parseAdmissionId,
  parseName,
  parseSigningKey,
  type Role,
  type Unnamed,
} from "./member.ts";
import { type AdmissionReason, catchRefusal, check, RefusalError } from "./refusal.ts";
import { splitSigned, verifyLine } from "./signature.ts";
import { checkCritical, parseExtensions, parseHead, parseLine, parseText, parseTime } from "./text.ts";

export const admissionFormat = "sealpost-admission/1";
const termsLineBytesMax = 4096;
/** Two lines, the other one with the signature. */
export const termsLengthMax = termsLineBytesMax + 104;
/** An admission lasts at most this long. */
export const admissionMilliseconds = 7 * 24 * 60 * 60 * 1000;
/** So far the clock of its maker may be ahead. */
const clockMilliseconds = 60 * 60 * 1000;

/** The offer of an owner or manager to bring a person into the signed list, its members in the order in which they are written. SPECIFICATION.md section 19. */
export interface AdmissionTerms extends Extended {
  readonly format: typeof admissionFormat;
  /** `adm_…`, made by the one who signs. */
  readonly admissionId: string;
  readonly organizationId: string;
  /** The account of the person; `null` for anyone whose account has the address. */
  readonly person: string | null;
  readonly email: string;
  /** For people: the name that the list is to have. */
  readonly name: string;
  readonly role: Role;
  /** The head of the list that the signer had. */
  readonly list: ListHead;
  /** The public half of the key that follows from the link's secret: it fits no other link, and anybody can check by it who has answered. */
  readonly linkKey: string;
  readonly endsAt: string;
  readonly signedBy: string;
}

/** Terms that agree with a verified list: the list's own word on who is brought in, and by whom. */
export interface VerifiedTerms {
  readonly terms: AdmissionTerms;
  readonly maker: Member;
}

export function createAdmissionId(now: number = Date.now()): string {
  return `adm_${createId("event", now).slice("evt_".length)}`;
}

/**
 * The terms in two lines that a server handed out, if a member who may still do so has signed them, and they can be used now (milliseconds since
 * the Unix epoch). The list has to be verified, from a head that did not come from the same server.
 */
export function verifyAdmissionTerms(
  text: string,
  list: VerifiedList,
  now: number = Date.now(),
): Promise<VerifiedTerms | RefusalError<AdmissionReason>> {
  return catchRefusal<VerifiedTerms, AdmissionReason>(requireTerms(text, list, now));
}

/** The same, for those who refuse the rest as well. */
export async function requireTerms(text: string, list: VerifiedList, now: number): Promise<VerifiedTerms> {
  const { terms, line, signature } = parseSignedTerms(text);
  check(terms.organizationId === list.organizationId, "other_organization");
  check(hasHead(list, terms.list), "unknown_list");
  const maker = list.members.get(terms.signedBy);
  if (!maker?.signingKey) throw new RefusalError("not_signed");
  await verifyLine(admissionFormat, line, signature, maker.signingKey);
  checkCritical(terms);
  check(!hasUsed(list, terms.admissionId), "used");
  if (terms.person !== null) requirePlace(terms, terms.person, list);
  if (isAdding(terms, list)) check(!hasTakenRight(list, terms.list), "used");
  requireMayAdmit(terms, maker, terms.person ?? undefined, list);
  check(Date.parse(terms.endsAt) > now, "ended");
  // They do not say when they were made.
  check(Date.parse(terms.endsAt) <= now + admissionMilliseconds + clockMilliseconds, "slow_clock");
  return { terms, maker };
}

/**
 * Whether the list does not have the person. Which account is theirs, or has the address, is then the service's word: anyone who has lost a right may have it, and a
 * link that is left.
 */
function isAdding({ person }: Pick<AdmissionTerms, "person">, { members }: Pick<VerifiedList, "members">): boolean {
  return person === null || !members.has(person);
}

/** The entries since the terms were signed must not be about this person: one of them has overtaken the terms. */
export function requirePlace({ list: head }: AdmissionTerms, person: string, list: VerifiedList): void {
  check(!wasChangedSince(list, head, person), "used");
}

/** The maker has to be one who could write the entry; whether the person is there already is known of those with an account. */
export function requireMayAdmit(
  terms: Pick<AdmissionTerms, "role">,
  maker: Unnamed,
  person: string | undefined,
  list: VerifiedList,
): void {
  check(mayAdmit(terms, maker, person, list), "not_allowed");
}

/** Whether a member could make such terms. */
export function mayAdmit(
  { role }: Pick<AdmissionTerms, "role">,
  maker: Unnamed,
  person: string | undefined,
  { members }: { readonly members: ReadonlyMap<string, Unnamed> },
): boolean {
  const before = person === undefined ? undefined : members.get(person);
  const after = { ...maker, id: person ?? "", role };
  // A recovery key may make somebody an owner, and makes no terms.
  return mayWrite(maker) && maker.id !== person && mayChange(maker, before, after);
}

/** The terms as they were received, of which nothing was compared with a list yet. */
export function parseSignedTerms(text: string): {
  readonly terms: AdmissionTerms;
  readonly line: string;
  readonly signature: Uint8Array<ArrayBuffer>;
} {
  check(text.length <= termsLengthMax, "malformed");
  const { line, signature } = splitSigned(text, termsLineBytesMax);
  return { terms: parseLine(line, parseTerms), line, signature };
}

export function parseTerms(value: Unchecked): AdmissionTerms {
  const { format, admissionId, organizationId, person, email, name, role, list, linkKey, endsAt, signedBy } = value;
  check(format === admissionFormat, "malformed");
  return {
    format,
    admissionId: parseAdmissionId(admissionId),
    organizationId: parseOrganizationId(organizationId),
    person: person === null ? null : parsePerson(person),
    email: parseText(email, emailPattern),
    name: parseName(name),
    role: parsePersonRole(role),
    list: parseHead(list),
    linkKey: parseSigningKey(linkKey),
    endsAt: parseTime(endsAt),
    signedBy: parsePerson(signedBy),
    ...parseExtensions(value),
  };
}

/** 3 to 254 characters, which are code points as in names, one of them an at sign, none of them white space or one that turns the direction of a text. */
const emailPattern =
  /^(?=.{3,254}$)[^\s\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff@]+@[^\s\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff@]+$/u;

export function parsePerson(value: unknown): string {
  check(isId("account", value), "malformed");
  return value;
}

/** Programs and the recovery key have no page that a link could lead to. */
function parsePersonRole(value: unknown): Role {
  return parseText(value, /^(?:owner|manager|reader|developer|auditor)$/) as Role; // one of these
}
