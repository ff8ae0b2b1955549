import type { FastifyInstance } from "fastify";

/**
 * Headers of every answer (docs/threat-model.md): nothing is sniffed, framed, cached, shown to other sites, read by them, or
 * given a camera. Routes may loosen single ones: what pages of any origin may read says so itself (`corsHeaders`).
 */
export function installHeaders(app: FastifyInstance, isHttps: boolean): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(standardHeaders(request.id, isHttps));
    done();
  });
}

export function standardHeaders(requestId: string, isHttps: boolean): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": "no-store",
    ...(isHttps && { "strict-transport-security": "max-age=63072000" }),
  };
}
