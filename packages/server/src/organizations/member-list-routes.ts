import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  entryBytesMax,
  type ListEntry,
  type NameText,
  subjectOf,
  type Unnamed,
  type VerifiedList,
} from "@sealpost/envelope/form";
import { type AccountId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  accountOf,
  personOf,
  principalOf,
  requireFreshSession,
  roleInsufficient,
  sessionOf,
} from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { KnownHeaders, readSeen, requireSeen, SeenHeaders, toTag } from "../http/preconditions.ts";
import { closed, problems } from "../http/schemas.ts";
import { answerLines, signedLines } from "../http/signed-lines.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { requireNumber, requireSeldom } from "./list-entry-bounds.ts";
import { NewNames, requireName, requireNoOther } from "./list-names.ts";
import type { ReadListFrom, ReadListPage } from "./list-reads.ts";
import { createListSteps, type ListStep, type ListStepDependencies, throwNoStep } from "./list-steps.ts";
import { describeListEntry, eventOf, isRecovery, isSameKey, nameAbout } from "./member-list-change.ts";
import type { StoredHead } from "./member-list-store.ts";
import type { MemberStore } from "./member-store.ts";
import { ListQuery } from "./organization-schemas.ts";
import type { OwnAdmissionRouteDependencies } from "./own-admission-routes.ts";

export interface MemberListRouteDependencies extends ListStepDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly readListPage: ReadListPage;
  readonly readListFrom: ReadListFrom;
  readonly findOwnHalves: OwnAdmissionRouteDependencies["findOwnHalves"];
  readonly sendSecurityMail: SendSecurityMail;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const url = "/api/member-list";

