import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isDatabaseUnavailable, isUnstorableText } from "../database/errors.ts";
import { MissingSecretError } from "../instance/key-ring.ts";
import type { Sentence } from "../problems/codes.ts";
import { databaseUnavailable, Problem, type RefusalCode, secretMissing } from "../problems/problem.ts";
import { findWaiting, isFullCode } from "../problems/waiting-codes.ts";
import { corsHeaders } from "./cors.ts";
import { describeByField, describeByPath } from "./describe-details.ts";
import type { Settle } from "./durable-answers.ts";
import { installErrorLog } from "./error-log.ts";
import { describeErrors } from "./validation.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Routes with `isWrongMethod`. */
    readonly wrongMethods: { readonly methods: readonly string[]; readonly url: string }[];
  }
  interface FastifyContextConfig {
    /** The shape of this route's errors: `{error, message, …}`, or only the sentence, as `{error}` (contract, section 4.4). */
    readonly errorBody?: "problem" | "sentence";
    /** How `details` names fields: by their paths in the request, or as the contract does, by their own names. */
    readonly fieldNames?: "paths" | "contract";
    /** Whether the route is there to refuse its method, with a page or a note of its own: the address does not know it. */
    readonly isWrongMethod?: true;
  }
}

/** Fastify's own refusals, by code. Everything else unknown is a 500 without detail. */
const fastifyProblems: Readonly<Record<string, readonly [RefusalCode, Sentence]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["payload_too_large", "The request body is too large"],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send the body as application/json"],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["bad_request", "Invalid request"],
  FST_ERR_CTP_INVALID_JSON_BODY: ["bad_request", "Invalid request"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["bad_request", "Invalid request"],
  FST_ERR_BAD_URL: ["bad_request", "Invalid request"],
};

/** Sends a page. It is looked up apart from the sending: a reply that is awaited waits until it is sent, and is `undefined` then. */
export type SendPage = (reply: FastifyReply) => FastifyReply;

/** Answers for people instead of programs; `undefined` where there is none. */
export interface ErrorPages {
  /** For a wrong method. */
  findMethodPage(request: FastifyRequest): Promise<SendPage | undefined>;
  /** For an address that no route has. */
  findNotFoundPage(request: FastifyRequest): Promise<SendPage | undefined>;
}

/** Makes every error one answer: `{error, message, code, details?, retryAfter?}` with its status (contract, section 4.2). */
export function installErrorHandling(app: FastifyInstance, pages: ErrorPages, settle: Settle = async () => {}): void {
  installErrorLog(app);
  app.decorate("wrongMethods", []);
  app.addHook("onRoute", ({ method, url, config }) => {
    if (!config?.isWrongMethod) return;
    app.wrongMethods.push({ methods: [method].flat(), url });
  });
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    let problem = toProblem(error, request);
    try {
      await settle(request, problem.status);
    } catch (failure) {
      problem = toProblem(failure as FastifyError, request); // the database's, as any other
    }
    const sendPage =
      problem.code === "method_not_allowed"
        ? await pages.findMethodPage(request)
        : request.is404 && problem.code === "not_found"
          ? await pages.findNotFoundPage(request)
          : undefined;
    return sendPage === undefined ? sendProblem(problem, request, reply) : sendPage(reply);
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const { methods, isForAnyOrigin } = findMethods(app, pathOf(request));
    if (isForAnyOrigin) reply.headers(corsHeaders);
    if (methods.length === 0) throw new Problem("not_found", "There is nothing at this address");
    throw refuseMethod(reply, methods);
  };
  // Before a body is looked at, whose own errors would hide that there is nobody to read it. After the headers.
  app.addHook("preParsing", (request, reply, body, done) => {
    if (request.is404) refuse(request, reply);
    done(null, body);
  });
  app.setNotFoundHandler(refuse);
}

/** The problem of a wrong method. `Allow` has the same methods. */
function refuseMethod(reply: FastifyReply, methods: readonly string[]): Problem {
  reply.header("allow", methods.join(", "));
  return new Problem("method_not_allowed", `This address knows ${methods.join(", ")}`);
}

