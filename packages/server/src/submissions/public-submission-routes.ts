import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId, type FormId, hybridVersion, modulusBytes, plainVersion } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { StoredPayload } from "../database/stored-payload.ts";
import { checkOrigin } from "../forms/check-origin.ts";
import type { Form } from "../forms/form.ts";
import type { FormStore, PublicForm } from "../forms/form-store.ts";
import { isClosed } from "../forms/key-closing.ts";
import { installRefusalNotes, type NoteRefusalDependencies } from "../forms/note-refusals.ts";
import type { PublicForms } from "../forms/public-forms.ts";
import { installCors } from "../http/cors.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Admit } from "../quotas/admission.ts";
import type { Clock } from "../time/clock.ts";
import { checkAndIngest, createRequireForm } from "./check-and-ingest.ts";
import type { Ingest } from "./ingest.ts";
import type { StripFields, Visitor } from "./strip-fields.ts";
import { countedBytes, type PostedSubmission, parsePostedSubmission } from "./submission.ts";
import { AcceptedSubmissionBody, PostedSubmissionInput } from "./submission-schemas.ts";
import type { SubmissionStore } from "./submission-store.ts";
import { findWrittenError } from "./written-error.ts";

export const submissionBytesMax = 1_048_576;
/** The encapsulated secret and the content key with its tag (packages/wire/SPECIFICATION.md, section 3). */
const hybridSealedKeyBytes = 1168;

export interface PublicSubmissionRouteDependencies extends NoteRefusalDependencies {
  readonly forms: FormStore;
  readonly publicForms: PublicForms;
  readonly ingest: Ingest;
  readonly stripFields: StripFields;
  readonly admit: Admit;
  readonly submissions: SubmissionStore;
  readonly clock: Clock;
}

/** Where browsers post (contract, section 8.3). */
export function createPublicSubmissionRoutes({
  forms,
  publicForms,
  ingest,
  stripFields,
  admit,
  submissions,
  refusedVisitors,
  clock,
}: PublicSubmissionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    installRefusalNotes(app, "json", { publicForms, refusedVisitors });
    installCors(app, [{ url: "/api/forms/:form_id/submissions", methods: "POST" }]);
    app.route({
      method: "POST",
      url: "/api/forms/:form_id/submissions",
      bodyLimit: submissionBytesMax,
      config: { access: "public", rate: "submissions", findWrittenError: (body) => findWrittenError(body) },
      preParsing: createRequireForm(publicForms),
      // The schema is for the document; `parsePostedSubmission` checks the body.
      validatorCompiler: () => () => true,
      schema: {
        operationId: "postSubmission",
        summary: "Submit a form",
        description:
          "Answers 201 once the submission is durable. The same id with the same content again is answered like the first time, with 200. What is sealed to a key version that takes nothing more is refused with 410: seal it to the newest one.",
        tags: ["Public"],
        security: [],
        params: FormIdParameters,
        body: PostedSubmissionInput,
        response: {
          200: reference(AcceptedSubmissionBody),
          201: reference(AcceptedSubmissionBody),
          ...problems(400, 403, 404, 409, 410, 413, 415, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const posted = parsePostedSubmission(request.body);
        const arrivedAt = clock.now();
        const outcome = await checkAndIngest(publicForms, request.params.form_id, async (found) => {
          checkOrigin(request, found.form);
          if ("errors" in posted) throw invalid(posted.errors);
          await checkAgainstForm(posted, found, arrivedAt);
          const { form } = found;
          const { id = createId("submission", arrivedAt), keyVersion = form.keyVersion } = posted;
          const bodyBytes = countedBytes(posted.payload, request.bodyBytes);
          return admit({ form, id, bodyBytes, address: request.ip }, async () => {
            const payload = await preparePayload(posted.payload, form, { ip: request.ip, answer: reply.raw });
            // Only after all that it waited for: others have passed it meanwhile.
            const receivedAt = clock.now();
            const { timestamp = receivedAt } = posted;
            return ingest({ formId: form.id, id, keyVersion, payload, timestamp, receivedAt }, form);
          });
        });
        if (outcome.outcome === "conflict")
          throw new Problem("conflict", "Another submission with this id exists already");
        if (outcome.outcome === "deleted") throw new Problem("conflict", "The submission with this id was deleted");
        const { submission } = outcome;
        reply.status(outcome.outcome === "created" ? 201 : 200);
        return {
          success: true as const,
          submission: { id: submission.id, timestamp: submission.timestamp, receivedAt: submission.receivedAt },
        };
      },
    });
  };

  async function checkAgainstForm(
    { id, payload, keyVersion }: PostedSubmission,
    newest: PublicForm,
    now: number,
  ): Promise<void> {
    const { form } = newest;
    const isSealed = payload.version !== plainVersion;
    if (!isSealed && form.settings.encryption)
      throw invalid({ payload: "This form accepts only encrypted submissions" });
    if (keyVersion === undefined) return;
    const older = keyVersion === form.keyVersion ? undefined : await forms.findKey(form.id, keyVersion);
    const key = keyVersion === form.keyVersion ? newest : older;
    if (key === undefined) throw invalid({ keyVersion: "This form has no such key version" });
    if (!isSealed) return;
    if (older !== undefined && isClosed(older, now) && !(await isStored(form.id, id))) throw keyClosed();
    // The other way round is allowed: not every visitor's page knows hybrid keys.
    if (payload.version === hybridVersion && key.hybrid === undefined)
      throw invalid({ "payload.version": "Must be sp1: this key version has no hybrid key" });
    const keyBytes = payload.version === hybridVersion ? hybridSealedKeyBytes : modulusBytes(key.publicKey);
    if (payload.key.length !== keyBytes) throw invalid({ "payload.key": `Must hold ${keyBytes} bytes` });
  }

  /** Whether the form has, or had, a submission of this id: its sender only asks again for the answer. */
  async function isStored(formId: FormId, id: string | undefined): Promise<boolean> {
    if (id === undefined) return false;
    return ((await submissions.findPosition(formId, id)) ?? (await submissions.findInBin(formId, id))) !== undefined;
  }

  /** A plain submission, which the embed could not strip before sealing, is stripped before anything is written. */
  async function preparePayload(payload: StoredPayload, form: Form, visitor: Visitor): Promise<StoredPayload> {
    if (!form.settings.piiStrip || payload.version !== plainVersion) return payload;
    return { ...payload, fields: await stripFields(form, payload.fields, visitor) };
  }
}

function invalid(details: Readonly<Record<string, string>>): Problem {
  return new Problem("bad_request", "Invalid request", { details });
}

/** 410: no later try can succeed with the same body. */
function keyClosed(): Problem {
  return new Problem("conflict", "This form takes nothing more for this version of its key: load the page again", {
    status: 410,
  });
}
