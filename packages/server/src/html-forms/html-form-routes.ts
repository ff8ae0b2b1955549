import { createId, type Fields, plainVersion } from "@sealpost/wire";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { checkOrigin } from "../forms/check-origin.ts";
import { installRefusalNotes, type NoteRefusalDependencies } from "../forms/note-refusals.ts";
import type { PublicForms } from "../forms/public-forms.ts";
import { installCors } from "../http/cors.ts";
import { type SendPage, sendProblem, toProblem, wrongMethod } from "../http/errors.ts";
import { prepareMessagePage } from "../http/message-page.ts";
import { closed } from "../http/schemas.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import type { Admit } from "../quotas/admission.ts";
import { checkAndIngest, createRequireForm } from "../submissions/check-and-ingest.ts";
import type { Ingest } from "../submissions/ingest.ts";
import { submissionBytesMax } from "../submissions/public-submission-routes.ts";
import type { StripFields } from "../submissions/strip-fields.ts";
import { countedBytes } from "../submissions/submission.ts";
import type { Clock } from "../time/clock.ts";
import { type HtmlForm, resolveNext } from "./html-form.ts";
import { type PageName, pageOfProblem, writePage } from "./html-form-pages.ts";
import { createReadHtmlForm } from "./read-html-form.ts";

export interface HtmlFormRouteDependencies extends NoteRefusalDependencies {
  readonly publicForms: PublicForms;
  readonly ingest: Ingest;
  readonly stripFields: StripFields;
  readonly admit: Admit;
  readonly clock: Clock;
}

const needsScript = "Not sent: this form needs JavaScript";

const Parameters = closed({ form_id: Type.String() });

