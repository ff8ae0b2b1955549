import { encodeBase64Url, formatTime, noExtensions } from "@sealpost/wire";
import { type AnswerContent, requireAnswer, writeAnswer } from "./admission-answer.ts";
import { decodeSecret, deriveLinkKey, secretBytes } from "./admission-key.ts";
import type { AdmissionLink } from "./admission-link.ts";
import {
  type AdmissionTerms,
  admissionFormat,
  admissionMilliseconds,
  createAdmissionId,
  parseSignedTerms,
  parseTerms,
  requireMayAdmit,
  requirePlace,
  requireTerms,
  type VerifiedTerms,
} from "./admission-terms.ts";
import { deriveAdmissionSecret } from "./admission-words.ts";
import type { Bytes } from "./age-header.ts";
import type { Signer, VerifiedList } from "./list.ts";
import type { Change, UsedAdmission } from "./list-entry.ts";
import { type Member, type NewMember, parseUnnamed } from "./member.ts";
import type { SigningKeys } from "./personal-key.ts";
import { type AdmissionReason, catchRefusal, check, RefusalError } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";

export interface AdmissionParts {
  readonly list: VerifiedList;
  readonly signer: Signer;
  /** Who is brought in: an account, or `null` for anyone whose account has the address. */
  readonly person: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: Member["role"];
  /** Drawn words that are passed on in the place of the link, from mouth to ear; without them the secret is 16 random bytes. */
  readonly words?: readonly string[];
  /** Milliseconds since the Unix epoch; the current time when absent. */
  readonly now?: number;
}

export interface Admission {
  readonly id: string;
  /** The two signed lines, which the server, the person and anyone who finishes the admission all read. */
  readonly terms: string;
  /** Passed on by another route than the server's. */
  readonly link: AdmissionLink;
}

type Adding = Extract<Change, { readonly change: "add" | "replace" }>;
export interface AdmittingChange extends Adding {
  readonly admission: UsedAdmission;
  readonly member: NewMember & { readonly name: string };
}

/** An admission whose answer was made with the link, for an owner or manager who may finish it. */
export interface OpenedAdmission extends VerifiedTerms {
  /** The entry to add to the list. */
  readonly change: AdmittingChange;
}

/**
 * An admission for a person, with the link that goes to them by another route than the server's. Rejects with a `RefusalError` where the list
 * does not allow the signer to bring that person in.
 */
export async function createAdmission(parts: AdmissionParts): Promise<Admission> {
  const { words, list, now = Date.now() } = parts;
  const admissionId = createAdmissionId(now);
  const salt = { admissionId, organizationId: list.organizationId, list: list.head };
  const secret = words ? await deriveAdmissionSecret(words, salt) : crypto.getRandomValues(new Uint8Array(secretBytes));
  return createAdmissionWith(parts, { admissionId, secret, endsAt: formatTime(now + admissionMilliseconds) });
}

/** The same of a secret that is not drawn; for vectors. */
export async function createAdmissionWith(
  { list, signer, person, email, name, role }: AdmissionParts,
  made: { readonly admissionId: string; readonly secret: Bytes; readonly endsAt: string },
): Promise<Admission> {
  const { admissionId, endsAt } = made;
  const terms = parseTerms({
    ...{ format: admissionFormat, admissionId, organizationId: list.organizationId },
    ...{ person, email, name, role, list: list.head },
    ...{ linkKey: (await deriveLinkKey(made.secret)).publicKey, endsAt, signedBy: signer.id },
    ...noExtensions,
  });
  const maker = list.members.get(signer.id);
  check(maker !== undefined, "not_allowed");
  requireMayAdmit(terms, maker, person ?? undefined, list);
  const line = JSON.stringify(terms);
  const text = await signLine(admissionFormat, line, signer.signingKey);
  await verifyLine(admissionFormat, line, parseSignature(text.split("\n")[1] ?? ""), maker.signingKey ?? "");
  const link = { admissionId, secret: encodeBase64Url(made.secret), head: list.head };
  return { id: admissionId, terms: text, link };
}

