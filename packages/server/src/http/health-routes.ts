import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { Problem, secretMissing } from "../problems/problem.ts";

export type Readiness = "starting" | "ready" | "stopping";

/**
 * For load balancers and supervisors: alive at all, and ready for requests (the start is complete, no shutdown has begun, this process
 * has the active secret, the database answers).
 */
export function createHealthRoutes({
  database,
  secretBox,
  readiness,
}: {
  readonly database: Database;
  readonly secretBox: SecretBox;
  readonly readiness: () => Readiness;
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
        const state = readiness();
        if (state !== "ready") throw new Problem("unavailable", `The service is ${state}`, { retryAfter: 5 });
        if (!secretBox.isOpen()) throw secretMissing();
        await sql`select 1`.execute(database).catch((cause: unknown) => {
          throw new Problem("unavailable", "The database does not answer", { retryAfter: 5, cause });
        });
        return { status: "ready" };
      },
    });
  };
}
