import {
  createSubmissionId,
  encodeText,
  type Fields,
  findNativeEncapsulator,
  type Payload,
  plainVersion,
  type SubmissionId,
  sealFlat,
} from "@sealpost/wire";
import type { Collected } from "./collect.ts";
import { loadEncapsulator, sealToHybridKey } from "./hybrid.ts";
import { loadLoggedForm } from "./logged-form.ts";
import type { ErrorCode } from "./messages.ts";
import { type Options, pinsOf, type SuccessDetail } from "./options.ts";
import { ownMembers } from "./own-members.ts";
import { loadStrip } from "./privacy.ts";
import {
  type Answer,
  accepted,
  fresh,
  isDoubtful,
  loadPublicForm,
  type PublicForm,
  postSubmission,
  refused,
} from "./service.ts";
import type { Target } from "./target.ts";
import { nextTask } from "./time-slices.ts";

/**
 * One submission on its way. `body` is made once: every try sends the same bytes under the same id, so that the service
 * counts it once. `doubtful`: some try got no answer, so the service may have it although nobody has said so.
 */
export interface Submission {
  readonly id: SubmissionId;
  readonly collected: Collected;
  /** How often the visitor had changed something when it was collected; another number once something else is to be sent. */
  edits: number;
  body?: Uint8Array<ArrayBuffer> | undefined;
  stripped?: SuccessDetail["stripped"];
  doubtful?: boolean;
  tries: number;
}

export function createSubmission(collected: Collected, edits: number): Submission {
  // Some pages make a clock of their own, with fractions of a millisecond.
  return ownMembers({ id: createSubmissionId(Math.floor(Date.now())), collected, edits, tries: 0 });
}

/**
 * One try. Makes the body first if there is none yet; until then nothing of the submission has left the page. A second one where the refusal
 * may come from what the browser, or a cache on the way, has kept; `isFresh`: nothing of that.
 */
export async function deliver(
  submission: Submission,
  target: Target,
  options: Options,
  isFresh?: boolean,
): Promise<Answer<SubmissionId>> {
  submission.tries++;
  if (!submission.body) {
    const made = await makeBody(submission, target, options, isFresh);
    if (made.code) return made;
    submission.body = made.value;
  }
  const answer = await postSubmission(target.endpoint, target.formId, submission.id, submission.body);
  submission.doubtful ||= isDoubtful(answer);
  if (isFresh || answer.code !== "key_refused") return answer;
  // The key has ended, and the service stored nothing under this id, so sealing again to the newest key makes no second submission.
  submission.body = undefined;
  return deliver(submission, target, options, true);
}

/**
 * While the visitor turns to the form: loads what sealing and stripping need, so that the click does not wait for it. Gives the code of what
 * the service refused, or rejects, where it could not; that is met again at the click.
 */
export async function prepare(target: Target, options: Options): Promise<ErrorCode | undefined> {
  const answer = await loadSealingForm(target, options);
  const form = answer?.value;
  if (form?.key.kty === "AKP" && !findNativeEncapsulator()) await loadEncapsulator(target.scriptFolder);
  if (options.piiStrip || form?.piiStrip) await loadStrip(target.scriptFolder);
  return answer?.code;
}

/** Only the snippet itself can say that nothing is sealed; then the service has nothing to add. */
async function loadSealingForm(target: Target, options: Options, isFresh?: boolean) {
  if (options.encryption === false) return undefined;
  if (SEALPOST_KEY_LOG && options.keyLog !== undefined) return loadLoggedForm(target, options, isFresh);
  return loadPublicForm(target.endpoint, target.formId, pinsOf(options), isFresh && fresh);
}

async function makeBody(
  submission: Submission,
  target: Target,
  options: Options,
  isFresh?: boolean,
): Promise<Answer<Uint8Array<ArrayBuffer>>> {
  const { id } = submission;
  const answer = await loadSealingForm(target, options, isFresh);
  if (answer?.code) return answer;
  const publicForm = answer?.value;

  let { fields } = submission.collected;
  if (options.piiStrip || publicForm?.piiStrip) {
    try {
      const strip = await loadStrip(target.scriptFolder);
      ({ fields, stripped: submission.stripped } = await strip(
        target.form,
        fields,
        ownMembers({
          // Where the snippet asks, the service can't leave out what to look for.
          piiTypes: options.piiTypes ?? (options.piiStrip ? undefined : publicForm?.piiTypes),
          country: options.country ?? publicForm?.country,
        }),
      ));
    } catch (error) {
      console.error(error);
      return refused("privacy");
    }
  }

  const payload = await makePayload(submission, fields, publicForm, target);
  if (!payload) return refused("sealing");
  await nextTask(); // a megabyte was sealed in this one, and is copied twice in the next
  const body = JSON.stringify({ id, payload, keyVersion: publicForm?.keyVersion, timestamp: Math.floor(Date.now()) });
  const value = encodeText(body);
  /** The service's limit for a body (1 MiB); beyond it the connection would break off before any answer. */
  const bodyBytesMax = 1_048_576;
  return value.length > bodyBytesMax ? refused("too_large") : accepted(value);
}

/** `undefined` where a hybrid key cannot be sealed to. */
async function makePayload(
  { id }: Submission,
  fields: Fields,
  publicForm: PublicForm | undefined,
  { formId, scriptFolder }: Target,
): Promise<Payload | undefined> {
  if (!publicForm) return { encrypted: false, version: plainVersion, fields };
  const { key, keyVersion } = publicForm;
  const binding = { formId, keyVersion, submissionId: id };
  return key.kty === "AKP" ? sealToHybridKey(fields, binding, key, scriptFolder) : sealFlat(fields, binding, key);
}