/** Ordinary HTML forms, without script, for forms whose setting `encryption` is false (contract, section 8.4). */
export function createHtmlFormRoutes(dependencies: HtmlFormRouteDependencies) {
  const { publicForms, ingest, stripFields, admit, clock } = dependencies;
  const readHtmlForm = createReadHtmlForm();
  return async (app: FastifyInstance): Promise<void> => {
    installRefusalNotes(app, "html", dependencies);
    installCors(app, [{ url: "/f/:form_id", methods: "POST" }]);
    installFormParser(app);
    app.setErrorHandler(async (error: FastifyError, request, reply) => {
      const isOfOtherType = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE";
      const problem = toProblem(isOfOtherType ? formExpected() : error, request);
      if (wantsJson(request)) return sendProblem(problem, request, reply);
      // As after a form that was stored, for who looks at the status alone: a program, mostly. People read the page, and Back leads to what they typed.
      if (problem.reason === "html_form_trapped")
        return reply.redirect(`/f/${encodeURIComponent(formIdOf(request))}/not-sent`, 303);
      if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
      const sendPage = await preparePage(request, pageOfProblem(problem));
      return sendPage(reply.status(problem.status));
    });
    app.route<{ Params: { form_id: string } }>({
      method: "POST",
      url: "/f/:form_id",
      bodyLimit: submissionBytesMax,
      config: { access: "public", rate: "submissions" },
      preParsing: createRequireForm(publicForms),
      schema: { hide: true, params: Parameters },
      handler: (request, reply) => submit(request, reply, request.params.form_id),
    });
    app.route({
      method: "GET",
      url: "/f/:form_id/thanks",
      config: { access: "public" },
      schema: { hide: true },
      async handler(request, reply) {
        // Answers in the address are of a form with a wrong action, and nothing has stored them.
        if (request.url.includes("?")) throw formNotFound();
        return (await preparePage(request, "sent"))(reply);
      },
    });
    app.route({
      method: "GET",
      url: "/f/:form_id/not-sent",
      config: { access: "public" },
      schema: { hide: true },
      handler: async (request, reply) => (await preparePage(request, "html_form_trapped"))(reply),
    });
    app.route<{ Params: { form_id: string } }>({
      method: "GET",
      url: "/f/:form_id",
      config: { access: "public", isWrongMethod: true },
      schema: { hide: true, params: Parameters },
      handler: async (request, reply) => {
        const found = await publicForms.find(request.params.form_id);
        const isSealed = found?.form.settings.encryption ?? false;
        // A form with `method="get"` has its answers in the address.
        if (request.url.includes("?"))
          request.problemReason = isSealed ? "html_form_needs_script" : "method_not_allowed";
        const problem = wrongMethod(app, request, reply);
        if (wantsJson(request)) return sendProblem(problem, request, reply);
        const sendPage = await preparePage(request, isSealed ? pageOfSealed(request) : "only_posts");
        return sendPage(reply.status(problem.status));
      },
    });
  };

  async function submit(request: FastifyRequest, reply: FastifyReply, formId: string) {
    const id = createId("submission", clock.now());
    let posted: HtmlForm | undefined;
    let allowedOrigins: readonly string[] = [];
    const accepted = await checkAndIngest(publicForms, formId, async ({ form }) => {
      const { settings, keyVersion } = form;
      checkOrigin(request, form);
      if (settings.encryption) throw new Problem("bad_request", needsScript);
      posted ??= await readHtmlForm(request, form, reply.raw);
      allowedOrigins = settings.allowedOrigins;
      const { fields: answers } = posted;
      const toSubmission = (fields: Fields) => {
        const receivedAt = clock.now();
        const payload = { version: plainVersion, fields } as const;
        return { formId: form.id, id, keyVersion, payload, timestamp: receivedAt, receivedAt };
      };
      const bodyBytes = countedBytes({ version: plainVersion, fields: answers }, request.bodyBytes);
      const visitor = { ip: request.ip, answer: reply.raw };
      return admit({ form, id, bodyBytes, address: request.ip }, async () =>
        ingest(toSubmission(settings.piiStrip ? await stripFields(form, answers, visitor) : answers), form),
      );
    });
    if (accepted.outcome !== "created") throw new Problem("conflict", "This submission exists already");
    const next = resolveNext(posted?.next, request.headers.origin, allowedOrigins);
    if (wantsJson(request)) {
      const { timestamp, receivedAt } = accepted.submission;
      return reply
        .status(201)
        .type("application/json; charset=utf-8")
        .send({
          success: true,
          submission: { id, timestamp, receivedAt },
          ...(next !== undefined && { next }),
        });
    }
    return reply.redirect(next ?? `/f/${formId}/thanks`, 303);
  }
}

function formExpected(): Problem {
  return new Problem(
    "unsupported_media_type",
    "Send the body as application/x-www-form-urlencoded or multipart/form-data",
  );
}

/** The platform reads both encodings of forms; bodies are bounded by `submissionBytesMax` before. */
function installFormParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/x-www-form-urlencoded", "multipart/form-data"],
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      request.bodyBytes = body.length;
      return body;
    },
  );
}

const formIdOf = ({ params }: FastifyRequest): string => (params as { readonly form_id: string }).form_id; // of each route with this error

/** For wrong methods at a form's address, which reach no route: the page, unless the caller wants JSON. */
export async function findMethodPage(request: FastifyRequest): Promise<SendPage | undefined> {
  if (!request.url.startsWith("/f/") || wantsJson(request)) return undefined;
  const sendPage = await preparePage(request, "only_posts");
  return (reply) => sendPage(reply.status(405));
}

/**
 * A sealed form takes no post either: to advise one would lead from one refusal to the next. With a query somebody has sent the form by GET, without
 * one they have opened a link.
 */
function pageOfSealed({ url }: FastifyRequest): PageName {
  return url.includes("?") ? "html_form_needs_script" : "only_sealed";
}

function wantsJson({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? "";
  return accept.includes("application/json") && !accept.includes("text/html");
}

function preparePage(request: FastifyRequest, name: PageName): Promise<SendPage> {
  return prepareMessagePage(request, ({ htmlForms }) => writePage(name, htmlForms));
}
