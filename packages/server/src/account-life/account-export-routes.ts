import { Readable } from "node:stream";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireFreshSession, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import type { RecordReading } from "../audit-log/owed-entries.ts";
import type { Database } from "../database/database.ts";
import { problems } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import { exportsPerHour, type RateLimits } from "../rate-limits/rate-limits.ts";
import type { Clock } from "../time/clock.ts";
import type { PageTurns } from "../time/page-turns.ts";
import { exportAccount } from "./account-export.ts";

export interface AccountExportRouteDependencies {
  readonly database: Database;
  readonly recordReading: RecordReading;
  readonly rateLimits: Pick<RateLimits, "countExport">;
  /** Throws where a second factor is required, and the person has one that this session was not confirmed with. */
  readonly requireOwnFactor: (session: ReturnType<typeof sessionOf>) => Promise<void>;
  readonly clock: Clock;
  readonly pageTurns: PageTurns;
}

const exportedLists = [
  "linkedSignIns",
  "passkeys",
  "keyCopies",
  "formerKeys",
  "sessions",
  "organizations",
  "apiKeys",
  "invitations",
  "emails",
  "auditEntries",
] as const;

/** Everything that the instance knows about the person who asks. */
export function createAccountExportRoutes({
  database,
  recordReading,
  rateLimits,
  requireOwnFactor,
  clock,
  pageTurns,
}: AccountExportRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    const running = new Set<Readable>();
    // A slow client would hold up a shutdown for ever; it sees an answer that broke off, and asks again.
    app.addHook("preClose", async () => {
      for (const stream of running) stream.destroy();
    });

    app.route({
      method: "GET",
      url: "/api/account/export",
      config: { access: "person" },
      schema: {
        operationId: "exportAccount",
        summary: "Export everything that the instance knows about you",
        description:
          "One JSON object, described in the guide to accounts: account, sessions, the public halves of your personal key and its sealed copies, organizations and roles, API keys without their values, invitations, emails and audit entries. Nothing about others; what forms received is exported with the forms. Five times within an hour. Needs a sign-in within the last 60 minutes.",
        tags: ["Account"],
        response: {
          200: Type.Object(
            {
              format: Type.Literal("sealpost-account/1"),
              exportedAt: Type.Integer({ minimum: 0, description: "Milliseconds since the Unix epoch." }),
              account: Type.Object({}, { additionalProperties: true }),
              addressMove: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
              personalKey: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
              ...Object.fromEntries(
                exportedLists.map((name) => [name, Type.Array(Type.Object({}, { additionalProperties: true }))]),
              ),
            },
            { additionalProperties: true, description: "Everything about the person who asks." },
          ),
          ...problems(401, 403, 429, 503),
        },
      },
      handler: async (request, reply) => {
        requireFreshSession(request, clock.now());
        // It has sealed copies of the personal key, which the password alone does not give either.
        await requireOwnFactor(sessionOf(request));
        const { personId } = sessionOf(request);
        const runPage = pageTurns.begin({ accountId: personId, personId }, reply.raw);
        const { isExceeded, resetSeconds: retryAfter } = await rateLimits.countExport(personId);
        if (isExceeded)
          throw new Problem("rate_limited", `Your data can be exported ${exportsPerHour} times within an hour`, {
            retryAfter,
          });
        const { actor } = byPrincipal(sessionOf(request));
        const occurredAt = clock.now();
        await recordReading({ accountId: personId, actor, action: "account.exported", occurredAt });
        const stream = Readable.from(exportAccount(database, personId, occurredAt, runPage), {
          objectMode: false,
          highWaterMark: 1,
        });
        request.endsWithRight(stream);
        running.add(stream);
        stream.on("close", () => running.delete(stream));
        reply.header("content-disposition", 'attachment; filename="sealpost-account.json"');
        return reply.type("application/json").send(stream as never); // its text is what the schema describes
      },
    });
  };
}
