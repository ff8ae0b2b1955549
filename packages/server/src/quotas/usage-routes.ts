import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { accountOf } from "../access/access.ts";
import { problems, reference } from "../http/schemas.ts";
import { formShare } from "./quota.ts";
import { UsageBody } from "./usage-schemas.ts";
import type { UsageStore } from "./usage-store.ts";

export interface UsageRouteDependencies {
  readonly usage: UsageStore;
  readonly hasQuotas: boolean;
}

const formsMax = 100;

/** How much an account stores, and may store. */
export function createUsageRoutes({ usage, hasQuotas }: UsageRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "GET",
      url: "/api/usage",
      config: { access: "forms:read" },
      schema: {
        operationId: "getUsage",
        summary: "Get what the account stores",
        description:
          "`bytes` are those of the submissions, counted in stored bytes, plus 512 for each submission. Deleted submissions count until their rows are gone, within a minute or so; those in the bin count too. `otherBytes` are those of everything else: forms, keys, envelopes, lists, logs. Both together may take `bytesMax`, and other bytes a quarter of it; with the plan that everybody gets, all organizations of a person together.",
        tags: ["Account"],
        response: { 200: reference(UsageBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const account = accountOf(request);
        const [{ bytes, otherBytes, bytesMax }, forms] = await Promise.all([
          usage.findAccount(account),
          usage.listFullest(account, formsMax),
        ]);
        const limit = hasQuotas ? bytesMax : undefined;
        return {
          usage: {
            ...{ bytes, otherBytes },
            bytesMax: limit ?? null,
            formBytesMax: limit === undefined ? null : Math.floor(limit * formShare),
            forms: forms.map(({ formId, name, bytes, submissions }) => ({
              ...{ id: formId, name, bytes },
              submissionCount: submissions,
            })),
          },
        };
      },
    });
  };
}
