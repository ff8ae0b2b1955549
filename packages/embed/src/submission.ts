import { createId, type FormId, type Payload, plainVersion, type SubmissionId, seal } from "@sealpost/wire";
import type { Collected } from "./collect.ts";
import { type Options, pinsOf, type SuccessDetail } from "./options.ts";
import type { Control } from "./page.ts";
import { strip } from "./privacy.ts";
import { type Answer, loadPublicForm, postSubmission } from "./service.ts";

/** A form of the page and the form of the service that it fills. */
export interface Target {
  readonly form: HTMLFormElement;
  readonly formId: FormId;
  readonly endpoint: string;
  /** Where the second script lies: beside the first. */
  readonly scriptFolder: string;
}

/**
 * One submission on its way. `body` is made once: every try sends the same bytes under the same id, so that the service
 * counts it once. `doubtful`: some try got no answer, so the service may have it although nobody has said so.
 */
export interface Submission {
  readonly id: SubmissionId;
  readonly collected: Collected;
  readonly submitter: Control | null;
  body?: string;
  stripped: SuccessDetail["stripped"];
  doubtful: boolean;
  tries: number;
}

/** The service's limit for a body (1 MiB); beyond it the connection would break off before any answer. */
const bodyBytesMax = 1_048_576;

export function createSubmission(collected: Collected, submitter: Control | null): Submission {
  return { id: createId("submission"), collected, submitter, stripped: [], doubtful: false, tries: 0 };
}

/** One try. Makes the body first if there is none yet; until then nothing of the submission has left the page. */
export async function deliver(submission: Submission, target: Target, options: Options): Promise<Answer<SubmissionId>> {
  submission.tries++;
  if (submission.body === undefined) {
    const made = await makeBody(submission, target, options);
    if (made.kind !== "taken") return made;
    submission.body = made.value;
  }
  const answer = await postSubmission(target.endpoint, target.formId, submission.id, submission.body);
  if (answer.kind === "doubtful") submission.doubtful = true;
  return answer;
}

async function makeBody(submission: Submission, target: Target, options: Options): Promise<Answer<string>> {
  const { id } = submission;
  const { form, formId, endpoint, scriptFolder } = target;
  let { fields } = submission.collected;
  let keyVersion: number | undefined;
  let stripsPii = options.piiStrip === true;
  let close = async (): Promise<Payload> => ({ encrypted: false, version: plainVersion, fields });

  if (options.encryption !== false) {
    const answer = await loadPublicForm(endpoint, formId);
    if (answer.kind !== "taken") return answer;
    const { publicKey, fingerprint, ...publicForm } = answer.value;
    if (pinsOf(options)?.includes(fingerprint) === false) return { kind: "refused", code: "key_refused" };
    const version = publicForm.keyVersion;
    keyVersion = version;
    stripsPii ||= publicForm.piiStrip;
    close = () => seal(fields, { formId, keyVersion: version, submissionId: id }, publicKey);
  }
  if (stripsPii) {
    try {
      ({ fields, stripped: submission.stripped } = await strip(form, fields, scriptFolder, options));
    } catch (error) {
      console.error("Sealpost:", error);
      return { kind: "refused", code: "privacy" };
    }
  }
  const payload = await close();
  const body = JSON.stringify({ id, payload, keyVersion, timestamp: Date.now() });
  return new Blob([body]).size > bodyBytesMax ? { kind: "refused", code: "too_large" } : { kind: "taken", value: body };
}
