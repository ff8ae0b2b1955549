import {
  answerAdmission,
  type ConfirmedMember,
  createAdmission,
  formatAdmissionLink,
  importSigningKey,
  type NewMember,
  openAdmission,
  type PersonalKey,
  type RefusalError,
  type Role,
  type UsedAdmission,
} from "@sealpost/envelope";
import { checkList, type ListToCheck, orRefusal, orThrow } from "@sealpost/sdk/envelopes";
import type { Bytes } from "./bytes.ts";

// Operations on the personal key about admissions, in the thread that holds it.

export interface AdmissionToMake {
  readonly list: ListToCheck;
  readonly signerId: string;
  /** Members confirmed in this browser. */
  readonly confirmed: readonly ConfirmedMember[];
  /** The person of an account; `null` for the address of somebody who has yet to join. */
  readonly person: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** In the place of a link that is passed on. */
  readonly words?: readonly string[];
}

export interface MadeAdmission {
  readonly id: string;
  readonly terms: string;
  readonly file: Bytes;
  /** The part of the link that follows its #. */
  readonly fragment: string;
}

export interface AdmissionToOpen {
  readonly list: ListToCheck;
  readonly file: Bytes;
  readonly answer: string;
}

export interface OpenedTerms {
  readonly change: "add" | "replace";
  /** That the entry uses up. */
  readonly admission: UsedAdmission | null;
  readonly member: NewMember & { readonly name: string };
  readonly email: string;
  /** The member who made the link. */
  readonly madeBy: { readonly id: string; readonly name: string | undefined };
}

export function makeAdmission(
  key: PersonalKey,
  { list, signerId, confirmed, ...person }: AdmissionToMake,
): Promise<MadeAdmission | RefusalError> {
  return orRefusal(async () => {
    const signer = { id: signerId, signingKey: await importSigningKey(key.signingSeed) };
    const standing = { own: key, confirmed };
    const parts = { list: await checkList(list), signer, standing, ...person };
    const { id, terms, file, link } = await createAdmission(parts);
    return { id, terms, file, fragment: formatAdmissionLink(link) };
  });
}

export interface AdmissionToAnswer {
  readonly terms: string;
  readonly secret: string;
  readonly personId: string;
}

/** The answer to terms that were checked, signed with the key that it brings. */
export async function signAnswer(
  key: PersonalKey,
  { terms, secret, personId }: AdmissionToAnswer,
): Promise<{ readonly answer: string }> {
  return { answer: await answerAdmission(terms, { secret }, personId, key) };
}

export function openAnswered(
  { identity }: PersonalKey,
  { list, file, answer }: AdmissionToOpen,
): Promise<OpenedTerms | RefusalError> {
  return orRefusal(async () => {
    const opened = orThrow(await openAdmission(file, identity, answer, { list: await checkList(list) }));
    const { change, admission, member } = opened.change;
    return {
      change,
      admission,
      member,
      email: opened.terms.email,
      madeBy: { id: opened.maker.id, name: opened.maker.name },
    };
  });
}