/** The same for a route that refuses its own method (`isWrongMethod`). */
export function wrongMethod(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Problem {
  return refuseMethod(reply, findMethods(app, pathOf(request)).methods);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? "/";
}

/**
 * The methods of the address, and whether pages of any origin may call it: only those addresses answer OPTIONS. A path may be a route's own and also fit another's parameter: `GET …/submissions/delete`
 * reaches the route of one submission, but what is named `delete` is the route without that parameter.
 */
function findMethods(app: FastifyInstance, url: string) {
  const found = app.supportedMethods.flatMap((method) => {
    const route = app.findRoute({ method: method as "GET", url }); // one of the instance's own methods
    const isWrong = app.wrongMethods.some((wrong) => wrong.methods.includes(method) && isAt(wrong.url, url));
    return route && !isWrong ? [{ method, parameters: Object.keys(route.params ?? {}).length }] : [];
  });
  const fewest = Math.min(...found.map(({ parameters }) => parameters));
  return {
    methods: found.filter(({ parameters }) => parameters === fewest).map(({ method }) => method),
    isForAnyOrigin: found.some(({ method }) => method === "OPTIONS"),
  };
}

/** Whether a route matches this path. Its parameters have to be whole segments. */
function isAt(route: string, path: string): boolean {
  const [wanted, given] = [route.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(":") || part === given[index]);
}

/** The problem that an error thrown while answering amounts to. The log has it, whatever the answer looks like. */
export function toProblem(error: FastifyError, request: FastifyRequest): Problem {
  const problem = describeProblem(error, request);
  request.problemCode = problem.code;
  request.problemReason = problem.reason;
  request.problemDetails = problem.details;
  if (problem.status >= 500 && findWaiting(problem.reason)?.limit !== "account") {
    const reason = problem.code === "unavailable" ? problem.message : undefined;
    request.server.errorLog.write(request.log, problem.code, problem.cause, reason);
  }
  return problem;
}

/** Never throws: what an error handler throws is answered by the library, with its own message. */
function describeProblem(error: FastifyError, request: FastifyRequest): Problem {
  try {
    return findProblem(error, request);
  } catch (cause) {
    return new Problem("internal_error", "Something went wrong on our side", { cause });
  }
}

function findProblem(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error.validation !== undefined) {
    if (error.validationContext === "querystring" && isSentence(request)) {
      const [name] = Object.keys(describeErrors(error.validation));
      return new Problem("bad_request", `Unknown query parameter: ${name}`);
    }
    const message = request.routeOptions.config.invalidMessage ?? "Invalid request";
    return new Problem("bad_request", message, { details: describeErrors(error.validation) });
  }
  const known = fastifyProblems[error.code];
  if (known !== undefined)
    return new Problem(
      known[0],
      request.routeOptions.config?.invalidMessage && known[0] === "bad_request"
        ? request.routeOptions.config.invalidMessage
        : known[1],
    );
  if (error instanceof SyntaxError && error.statusCode === 400)
    return new Problem("bad_request", request.routeOptions.config.invalidMessage ?? "Invalid request", {
      details: { body: "Must be valid JSON" },
    });
  // The visitor broke off while sending the body: nobody is left to read an answer, and nothing of ours has failed.
  if (request.raw.errored === error) return new Problem("bad_request", "Invalid request", { cause: error });
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error);
  if (error instanceof MissingSecretError) return secretMissing(error);
  if (isUnstorableText(error))
    return new Problem("bad_request", "Texts can't hold the character U+0000", { cause: error });
  return new Problem("internal_error", "Something went wrong on our side", { cause: error });
}

/** Answers with a problem as JSON. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const describeDetails = request.routeOptions.config?.fieldNames === "contract" ? describeByField : describeByPath;
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  if (problem.status === 401) reply.header("www-authenticate", "Bearer"); // RFC 9110 section 11.6.1
  return reply
    .status(problem.status)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send({
      ...(isSentence(request)
        ? { error: problem.message }
        : { error: problem.code, message: problem.message, ...(problem.details && describeDetails(problem.details)) }),
      code: problem.reason,
      ...(isFullCode(problem.reason) && !isSentence(request) && { full: true }),
      // Pages of other origins may not read `Retry-After`.
      ...(problem.status === 503 && problem.retryAfter !== undefined && { retryAfter: problem.retryAfter }),
      ...(problem.status === 429 && { retryAfter: problem.retryAfter ?? 60 }),
    });
}

/** A request without a route has no route's configuration: then the address decides. */
function isSentence(request: FastifyRequest): boolean {
  return request.is404
    ? /^\/api\/api-keys(\/|$)/.test(pathOf(request))
    : request.routeOptions.config?.errorBody === "sentence";
}