/** The organization's signed list of members. Each entry is verified before it is stored, so that no member can spoil it for the others. */
export function createMemberListRoutes(dependencies: MemberListRouteDependencies) {
  const {
    database,
    members,
    memberLists,
    listNames,
    verifiedLists,
    readListPage,
    readListFrom,
    findOwnHalves,
    sendSecurityMail,
    hasRoom,
    clock,
  } = dependencies;
  const listSteps = createListSteps(dependencies);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url,
      config: { access: "submissions:read" },
      schema: {
        operationId: "getMemberList",
        summary: "Get the organization's signed list of members",
        description:
          "The bytes of SPECIFICATION.md section 14, in pages of 4,096 entries: 1 to 4,096, 4,097 to 8,192, and so on. This is the newest page, or the one that has `entry`. Verify all of them together, from entry 1 on, and from a head that you have seen before: the service could show you an older list, or another one. Who has kept what was verified asks from its last entry on (`from`), which has to be the same, and verifies the entries after it: with the head as `If-None-Match`, nothing is sent while it is the last. The `ETag` is the number and the hash of the last entry that is sent.",
        tags: ["Organizations"],
        headers: KnownHeaders,
        querystring: ListQuery,
        response: {
          ...signedLines("Two lines for each entry."),
          ...problems(400, 401, 403, 404, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const { entry, from } = request.query;
        refuseInvalid({
          from: entry === undefined || from === undefined ? undefined : "Must not be given with entry",
        });
        const none = new Problem("not_found", "This organization has no signed list of members yet");
        const [organizationId, personId] = [accountOf(request), personOf(request)];
        const read = async () => {
          const found =
            from === undefined
              ? await readListPage(organizationId, personId, entry)
              : await readListFrom(organizationId, personId, from);
          if (found === undefined) throw none;
          return found;
        };
        const page = entry === undefined ? undefined : await read();
        const head = page?.head ?? (await memberLists.findHead(organizationId));
        if (head === undefined) throw none;
        return answerLines(request, reply, head, async () => page ?? read());
      },
    });

    app.route({
      method: "POST",
      url,
      config: { access: "session" },
      schema: {
        operationId: "addMemberListEntry",
        summary: "Add an entry to the organization's signed list of members",
        description:
          "The service verifies it as everybody does (SPECIFICATION.md section 14), and takes only entries that you have signed yourself, about members of the organization (by their id, `acc_…`), programs and recovery keys. The first one is an owner's. An owner hands in what the recovery key has signed about that owner. `next` is one more that follows it, and both are added or neither. Readers and auditors put their own key in use in the place of the one before, and do nothing else. Owners are notified by email. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        headers: SeenHeaders,
        body: closed({
          entry: Type.String({ maxLength: entryBytesMax, description: "Its two lines, each with its line feed." }),
          next: Type.Optional(
            Type.String({
              maxLength: entryBytesMax,
              description: "The entry after it. A key that `entry` puts into the list signs it, as a rule.",
            }),
          ),
          names: Type.Optional(NewNames),
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
        requireFreshSession(request, clock.now());
        const seen = readSeen(request);
        const organizationId = accountOf(request);
        const { personId, role } = sessionOf(request);
        const head = await memberLists.findHead(organizationId);
        requireSeen(seen, head && toTag(head));
        if (head === undefined && role !== "owner") throw roleInsufficient();
        await requireRoom(hasRoom, principalOf(request));
        const { entry, next, names = [] } = request.body;
        const steps = await verifySteps(request, head, next === undefined ? [entry] : [entry, next], names);
        const addedAt = clock.now();
        await database.transaction().execute(async (transaction) => {
          await members.lock(transaction, organizationId);
          const now = await memberLists.findHead(organizationId, transaction);
          requireSeen(seen, now && toTag(now));
          await requireSeldom(memberLists, transaction, { organizationId, personId, role }, steps.length, addedAt);
          for (const step of steps) await addStep(transaction, request, step, addedAt);
        });
        const { list } = steps.at(-1) ?? throwNoStep();
        verifiedLists.keep(list, personId);
        reply.header("etag", toTag(list.head));
        return { head: list.head };
      },
    });
  };

  async function verifySteps(
    request: FastifyRequest,
    head: StoredHead | undefined,
    entries: readonly string[],
    names: readonly NameText[],
  ): Promise<readonly ListStep[]> {
    requireNumber((head?.number ?? 0) + entries.length, sessionOf(request).role);
    const asker = { organizationId: accountOf(request), personId: personOf(request) };
    const steps = await listSteps.verify(asker, head, entries, async (entry, list, before) => {
      await requireAllowed(request, entry, list, before);
      return requireName(entry, before, names);
    });
    requireNoOther(
      names,
      steps.map(({ line }) => line),
    );
    return steps;
  }

  async function addStep(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    step: ListStep,
    addedAt: number,
  ): Promise<void> {
    const { before, entry, line } = step;
    const organizationId = accountOf(request);
    const about = nameAbout(entry, before);
    const name = line?.name ?? (about && (await listNames.findName(transaction, organizationId, about))) ?? "";
    await listSteps.store(transaction, organizationId, step, addedAt);
    await recordAction(transaction, {
      ...byPrincipal(sessionOf(request)),
      ...describeListEntry(entry, name),
      action: isRecovery(entry, before) ? "member_list.recovered" : "member_list.changed",
      occurredAt: addedAt,
    });
    await sendSecurityMail(transaction, {
      ...{ accountId: organizationId, event: eventOf(entry, before), occurredAt: addedAt },
      by: byPrincipal(sessionOf(request)).actor,
    });
  }

  /** A member who is neither owner nor manager puts the key in use in the place of the former one, and does nothing else. */
  async function requireOwnKey(personId: AccountId, change: string, after: Unnamed | undefined): Promise<void> {
    if (change !== "replace" || after === undefined) throw roleInsufficient();
    if ((await members.findPresentId(after.id)) !== personId) throw roleInsufficient();
    const own = await findOwnHalves(personId);
    if (own === undefined || !isSameKey(own, after)) throw roleInsufficient();
  }

  /** Beyond the list's own rules: nobody hands in another's entry, adds strangers, or does in the list what their role has lost. */
  async function requireAllowed(
    request: FastifyRequest,
    entry: ListEntry,
    list: VerifiedList,
    before: VerifiedList | undefined,
  ): Promise<void> {
    const { personId, role } = sessionOf(request);
    const { change, signedBy } = entry;
    const memberId = subjectOf(entry) ?? "";
    // Lists keep the ids of before.
    const [signerId, subjectId] = await Promise.all([signedBy, memberId].map((id) => members.findPresentId(id)));
    const signer = before?.members.get(signedBy);
    const isByRecovery = signer?.role === "recovery" && subjectId === personId;
    refuseInvalid({
      entry: signerId === personId || isByRecovery ? undefined : "Must be an entry that you have signed yourself",
    });
    requireNumber(entry.number, signer?.role, change);
    if (role !== "owner" && (isByRecovery || signer?.role === "owner")) throw roleInsufficient();
    if (role !== "owner" && role !== "manager") await requireOwnKey(personId, change, list.members.get(memberId));
    if (change === "remove" || change === "note" || change === "vouch" || change === "name") return;
    const added = list.members.get(memberId);
    const isPerson = added?.role !== "program" && added?.role !== "recovery";
    const isMember =
      isId("account", subjectId) && (await members.findRole(accountOf(request), subjectId)) !== undefined;
    refuseInvalid({ entry: !isPerson || isMember ? undefined : "Must be about a member of this organization" });
  }
}
