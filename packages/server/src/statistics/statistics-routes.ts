import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf } from "../access/access.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import { formNotFound } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { listDays, type Period, periodDays, summarize } from "./statistics.ts";
import type { StatisticsStore } from "./statistics-store.ts";

const periods = Object.keys(periodDays) as Period[]; // the keys of a table with exactly these keys
const Count = Type.Integer({ minimum: 0 });

export const StatisticsBody = closed(
  {
    formId: Type.String(),
    period: Type.Enum(periods),
    stats: closed({
      totalSubmissions: Type.Integer({
        minimum: 0,
        description: "All that were ever received, deleted ones included.",
      }),
      periodSubmissions: Count,
      avgPerDay: Type.Number({ minimum: 0, description: "With two decimals." }),
      timeline: Type.Array(closed({ date: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }), count: Count }), {
        description: "Every UTC day of the period, oldest first, zeros included.",
      }),
    }),
  },
  { $id: "Statistics", description: "What the form received, by day." },
);

export interface StatisticsRouteDependencies {
  readonly statistics: StatisticsStore;
  readonly clock: Clock;
}

/** Contract, section 10. */
export function createStatisticsRoutes({ statistics, clock }: StatisticsRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "GET",
      url: "/api/forms/:form_id/stats",
      config: { access: "forms:read" },
      schema: {
        operationId: "getFormStatistics",
        summary: "Count what a form received",
        description:
          "UTC days, today included: day 1, week 7, month 30, year 365. Deleting submissions does not rewrite what was counted.",
        tags: ["Forms"],
        params: FormIdParameters,
        querystring: closed({
          period: Type.Optional(
            Type.Enum(periods, { default: "month", "x-message": "Must be day, week, month or year" }),
          ),
        }),
        response: { 200: reference(StatisticsBody), ...problems(400, 401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { period = "month" } = request.query;
        const days = listDays(period, clock.now());
        const [first = "", last = ""] = [days[0], days.at(-1)];
        const formId = request.params.form_id;
        const counters = await statistics.find(accountOf(request), formId, first, last);
        if (counters === undefined) throw formNotFound();
        return {
          formId,
          period,
          stats: { totalSubmissions: counters.received, ...summarize(days, counters.byDay) },
        };
      },
    });
  };
}
