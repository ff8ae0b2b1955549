import type { FastifyInstance } from "fastify";

/**
 * One line per request, by an allow-list (docs/threat-model.md): never a path, query, header, body, address or user
 * agent. The route is its pattern, so ids do not get in either.
 */
export function installRequestLog(app: FastifyInstance): void {
  app.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? "unknown",
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime),
        account: request.principal?.accountId,
      },
      "request",
    );
    done();
  });
}
