import admissionsJson from "../../../wire/vectors/admissions.json" with { type: "json" };
import { openAdmission, readAdmission } from "../admission.ts";
import { linkOfWords } from "../admission-words.ts";
import { type VerifiedList, verifyList } from "../list.ts";
import type { AdmissionVector, AdmissionVectors, WordsVector } from "./admission-vectors.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
export const admissionVectorFile = admissionsJson as unknown as AdmissionVectors;
export const admissions = admissionVectorFile.vectors;
export const admissionWordVectors = admissionVectorFile.words;

/** The functions that vectors try: ours, or one with a mistake in it. */
export interface Admitting {
  readonly verifyList: typeof verifyList;
  readonly readAdmission: typeof readAdmission;
  readonly openAdmission: typeof openAdmission;
  readonly linkOfWords: typeof linkOfWords;
}

export const oursAdmitting: Admitting = { verifyList, readAdmission, openAdmission, linkOfWords };

/** The link that words stand for, and whether it fits the terms. */
export async function tryWords(implementation: Admitting, vector: WordsVector): Promise<unknown> {
  const { terms, words, now } = vector;
  const link = await implementation.linkOfWords(terms, words);
  if ("reason" in link) return { outcome: link.reason };
  const seen = await implementation.readAdmission(terms, link, await findList(implementation, vector), now);
  return { link, outcome: "reason" in seen ? seen.reason : "verified" };
}

export function expectedOfWords({ link, outcome }: WordsVector): unknown {
  return link === undefined ? { outcome } : { link, outcome };
}

/** The result of an implementation for a vector, in the vector's own words. */
export async function tryAdmission(implementation: Admitting, vector: AdmissionVector): Promise<unknown> {
  const { terms, link, now, finisher, answer } = vector;
  const list = await findList(implementation, vector);
  if (finisher === undefined || answer === undefined) {
    const seen = await implementation.readAdmission(terms, link, list, now);
    return "reason" in seen ? { outcome: seen.reason } : { outcome: "verified" };
  }
  const opened = await implementation.openAdmission(terms, answer, { list, finisherId: finisher, now });
  return "reason" in opened ? { outcome: opened.reason } : { outcome: "opened", ...opened.change };
}

export function expectedOfAdmission({ outcome, change, admission, member }: AdmissionVector): unknown {
  return outcome === "opened" ? { outcome, change, admission, member } : { outcome };
}

/** Lists know their entries only where they were verified. */
async function findList(
  { verifyList }: Admitting,
  { list: name }: Pick<AdmissionVector, "list">,
): Promise<VerifiedList> {
  const { organizationId, head, list } = admissionVectorFile.lists[name] ?? {};
  if (organizationId === undefined || head === undefined) throw new Error(`There is no list called ${name}`);
  const verified = await verifyList(new TextEncoder().encode(list), { organizationId, trust: { head } });
  if ("reason" in verified) throw verified;
  return verified;
}
