import {
  type Fields,
  hybridVersion,
  type Payload,
  plainVersion,
  type SealedVersion,
  sealedVersion,
} from "@sealpost/wire";
import type { Selectable } from "kysely";
import type { SubmissionTable } from "./submission-tables.ts";

/** A payload in its stored form: the decoded bytes of a sealed one, or the fields of a plain one. */
export type StoredPayload =
  | {
      readonly version: SealedVersion;
      readonly data: Uint8Array;
      readonly key: Uint8Array;
      readonly iv: Uint8Array;
    }
  | { readonly version: typeof plainVersion; readonly fields: Fields };

/** The columns of a payload in `submission` and `submission_bin`. */
export type PayloadColumns = Pick<Selectable<SubmissionTable>, "version" | "data" | "key" | "iv" | "fields">;

/** Throws on what no version of Sealpost has stored. */
export function parseStoredPayload({ version, data, key, iv, fields }: PayloadColumns): StoredPayload {
  if ((version === sealedVersion || version === hybridVersion) && data && key && iv) return { version, data, key, iv };
  if (version === plainVersion && fields !== null) return { version, fields: JSON.parse(fields) };
  throw new Error("A stored submission has an unknown format");
}

/** The payload as the contract shows it (contract, section 7.1). */
export function toPayload(stored: StoredPayload): Payload {
  if (stored.version === plainVersion) return { encrypted: false, version: plainVersion, fields: stored.fields };
  return {
    encrypted: true,
    version: stored.version,
    data: toBase64(stored.data),
    key: toBase64(stored.key),
    iv: toBase64(stored.iv),
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
