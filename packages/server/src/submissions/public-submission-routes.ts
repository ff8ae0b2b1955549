import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId, type FormId, hybridVersion, modulusBytes, plainVersion } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
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
import { checkAndIngest, createRequireForm, type SettledOutcome } from "./check-and-ingest.ts";
import type { First, FirstSubmissions } from "./first-submission.ts";
import type { Ingest } from "./ingest.ts";
import type { StripFields, Visitor } from "./strip-fields.ts";
import { countedBytes, type PostedSubmission, parsePostedSubmission } from "./submission.ts";
import { AcceptedSubmissionBody, PostedSubmissionInput } from "./submission-schemas.ts";
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
  readonly firstSubmissions: FirstSubmissions;
  readonly clock: Clock;
}

/** Where browsers post (contract, section 8.3). */
export function createPublicSubmissionRoutes({
  forms,
  publicForms,
  ingest,
  stripFields,
  admit,
  firstSubmissions,
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
        const submit = () =>
          checkAndIngest(publicForms, request.params.form_id, async (found) => {
            checkOrigin(request, found.form);
            if ("errors" in posted) throw invalid(posted.errors);
            await checkAgainstForm(posted, found, arrivedAt);
            const { form } = found;
            const { id = createId("submission", arrivedAt), keyVersion = form.keyVersion } = posted;
            const bodyBytes = countedBytes(posted.payload, request.bodyBytes);
            return admit({ form, id, bodyBytes, address: request.ip }, async () => {
              const visitor = { ip: request.ip, answer: reply.raw };
              const prepared = await prepare(posted, form, visitor);
              // Only after all that it waited for: others have passed it meanwhile.
              const receivedAt = clock.now();
              const { timestamp = receivedAt } = posted;
              return ingest({ formId: form.id, id, keyVersion, ...prepared, timestamp, receivedAt }, form);
            });
          });
        const outcome = await answer(request.params.form_id, posted, submit);
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

  /** Answers with the outcome, or with that of the first try, which is looked for where this one is refused or its id is taken. */
  async function answer(
    formId: string,
    posted: ReturnType<typeof parsePostedSubmission>,
    submit: () => Promise<SettledOutcome>,
  ): Promise<First | Extract<SettledOutcome, { readonly outcome: "created" }>> {
    const find = async (): Promise<First> => {
      if ("errors" in posted || posted.id === undefined) return { outcome: "deleted" };
      return firstSubmissions.findFirst(formId as FormId, posted.id, posted); // only a form's id came so far
    };
    try {
      const outcome = await submit();
      return outcome.outcome === "taken" ? find() : outcome;
    } catch (error) {
      if (!(error instanceof Problem) || error.code === "not_found" || error.code === "unavailable") throw error;
      const first = await find();
      // Other content learns no more than a new submission would.
      if (first.outcome !== "repeated") throw error;
      return first;
    }
  }

  async function checkAgainstForm(
    { payload, keyVersion }: PostedSubmission,
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
    if (older !== undefined && isClosed(older, now)) throw keyClosed();
    // The other way round is allowed: not every visitor's page knows hybrid keys.
    if (payload.version === hybridVersion && key.hybrid === undefined)
      throw invalid({ "payload.version": "Must be sp1: this key version has no hybrid key" });
    const keyBytes = payload.version === hybridVersion ? hybridSealedKeyBytes : modulusBytes(key.publicKey);
    if (payload.key.length !== keyBytes) throw invalid({ "payload.key": `Must hold ${keyBytes} bytes` });
  }

  /** A plain submission, which the embed could not strip before sealing, is stripped before anything is written. */
  async function prepare({ id, payload }: PostedSubmission, form: Form, visitor: Visitor) {
    if (!form.settings.piiStrip || payload.version !== plainVersion) return { payload };
    const fields = await stripFields(form, payload.fields, visitor);
    // A sender who does not name the id cannot ask again.
    if (id === undefined || JSON.stringify(fields) === JSON.stringify(payload.fields))
      return { payload: { ...payload, fields } };
    return {
      payload: { ...payload, fields },
      postedDigest: firstSubmissions.digestPosted(form.id, id, payload.fields),
    };
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
