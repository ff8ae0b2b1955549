import { type FormId, plainVersion, type SubmissionId, sealedVersion } from "@sealpost/wire";
import type { Selectable } from "kysely";
import type { BinnedSubmissionTable, SubmissionTable } from "../database/schema.ts";
import type { StoredPayload, Submission } from "./submission.ts";

export function parseSubmission(row: Selectable<SubmissionTable> | Selectable<BinnedSubmissionTable>): Submission {
  return {
    formId: row.form_id as FormId, // written from a FormId
    id: row.id as SubmissionId, // written from a SubmissionId
    keyVersion: row.key_version,
    payload: parsePayload(row),
    timestamp: row.timestamp,
    receivedAt: row.received_at,
  };
}

function parsePayload({
  version,
  data,
  key,
  iv,
  fields,
}: Pick<Selectable<SubmissionTable>, "version" | "data" | "key" | "iv" | "fields">): StoredPayload {
  if (version === sealedVersion && data && key && iv) return { version, data, key, iv };
  if (version === plainVersion && fields !== null) return { version, fields: JSON.parse(fields) };
  throw new Error("A stored submission has an unknown format");
}
