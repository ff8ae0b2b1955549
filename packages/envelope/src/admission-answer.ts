import { decodeBase64Url, type Extended, formatTime, noExtensions, type Unchecked } from "@sealpost/wire";
import { deriveLinkKey } from "./admission-key.ts";
import { parsePerson, parseSignedTerms } from "./admission-terms.ts";
import type { Bytes } from "./age-header.ts";
import { parseOrganizationId } from "./list-entry.ts";
import { parseAdmissionId, parseSigningKey } from "./member.ts";
import type { SigningKeys } from "./personal-key.ts";
import { isRecipient } from "./recipient.ts";
import { catchRefusal, check, RefusalError } from "./refusal.ts";
import { importSigningKey, signContent, signLine, splitSigned, verifyLine } from "./signature.ts";
import { checkCritical, hashOf, parse32Bytes, parseExtensions, parseLine, parseTime } from "./text.ts";

export const answerFormat = "sealpost-admission-answer/1";
const proofLabel = "sealpost-admission-proof/1";
const lineBytesMax = 4096;
/** Three lines: the content, its signature, and the proof. */
export const answerLengthMax = lineBytesMax + 203;

/** A person's answer to an admission, its members in the order in which they are written. SPECIFICATION.md section 19. */
export interface AnswerContent extends Extended {
  readonly format: typeof answerFormat;
  readonly admissionId: string;
  readonly organizationId: string;
  /** The hash of the terms' content line. */
  readonly terms: string;
  readonly personId: string;
  readonly recipient: string;
  /** Its private half signs the answer. */
  readonly signingKey: string;
  readonly writtenAt: string;
}

/** An answer as it was received, of which nothing but the form was looked at yet. */
interface ReceivedAnswer {
  readonly content: AnswerContent;
  readonly line: string;
  readonly signature: Bytes;
  /** A signature of the content line by the key of the link. */
  readonly proof: Bytes;
}

/** An answer in three lines, signed with the key that it brings. `secret` is the link's. */
export async function writeAnswer(
  { terms: line, ...members }: Pick<AnswerContent, "admissionId" | "organizationId" | "personId" | "terms">,
  { recipient, signingKey, signingSeed }: Omit<SigningKeys, "identity">,
  secret: Bytes,
  now: number = Date.now(),
): Promise<string> {
  const content = parseContent({
    ...{ format: answerFormat, admissionId: members.admissionId, organizationId: members.organizationId },
    ...{ terms: await hashOf(line), personId: members.personId, recipient, signingKey, writtenAt: formatTime(now) },
    ...noExtensions,
  });
  const written = JSON.stringify(content);
  const signed = await signLine(answerFormat, written, await importSigningKey(signingSeed));
  const { privateKey } = await deriveLinkKey(secret);
  return `${signed}{"proof":"${await signContent(proofLabel, written, privateKey)}"}\n`;
}

/** Refused as `malformed` unless it is written as an answer is. */
function parseAnswer(text: string): ReceivedAnswer {
  check(typeof text === "string" && text.length <= answerLengthMax, "malformed"); // what a server sends is of any type
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const { line, signature } = splitSigned(text.slice(0, end), lineBytesMax);
  const proof = decodeBase64Url(/^\{"proof":"([\w-]{86})"\}\n$/.exec(text.slice(end))?.[1] ?? "?");
  check(proof !== undefined, "malformed");
  return { content: parseLine(line, parseContent), line, signature, proof };
}

/** Refused unless the answer is for exactly these terms, and is signed by the key of their link and by the key that it brings. */
export async function requireAnswer(text: string, signedTerms: string): Promise<AnswerContent> {
  const { terms, line: termsLine } = parseSignedTerms(signedTerms);
  const { content, line, signature, proof } = parseAnswer(text);
  const isForTerms =
    content.admissionId === terms.admissionId &&
    content.organizationId === terms.organizationId &&
    content.terms === (await hashOf(termsLine));
  check(isForTerms && (terms.person === null || terms.person === content.personId), "wrong_answer");
  await requireSigned(proofLabel, line, proof, terms.linkKey);
  await requireSigned(answerFormat, line, signature, content.signingKey);
  checkCritical(content);
  return content;
}

async function requireSigned(label: string, line: string, signature: Bytes, publicKey: string): Promise<void> {
  await verifyLine(label, line, signature, publicKey).catch(() => {
    throw new RefusalError("wrong_answer");
  });
}

/** An answer that a service may store: proven by the link's key of the terms. Only someone with the list can say whether these still count. */
export function readAnswer(
  text: string,
  terms: string,
): Promise<AnswerContent | RefusalError<"malformed" | "wrong_answer" | "unknown_extension">> {
  return catchRefusal(requireAnswer(text, terms));
}

function parseContent(value: Unchecked): AnswerContent {
  const { format, admissionId, organizationId, terms, personId, recipient, signingKey, writtenAt } = value;
  check(format === answerFormat, "malformed");
  check(typeof recipient === "string" && isRecipient(recipient), "malformed");
  return {
    format,
    admissionId: parseAdmissionId(admissionId),
    organizationId: parseOrganizationId(organizationId),
    terms: parse32Bytes(terms),
    personId: parsePerson(personId),
    recipient,
    signingKey: parseSigningKey(signingKey),
    writtenAt: parseTime(writtenAt),
    ...parseExtensions(value),
  };
}
