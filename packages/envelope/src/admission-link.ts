import type { ListHead } from "./list.ts";
import { entryNumberMax } from "./list-entry.ts";

/** The part of an admission's link that no server gets: what follows its `#`. */
export interface AdmissionLink {
  readonly admissionId: string;
  /** Base64url of 16 bytes. */
  readonly secret: string;
  /** The head of the inviter's list: with it the list is trusted from its first sight. */
  readonly head: ListHead;
}

const fragmentPattern =
  /^(adm_[0-7][0-9a-hjkmnp-tv-z]{25})\.([A-Za-z0-9_-]{21}[AQgw])\.([1-9]\d{0,9})-([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/;

/** `ADMISSION.SECRET.NUMBER-HASH`. */
export function formatAdmissionLink({ admissionId, secret, head }: AdmissionLink): string {
  return `${admissionId}.${secret}.${head.number}-${head.hash}`;
}

/** Reads what follows the `#` of a link; `undefined` for any other text, such as a link that was cut. */
export function parseAdmissionLink(fragment: string): AdmissionLink | undefined {
  const [, admissionId, secret, number, hash] = fragmentPattern.exec(fragment) ?? [];
  if (admissionId === undefined || secret === undefined || hash === undefined) return undefined;
  if (Number(number) > entryNumberMax) return undefined;
  return { admissionId, secret, head: { number: Number(number), hash } };
}
