import { type Bytes, encodeText } from "./bytes.ts";
import type { FormId, SubmissionId } from "./ids.ts";

/** A visitor's answers: field name to value, in the order of the form; a name that occurs more than once holds an array. */
export type Fields = { readonly [name: string]: FieldValue };
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue };

/** The version tag of what is sealed to an RSA key (SPECIFICATION.md). */
export const sealedVersion = "sp1";
/** The version tag of what is sealed to a hybrid key. */
export const hybridVersion = "sp2";
export type SealedVersion = typeof sealedVersion | typeof hybridVersion;
/** The version tag of a payload that is not sealed. */
export const plainVersion = "plain1";

/**
 * Contract, section 7.1: `data` = base64(ciphertext ‖ 16-byte tag), `key` = base64(the sealed content key), `iv` = base64 of
 * 12 bytes.
 */
export interface SealedPayload<Version extends SealedVersion = typeof sealedVersion> {
  readonly encrypted: true;
  readonly version: Version;
  readonly data: string;
  readonly key: string;
  readonly iv: string;
}

export interface PlainPayload {
  readonly encrypted: false;
  readonly version: typeof plainVersion;
  readonly fields: Fields;
}

export type Payload = SealedPayload<SealedVersion> | PlainPayload;

/** The form, key version and submission that a payload belongs to: under any other it does not open. */
export interface Binding {
  readonly formId: FormId;
  readonly keyVersion: number;
  readonly submissionId: SubmissionId;
}

/** The lines that bind a sealed payload to its place, UTF-8. SPECIFICATION.md section 5. */
export function additionalData(
  { formId, keyVersion, submissionId }: Binding,
  version: SealedVersion = sealedVersion,
): Bytes {
  return encodeText(`sealpost/${version}\n${formId}\n${keyVersion}\n${submissionId}`);
}
