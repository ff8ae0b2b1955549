import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";

/** For load balancers and supervisors: alive at all, and ready for requests (the database answers, no shutdown has begun). */
export function createHealthRoutes({
  database,
  isStopping,
}: {
  readonly database: Database;
  readonly isStopping: () => boolean;
}) {
  return async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: "GET",
      url: "/health/live",
      config: { access: "public" },
      schema: { hide: true },
      handler: async () => ({ status: "live" }),
    });
    app.route({
      method: "GET",
      url: "/health/ready",
      config: { access: "public" },
      schema: { hide: true },
      handler: async () => {
        if (isStopping()) throw new Problem("unavailable", "The service is stopping", { retryAfter: 5 });
        await sql`select 1`.execute(database).catch((cause: unknown) => {
          throw new Problem("unavailable", "The database does not answer", { retryAfter: 5, cause });
        });
        return { status: "ready" };
      },
    });
  };
}
