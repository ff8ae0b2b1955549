import { createId, type FormId, type Payload, plainVersion, type SubmissionId, seal } from "@sealpost/wire";
import type { Collected } from "./collect.ts";
import { type Options, pinsOf, type SuccessDetail } from "./options.ts";
import type { Control } from "./page.ts";
import { loadStrip } from "./privacy.ts";
import { type Answer, isDoubtful, loadPublicForm, postSubmission } from "./service.ts";
import { nextTask } from "./time-slices.ts";

/** A form of the page and the form of the service that it fills. */
export interface Target {
  readonly form: HTMLFormElement;
  readonly formId: FormId;
  readonly endpoint: string;
  /** The folder of the second script, the same as the first's. Ends in a slash. */
  readonly scriptFolder: string;
  /** Whether messages for which the page has no slot appear after the form. */
  readonly showMessages: boolean;
}

/**
 * One submission on its way. `body` is made once: every try sends the same bytes under the same id, so that the service
 * counts it once. `doubtful`: some try got no answer, so the service may have it although nobody has said so.
 */
export interface Submission {
  readonly id: SubmissionId;
  readonly collected: Collected;
  readonly submitter: Control | null;
  body?: Uint8Array<ArrayBuffer>;
  stripped?: SuccessDetail["stripped"];
  doubtful?: boolean;
  tries: number;
}

/** The service's limit for a body (1 MiB); beyond it the connection would break off before any answer. */
const bodyBytesMax = 1_048_576;

export function createSubmission(collected: Collected, submitter: Control | null): Submission {
  return { id: createId("submission"), collected, submitter, tries: 0 };
}

/** One try. Makes the body first if there is none yet; until then nothing of the submission has left the page. */
export async function deliver(submission: Submission, target: Target, options: Options): Promise<Answer<SubmissionId>> {
  submission.tries++;
  if (!submission.body) {
    const made = await makeBody(submission, target, options);
    if (made.code) return made;
    submission.body = made.value;
  }
  const answer = await postSubmission(target.endpoint, target.formId, submission.id, submission.body);
  submission.doubtful ||= isDoubtful(answer);
  return answer;
}

/** While the visitor types: loads what stripping needs, so that the click does not wait for it. What fails is met again then. */
export async function prepare({ endpoint, formId, scriptFolder }: Target, options: Options): Promise<void> {
  const answer = options.piiStrip || options.encryption === false ? undefined : await loadPublicForm(endpoint, formId);
  if (options.piiStrip || answer?.value?.piiStrip) await loadStrip(scriptFolder);
}

async function makeBody(
  submission: Submission,
  { form, formId, endpoint, scriptFolder }: Target,
  options: Options,
): Promise<Answer<Uint8Array<ArrayBuffer>>> {
  const { id } = submission;
  // Only the snippet itself can say that nothing is sealed; then the service has nothing to add.
  const answer = options.encryption === false ? undefined : await loadPublicForm(endpoint, formId);
  if (answer?.code) return answer;
  const publicForm = answer?.value;
  if (publicForm && pinsOf(options)?.includes(publicForm.keyFingerprint) === false) return { code: "key_refused" };

  let { fields } = submission.collected;
  if (options.piiStrip || publicForm?.piiStrip) {
    try {
      const strip = await loadStrip(scriptFolder);
      ({ fields, stripped: submission.stripped } = await strip(form, fields, {
        // Where the snippet asks, the service can't leave out what to look for.
        piiTypes: options.piiTypes ?? (options.piiStrip ? undefined : publicForm?.piiTypes),
        country: options.country ?? publicForm?.country,
      }));
    } catch (error) {
      console.error(error);
      return { code: "privacy" };
    }
  }

  const payload: Payload = publicForm
    ? await seal(fields, { formId, keyVersion: publicForm.keyVersion, submissionId: id }, publicForm.publicKey)
    : { encrypted: false, version: plainVersion, fields };
  await nextTask(); // a megabyte was sealed in this one, and is copied twice in the next
  const body = JSON.stringify({ id, payload, keyVersion: publicForm?.keyVersion, timestamp: Date.now() });
  const value = new TextEncoder().encode(body);
  return value.length > bodyBytesMax ? { code: "too_large" } : { value };
}
