import {
  answerAdmission,
  createAdmission,
  formatAdmissionLink,
  importSigningKey,
  type PersonalKey,
  type RefusalError,
  type Role,
} from "@sealpost/envelope";
import { checkList, type ListToCheck, orRefusal } from "@sealpost/sdk/envelopes";

// Operations on the personal key about admissions, in the thread that holds it.

export interface AdmissionToMake {
  readonly list: ListToCheck;
  readonly signerId: string;
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
  /** The part of the link that follows its #. */
  readonly fragment: string;
}

export function makeAdmission(
  key: PersonalKey,
  { list, signerId, ...person }: AdmissionToMake,
): Promise<MadeAdmission | RefusalError> {
  return orRefusal(async () => {
    const signer = { id: signerId, signingKey: await importSigningKey(key.signingSeed) };
    const { id, terms, link } = await createAdmission({ list: await checkList(list), signer, ...person });
    return { id, terms, fragment: formatAdmissionLink(link) };
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
