import type { FastifyInstance } from "fastify";

/** Headers of every answer (docs/threat-model.md): nothing is sniffed, framed, cached or told to other sites. Routes may loosen single ones. */
export function installHeaders(app: FastifyInstance, isHttps: boolean): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(standardHeaders(request.id, isHttps));
  });
}

export function standardHeaders(requestId: string, isHttps: boolean): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    ...(isHttps && { "strict-transport-security": "max-age=63072000" }),
  };
}
