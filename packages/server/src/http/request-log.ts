import { isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import type { Problem, ProblemCode } from "../problems/problem.ts";
import { createSummedLines } from "./summed-lines.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Why the request was refused, once it was. */
    problemCode: ProblemCode | undefined;
    problemReason: Problem["reason"] | undefined;
    problemDetails: Problem["details"];
  }
}

/**
 * One line per request, by an allow-list (docs/operation.md): never a path, query, header, body, address or user agent. The
 * route is its pattern; of the path only the form's id is logged, and only if it can be one, so that nobody
 * writes words of theirs into the log. Requests of strangers, who can cause any number, are summed, but for submissions that were taken,
 * which have a limit.
 */
export function installRequestLog(app: FastifyInstance): void {
  app.decorateRequest("problemCode", undefined);
  app.decorateRequest("problemReason", undefined);
  app.decorateRequest("problemDetails", undefined);
  const lines = createSummedLines<object>((members, more) => app.log.info({ ...members, more }, "requests"));
  app.addHook("onResponse", (request, reply, done) => {
    const { form_id: form } = (request.params ?? {}) as { readonly form_id?: unknown }; // what a route's pattern names
    const { config, url } = request.routeOptions;
    const kind = {
      method: request.method,
      route: url ?? "unknown",
      status: reply.statusCode,
      error: request.problemCode,
      reason: request.problemReason,
    };
    const account = request.principal?.accountId;
    const isTaken = config.rate === "submissions" && request.method === "POST" && reply.statusCode < 400;
    if (
      account !== undefined ||
      isTaken ||
      lines.isFirst({ key: JSON.stringify(kind), members: kind }, { key: "others", members: {} })
    )
      request.log.info(
        {
          ...kind,
          milliseconds: Math.round(reply.elapsedTime),
          account,
          form: isId("form", form) ? form : undefined,
        },
        "request",
      );
    done();
  });
  app.addHook("onClose", async () => lines.end());
}
