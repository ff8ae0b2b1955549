import { createHmac } from "node:crypto";
import { type Fields, type FormId, plainVersion, type SubmissionId } from "@sealpost/wire";
import { awaitDurable } from "../database/await-durable.ts";
import type { Database } from "../database/database.ts";
import { type StoredPayload, toPayload } from "../database/stored-payload.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { PostedSubmission, Submission } from "./submission.ts";
import type { SubmissionStore } from "./submission-store.ts";

/** Outcome of an id that was posted before: the same content, other content, or content that was deleted since. */
export type First =
  | { readonly outcome: "repeated"; readonly submission: Submission }
  | { readonly outcome: "conflict" }
  | { readonly outcome: "deleted" };

/**
 * Looks for the submission that this one repeats. Only what was posted is compared, never what the form's settings of this
 * moment would make of it: whose answer was lost gets it, whatever the form's owner has changed since (contract, section 8.3).
 */
export type FindFirst = (formId: FormId, id: SubmissionId, posted: PostedContent) => Promise<First>;

export type PostedContent = Pick<PostedSubmission, "keyVersion" | "payload">;

export interface FirstSubmissions {
  readonly findFirst: FindFirst;
  /**
   * A keyed digest of a plain submission's fields as they were posted, to be stored where other fields are: without the service's secret it
   * tells nobody what was stripped, and it is another one under each id.
   */
  digestPosted(formId: FormId, id: SubmissionId, fields: Fields): string;
}

export interface FirstSubmissionsDependencies {
  readonly database: Database;
  readonly submissions: Pick<SubmissionStore, "find" | "findInBin">;
  readonly secretBox: Pick<SecretBox, "signingKeys">;
}

export function createFirstSubmissions(dependencies: FirstSubmissionsDependencies): FirstSubmissions {
  const { database, submissions, secretBox } = dependencies;

  return {
    async findFirst(formId, id, posted) {
      // A submission in the bin is not gone: its sender is answered as before, and does not learn what the form's owner does.
      const first = (await submissions.find(formId, id)) ?? (await submissions.findInBin(formId, id));
      // Its row was in the way, but readers do not see it: deleted, and not purged yet.
      if (first === undefined) return { outcome: "deleted" };
      if (!isSame(first, posted)) return { outcome: "conflict" };
      // Nothing was written that would have waited for the standby.
      await awaitDurable(database);
      return { outcome: "repeated", submission: first };
    },
    digestPosted: (formId, id, fields) => digest(secretBox.signingKeys("posted-fields")[0], { formId, id }, fields),
  };

  function isSame(first: Submission, { keyVersion = first.keyVersion, payload }: PostedContent): boolean {
    if (keyVersion !== first.keyVersion) return false;
    const { postedDigest } = first;
    if (postedDigest === undefined || payload.version !== plainVersion) return print(first.payload) === print(payload);
    // No comparison in constant time: who could try digests would need the key to make one.
    return secretBox.signingKeys("posted-fields").some((key) => digest(key, first, payload.fields) === postedDigest);
  }
}

/** The sealed bytes, or the plain fields. */
function print(payload: StoredPayload): string {
  return JSON.stringify(toPayload(payload));
}

function digest(key: Buffer, { formId, id }: Pick<Submission, "formId" | "id">, fields: Fields): string {
  return createHmac("sha256", key)
    .update(`${formId}/${id}\n${JSON.stringify(fields)}`)
    .digest("base64url");
}
