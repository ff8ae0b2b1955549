import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import { databaseUnavailable, Problem } from "../problems/problem.ts";

export interface MetricsRouteDependencies {
  /** Required in each request. */
  readonly token: string;
  /** The whole instance's metrics in the text format of Prometheus. */
  readonly collect: () => Promise<string>;
}

/** `GET /metrics`. Without a token it is not registered, and the address is one that does not exist. */
export function createMetricsRoutes({ token, collect }: MetricsRouteDependencies) {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const wanted = digest(`Bearer ${token}`);
  return async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: "GET",
      url: "/metrics",
      config: { access: "public" },
      schema: { hide: true },
      handler: async (request, reply) => {
        // Digests have one length, so that the comparison tells nothing about the token's.
        if (!timingSafeEqual(digest(request.headers.authorization ?? ""), wanted))
          throw new Problem("unauthorized", "Invalid or missing authentication");
        const text = await collect().catch((cause: unknown) => {
          throw databaseUnavailable(cause);
        });
        return reply.header("cache-control", "no-store").type(Registry.PROMETHEUS_CONTENT_TYPE).send(text);
      },
    });
  };
}
