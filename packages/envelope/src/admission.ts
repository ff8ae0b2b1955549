import { encodeBase64Url, formatTime, noExtensions } from "@sealpost/wire";
import { type AnswerContent, parseAnswer, requireProven, writeAnswer } from "./admission-answer.ts";
import { countAdmitting } from "./admission-form.ts";
import { decodeSecret, deriveLinkKey, secretBytes } from "./admission-key.ts";
import type { AdmissionLink } from "./admission-link.ts";
import {
  type AdmissionTerms,
  admissionFormat,
  admissionMilliseconds,
  createAdmissionId,
  mayAdmit,
  parseSignedTerms,
  parseTerms,
  requireMayAdmit,
  requirePlace,
  requireTerms,
  type VerifiedTerms,
} from "./admission-terms.ts";
import { deriveAdmissionSecret } from "./admission-words.ts";
import { decryptWith, encryptTo } from "./age-file.ts";
import type { Bytes } from "./age-header.ts";
import { readersMax } from "./envelope-content.ts";
import type { Signer, VerifiedList } from "./list.ts";
import type { Change, UsedAdmission } from "./list-entry.ts";
import { type Member, mayWrite, type NewMember, parseUnnamed } from "./member.ts";
import type { SigningKeys } from "./personal-key.ts";
import { type AdmissionReason, catchRefusal, check, RefusalError } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";
import { findSealable, type Standing } from "./standing.ts";
import { decodeText, hashOf } from "./text.ts";

export interface AdmissionParts {
  readonly list: VerifiedList;
  readonly signer: Signer;
  /** Who is brought in: an account, or `null` for anyone whose account has the address. */
  readonly person: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: Member["role"];
  /** By which members are vouched for; absent: the maker as the list has them, and nobody confirmed. */
  readonly standing?: Standing;
  /** Drawn words that are passed on in the place of the link, from mouth to ear; without them the secret is 16 random bytes. */
  readonly words?: readonly string[];
  /** Milliseconds since the Unix epoch; the current time when absent. */
  readonly now?: number;
}

export interface Admission {
  readonly id: string;
  /** Two lines, for the server and the person. */
  readonly terms: string;
  /** An age file for the owners and managers of the list who could have made the same terms, and are vouched for: the terms. Nothing in it makes an answer. */
  readonly file: Bytes;
  /** Passed on by another route than the server's. */
  readonly link: AdmissionLink;
}

type Adding = Extract<Change, { readonly change: "add" | "replace" }>;
export interface AdmittingChange extends Adding {
  readonly admission: UsedAdmission;
  readonly member: NewMember & { readonly name: string };
}

/** An admission that an owner or manager has opened, and whose answer was made with the link. */
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
  { list, signer, person, email, name, role, standing }: AdmissionParts,
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
  const sealable = await findSealable(list, standing ?? { own: maker });
  const recipients = findAdmitting(list, maker, terms, sealable);
  const file = await encryptTo(recipients, text);
  const link = { admissionId, secret: encodeBase64Url(made.secret), head: list.head };
  return { id: admissionId, terms: text, file, link };
}

/** The maker, and those who could have made the same terms, and so may finish it, as far as the maker seals for them. */
function findAdmitting(
  list: VerifiedList,
  maker: Member,
  terms: AdmissionTerms,
  sealable: ReadonlySet<string>,
): readonly string[] {
  const person = terms.person ?? undefined;
  // Where a file has no room for all, those who came last are left out.
  const others = [...list.members.values()].filter(
    (member) =>
      mayWrite(member) && member.id !== maker.id && sealable.has(member.id) && mayAdmit(terms, member, person, list),
  );
  return [maker, ...others].map(({ recipient }) => recipient).slice(0, readersMax);
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

/**
 * What an answered admission says, for an owner or manager with their age identity: the entry to add. Its checks, their order and what each refusal
 * means are in SPECIFICATION.md section 19. Nothing that the server says outside of the file counts.
 */
export function openAdmission(
  file: Bytes,
  identity: string,
  answer: string,
  { list, now = Date.now() }: { readonly list: VerifiedList; readonly now?: number },
): Promise<OpenedAdmission | RefusalError<AdmissionReason>> {
  return catchRefusal<OpenedAdmission, AdmissionReason>(open(file, identity, answer, list, now));
}

async function open(
  file: Bytes,
  identity: string,
  answerText: string,
  list: VerifiedList,
  now: number,
): Promise<OpenedAdmission> {
  await countAdmitting(file);
  const text = decodeText(await decryptWith(identity, file));
  const verified = await requireTerms(text, list, now);
  const { terms, maker } = verified;
  const answer = await requireAnswer(answerText, text.slice(0, text.indexOf("\n")), terms);
  requirePlace(terms, answer.personId, list);
  requireMayAdmit(terms, maker, answer.personId, list);
  // A person learns their own id from the server, which could have named another member's: the newcomer would read in their place.
  check(terms.person !== null || !list.members.has(answer.personId), "wrong_answer");
  return { ...verified, change: toChange(terms, answer, list) };
}

/** Refused unless the answer is for exactly these terms, and is signed by the key of their link and by the key that it brings. */
async function requireAnswer(
  text: string,
  termsLine: string,
  { admissionId, organizationId, person, linkKey }: AdmissionTerms,
): Promise<AnswerContent> {
  const answer = parseAnswer(text);
  const { content } = answer;
  const isForTerms =
    content.admissionId === admissionId &&
    content.organizationId === organizationId &&
    content.terms === (await hashOf(termsLine));
  check(isForTerms && (person === null || person === content.personId), "wrong_answer");
  await requireProven(answer, linkKey);
  return content;
}

function toChange(
  { admissionId, signedBy, name, role }: AdmissionTerms,
  { personId, recipient, signingKey }: AnswerContent,
  { members }: VerifiedList,
): OpenedAdmission["change"] {
  const member = { name, ...parseUnnamed({ id: personId, role, recipient, signingKey }) };
  return { change: members.has(personId) ? "replace" : "add", admission: { id: admissionId, maker: signedBy }, member };
}
