import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { accountOf, principalOf } from "../access/access.ts";
import { problems, reference } from "../http/schemas.ts";
import { formShare, otherShare } from "./quota.ts";
import { type StoredBytes, totalOf } from "./shared-room-store.ts";
import { UsageBody } from "./usage-schemas.ts";
import type { SharedUsage, UsageStore } from "./usage-store.ts";

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
          "`bytes` are those of the submissions, counted in stored bytes, plus 512 for each submission. Deleted submissions count until their rows are gone, within a minute or so; those in the bin count too. `otherBytes` are those of everything else but the audit log: forms, keys, envelopes, lists. Both together may take `bytesMax`, and other bytes a quarter of it, or half where an owner with a session adds to them. With the plan that everybody gets, these count for all organizations together that count for one person, as `shared` says; one that stores less than a sixty-fourth of `bytesMax` in addition to submissions may add beyond the quarter, up to seven sixteenths. One that was left behind has a limit of its own. `logBytes` are those of the organization's audit log, which has room of its own: up to half of `bytesMax`, and beyond it only owners with a session add anything large. From a quarter on, nobody else does who has left 10,000 entries there by sessions, or by API keys.",
        tags: ["Account"],
        response: { 200: reference(UsageBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const account = accountOf(request);
        const principal = principalOf(request);
        const owner = principal.kind === "session" && principal.role === "owner" ? principal.personId : undefined;
        const [found, forms, shared] = await Promise.all([
          usage.findAccount(account),
          usage.listFullest(account, formsMax),
          usage.findShared(account, owner),
        ]);
        const { bytes, otherBytes, logBytes, bytesMax } = found;
        const limit = hasQuotas ? bytesMax : undefined;
        return {
          usage: {
            ...{ bytes, otherBytes, logBytes },
            bytesMax: limit ?? null,
            formBytesMax: limit === undefined ? null : Math.floor(limit * formShare),
            forms: forms.map(({ formId, name, bytes, submissions }) => ({
              ...{ id: formId, name, bytes },
              submissionCount: submissions,
            })),
            shared:
              limit === undefined || shared === undefined ? null : describeShared(shared, found.shared, limit, owner),
          },
        };
      },
    });
  };
}

function describeCountsFor(room: SharedUsage["room"], owner: AccountId | undefined): "you" | "owner" | "former_owner" {
  if (room.kind === "left_behind") return "former_owner";
  return room.personId === owner ? "you" : "owner";
}

const percentOf = (bytes: number, bytesMax: number) => Math.floor((100 * bytes) / bytesMax);

/** Others' organizations show as per cent alone: their bytes would say when each of their visitors sends something. */
function describeShared(
  { room, name, own }: SharedUsage,
  stored: StoredBytes,
  bytesMax: number,
  owner: AccountId | undefined,
) {
  return {
    countsFor: describeCountsFor(room, owner),
    name,
    percent: percentOf(totalOf(stored), bytesMax),
    otherPercent: percentOf(stored.otherBytes, bytesMax * otherShare),
    organizations: own.map(({ id, name, bytes, otherBytes }) => ({ id, name, bytes, otherBytes })),
  };
}
