import { isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { Problem, ProblemCode } from "../problems/problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused, once it was. */
    problemCode: ProblemCode | undefined;
    problemReason: Problem["reason"] | undefined;
  }
}

/**
 * One line per request, by an allow-list (docs/operation.md): never a path, query, header, body, address or user agent. The
 * route is its pattern; of the path only the form's id is logged, and only if it can be one, so that nobody
 * writes words of theirs into the log.
 */
export function installRequestLog(app: FastifyInstance): void {
  app.decorateRequest("problemCode", undefined);
  app.decorateRequest("problemReason", undefined);
  app.addHook("onResponse", (request, reply, done) => {
    const { form_id: form } = (request.params ?? {}) as { readonly form_id?: unknown }; // what a route's pattern names
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        account: request.principal?.accountId,
        form: isId("form", form) ? form : undefined,
        error: request.problemCode,
        reason: request.problemReason,
      },
      "request",
    );
    done();
  });
}
