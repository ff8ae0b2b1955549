import type { FastifyInstance } from "fastify";

/** For answers that pages of any origin may read; also for scripts that they load without CORS, and for posts that don't read the answer. */
export const corsHeaders = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-expose-headers": "Retry-After, X-Request-Id",
} as const;

/**
 * Lets pages of any origin call the routes of this scope, never with credentials (contract, section 8.1). Errors carry
 * the header too, so that the embed can tell a refusal from being offline; the refusal itself is the routes' work.
 */
export function installCors(
  app: FastifyInstance,
  urls: readonly { readonly url: string; readonly methods: string }[],
): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(corsHeaders);
    done();
  });
  for (const { url, methods } of urls) {
    app.options(url, { schema: { hide: true } }, async (_request, reply) => {
      reply.headers({
        "access-control-allow-methods": methods,
        "access-control-allow-headers": "Content-Type",
        "access-control-max-age": "86400",
      });
      return reply.status(204).send();
    });
  }
}