/** Where to look for the organization's list, from terms that nobody has checked yet; `undefined` where they are damaged. */
export function organizationOfTerms(text: string): string | undefined {
  try {
    return parseSignedTerms(text).terms.organizationId;
  } catch (error) {
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
}

/**
 * The terms that a server shows to the person who has the link, or why they are not what the link is for. The list has to be verified from the link's
 * head, or from a newer one that was seen.
 */
export function readAdmission(
  terms: string,
  link: AdmissionLink,
  list: VerifiedList,
  now: number = Date.now(),
): Promise<VerifiedTerms | RefusalError<AdmissionReason>> {
  return catchRefusal<VerifiedTerms, AdmissionReason>(read(terms, link, list, now));
}

async function read(text: string, link: AdmissionLink, list: VerifiedList, now: number): Promise<VerifiedTerms> {
  const verified = await requireTerms(text, list, now);
  const { admissionId, list: head, linkKey } = verified.terms;
  const isOfLink = admissionId === link.admissionId && head.number === link.head.number && head.hash === link.head.hash;
  check(isOfLink && (await deriveLinkKey(decodeSecret(link.secret))).publicKey === linkKey, "wrong_link");
  return verified;
}

/** The answer of a person who has read the terms, by their own key, which is not sent. `terms` as `readAdmission` got them. */
export async function answerAdmission(
  terms: string,
  { secret }: Pick<AdmissionLink, "secret">,
  personId: string,
  key: Omit<SigningKeys, "identity">,
  now?: number,
): Promise<string> {
  const { terms: read, line } = parseSignedTerms(terms);
  const { admissionId, organizationId } = read;
  return writeAnswer({ admissionId, organizationId, personId, terms: line }, key, decodeSecret(secret), now);
}

/** The list by which an answered admission is checked, as the one who finishes it has verified it, and their id there. */
export interface Finishing {
  readonly list: VerifiedList;
  readonly finisherId: string;
  /** Milliseconds since the Unix epoch; the current time when absent. */
  readonly now?: number;
}

/**
 * The entry of an answered admission, for an owner or manager who could have made the same terms. Its checks, their order and what each
 * refusal means are in SPECIFICATION.md section 19. Terms and answer are as the server shows them; nothing else that it says counts.
 */
export function openAdmission(
  terms: string,
  answer: string,
  finishing: Finishing,
): Promise<OpenedAdmission | RefusalError<AdmissionReason>> {
  return catchRefusal<OpenedAdmission, AdmissionReason>(open(terms, answer, finishing));
}

async function open(
  text: string,
  answerText: string,
  { list, finisherId, now = Date.now() }: Finishing,
): Promise<OpenedAdmission> {
  const verified = await requireTerms(text, list, now);
  const { terms, maker } = verified;
  const answer = await requireAnswer(answerText, text);
  requirePlace(terms, answer.personId, list);
  requireMayAdmit(terms, maker, answer.personId, list);
  // A person learns their own id from the server, which could have named another member's: the newcomer would read in their place.
  check(terms.person !== null || !list.members.has(answer.personId), "wrong_answer");
  const finisher = list.members.get(finisherId);
  if (finisher === undefined) throw new RefusalError("not_allowed");
  requireMayAdmit(terms, finisher, answer.personId, list);
  return { ...verified, change: toChange(terms, answer, list) };
}

function toChange(
  { admissionId, signedBy, name, role }: AdmissionTerms,
  { personId, recipient, signingKey }: AnswerContent,
  { members }: VerifiedList,
): OpenedAdmission["change"] {
  const member = { name, ...parseUnnamed({ id: personId, role, recipient, signingKey }) };
  return { change: members.has(personId) ? "replace" : "add", admission: { id: admissionId, maker: signedBy }, member };
}
