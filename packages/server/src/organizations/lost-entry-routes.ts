import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { entryBytesMax, type ListEntry, type NameText, type VerifiedList } from "@sealpost/envelope/form";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf, requireFreshSession, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { readSeen, requireSeen, SeenHeaders, toTag } from "../http/preconditions.ts";
import { closed, problems } from "../http/schemas.ts";
import { requireRoom } from "../quotas/room.ts";
import { requireNumber } from "./list-entry-bounds.ts";
import { findName, GivenBackNames, givenBackMax } from "./list-names.ts";
import { createListSteps, type ListStep, throwNoStep } from "./list-steps.ts";
import { eventOf } from "./member-list-change.ts";
import type { MemberListRouteDependencies } from "./member-list-routes.ts";

/** Entries at the end of a signed list that the service has lost, and gets back from somebody who has seen them. */
export function createLostEntryRoutes(dependencies: MemberListRouteDependencies) {
  const { database, members, memberLists, verifiedLists, sendSecurityMail, hasRoom, clock } = dependencies;
  const listSteps = createListSteps(dependencies);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url: "/api/member-list/lost",
      config: { access: "session" },
      schema: {
        operationId: "giveBackMemberListEntries",
        summary: "Give back entries of the signed list of members that the service has lost",
        description:
          "For a service that was restored from a backup: its list ends before the one that members have seen. An owner who has signed in within the last hour gives them back, their own and others': each proves itself, and the service verifies it as everybody does (SPECIFICATION.md section 14). Owners are notified by email.",
        tags: ["Organizations"],
        headers: SeenHeaders,
        body: closed({
          entries: Type.Array(Type.String({ maxLength: entryBytesMax }), {
            minItems: 1,
            maxItems: givenBackMax,
            description: "The entries that follow the newest one of the service, one after the other.",
          }),
          names: Type.Optional(GivenBackNames),
        }),
        response: {
          200: closed({
            head: closed(
              { number: Type.Integer({ minimum: 1 }), hash: Type.String() },
              { description: "The new end of the list." },
            ),
          }),
          ...problems(400, 401, 403, 409, 412, 413, 415, 428, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const seen = readSeen(request);
        const organizationId = accountOf(request);
        const { personId } = sessionOf(request);
        const head = await memberLists.findHead(organizationId);
        requireSeen(seen, head && toTag(head));
        requireFreshSession(request, clock.now());
        await requireRoom(hasRoom, principalOf(request));
        const { entries, names = [] } = request.body;
        const steps = await listSteps.verify({ organizationId, personId }, head, entries, takeAgain(names));
        const addedAt = clock.now();
        await database.transaction().execute(async (transaction) => {
          await members.lock(transaction, organizationId);
          const now = await memberLists.findHead(organizationId, transaction);
          requireSeen(seen, now && toTag(now));
          for (const step of steps) await listSteps.store(transaction, organizationId, step, addedAt);
          await tellGivenBack(transaction, request, steps, addedAt);
        });
        const { list } = steps.at(-1) ?? throwNoStep();
        verifiedLists.keep(list, personId);
        reply.header("etag", toTag(list.head));
        return { head: list.head };
      },
    });
  };

  async function tellGivenBack(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    steps: readonly ListStep[],
    occurredAt: number,
  ): Promise<void> {
    const [first, last] = [steps[0] ?? throwNoStep(), steps.at(-1) ?? throwNoStep()];
    const principal = byPrincipal(sessionOf(request));
    await recordAction(transaction, {
      ...principal,
      action: "member_list.given_back",
      occurredAt,
      details: { changes: [{ setting: "memberList", from: first.entry.number - 1, to: last.entry.number }] },
    });
    const accountId = accountOf(request);
    for (const event of new Set(steps.map(({ entry, before }) => eventOf(entry, before))))
      await sendSecurityMail(transaction, { accountId, event, occurredAt, by: principal.actor });
  }
}

/** Entries that were in the list before: nobody hands them in as their own. A name that is missing stays so, and one that no entry commits to is not kept. */
function takeAgain(names: readonly NameText[]) {
  return (entry: ListEntry, _: VerifiedList, before: VerifiedList | undefined) => {
    requireNumber(entry.number, before?.members.get(entry.signedBy)?.role, entry.change);
    return findName(entry, before, names);
  };
}
