import type { AdmissionTerms } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Role } from "../access/roles.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** Open ones of an organization. */
export const openAdmissionsMax = 50;
/** After so many answers that did not fit, somebody is guessing. */
export const refusalsMax = 10;
/** Ended ones are forgotten so long after they would have ended by themselves. */
export const admissionKeptMilliseconds = 30 * dayMilliseconds;
/** For clocks that differ. */
export const endSlackMilliseconds = 10 * 60_000;

/** An answer in three lines, made with the link. */
export interface StoredAnswer {
  readonly personId: AccountId;
  readonly answer: string;
  readonly answeredAt: number;
}

/** An offer to bring a person into the organization's signed list (SPECIFICATION.md section 19). */
export interface StoredAdmission {
  readonly id: string;
  readonly organizationId: AccountId;
  readonly personId: AccountId | undefined;
  readonly email: string;
  readonly madeBy: AccountId;
  readonly terms: string;
  readonly createdAt: number;
  readonly endsAt: number;
  readonly refusals: number;
  readonly answer: StoredAnswer | undefined;
}

const idPattern = /^adm_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function isAdmissionId(text: string): boolean {
  return idPattern.test(text);
}

/** Terms that were verified before they were stored. */
export function termsOf({ terms }: Pick<StoredAdmission, "terms">): AdmissionTerms {
  return JSON.parse(terms.split("\n")[0] ?? "");
}

/** Terms have the roles of people alone. */
export function roleOf({ role }: AdmissionTerms): Role {
  return role as Role;
}
