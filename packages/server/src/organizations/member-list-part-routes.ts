import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  entryBytesMax,
  findEdgesOfPart,
  type KnownEntry,
  membersMax,
  type NameText,
  RefusalError,
  splitEntries,
  type VerifiedList,
} from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, personOf, principalOf, requireFreshSession, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { readSeen, requireSeen, SeenHeaders, toTag } from "../http/preconditions.ts";
import { closed, problems } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { requireRoom } from "../quotas/room.ts";
import { requireFewParts } from "./list-entry-bounds.ts";
import { NewNames, requireName, requireNoOther } from "./list-names.ts";
import { describeListChange, describeListEntry, eventOf, isRecovery } from "./member-list-change.ts";
import type { MemberListRouteDependencies } from "./member-list-routes.ts";
import type { NewListEntry, StoredHead } from "./member-list-store.ts";
import { hasRecoveryKey, recoveryKeyNeeded } from "./recovery-rule.ts";

/** One that begins it, one for each other member, and the organization's name. */
const linesMax = membersMax + 1;
const partBytesMax = linesMax * entryBytesMax;
/** For the names, and for quotes that are escaped: most lines have fewer than a hundred. */
const otherBytesMax = 524_288;

const description =
  "All of its entries at once, each two lines: the one that begins it, one for each member who stays, as the list has them and with the edges that they have, and the organization's name (SPECIFICATION.md section 14, *Parts*). All are added, or none. Who is left out is removed. You sign them yourself; the recovery key may sign the one that begins the part with you. Admissions that are open end. An organization begins at most 4 parts within a day. Owners are notified by email. Needs a sign-in within the last 60 minutes.";

/** A part, between the list before it and the one with it. */
interface PartStep {
  readonly before: VerifiedList;
  readonly list: VerifiedList;
  readonly entries: readonly KnownEntry[];
  readonly texts: readonly string[];
  /** The names that its first and its last entry commit to, unless the list has them. */
  readonly lines: readonly NameText[];
}

/** Begins another part of the organization's signed list, so that it has places again. */
export function createMemberListPartRoutes(dependencies: MemberListRouteDependencies) {
  const { database, members, organizations, memberLists, listNames, verifiedLists, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "POST",
      url: "/api/member-list/parts",
      bodyLimit: partBytesMax + otherBytesMax,
      config: { access: "session" },
      schema: {
        operationId: "beginMemberListPart",
        summary: "Begin another part of the organization's signed list of members",
        description,
        tags: ["Organizations"],
        headers: SeenHeaders,
        body: closed({
          part: Type.String({
            maxLength: partBytesMax,
            description: "The lines of its entries, each with its line feed.",
          }),
          names: Type.Optional(NewNames),
        }),
        response: {
          200: closed({
            head: closed(
              { number: Type.Integer({ minimum: 1 }), hash: Type.String() },
              { description: "The new end of the list." },
            ),
          }),
          ...problems(400, 401, 403, 404, 409, 412, 413, 415, 428, 429, 503),
        },
      },
      handler: async (request, reply) => {
        requireFreshSession(request, clock.now());
        const seen = readSeen(request);
        const organizationId = accountOf(request);
        const head = await memberLists.findHead(organizationId);
        requireSeen(seen, head && toTag(head));
        if (head === undefined) throw new Problem("not_found", "This organization has no signed list of members yet");
        await requireRoom(dependencies.hasRoom, principalOf(request));
        const { part, names = [] } = request.body;
        const step = await verify(request, head, part, names);
        const addedAt = clock.now();
        await database.transaction().execute(async (transaction) => {
          await members.lock(transaction, organizationId);
          const now = await memberLists.findHead(organizationId, transaction);
          requireSeen(seen, now && toTag(now));
          await requireFewParts(memberLists, transaction, { organizationId, first: head.first }, addedAt);
          await addPart(transaction, request, step, addedAt);
        });
        reply.header("etag", toTag(step.list.head));
        return { head: step.list.head };
      },
    });
  };

  async function verify(
    request: FastifyRequest,
    head: StoredHead,
    part: string,
    names: readonly NameText[],
  ): Promise<PartStep> {
    const personId = personOf(request);
    const before = await verifiedLists.load(accountOf(request), head, personId);
    const verified = await verifiedLists.verifyPart(before, Buffer.from(part), personId);
    if (verified instanceof RefusalError)
      throw new Problem("bad_request", `The list of members can't take this part. ${verified.message}.`);
    const { list, entries } = verified;
    requireOwn(before, entries, personId);
    refuseInvalid({ part: isAsBefore(before, entries) ? undefined : "Must say of each member what the list says" });
    const lines: NameText[] = [];
    for (const { entry } of entries) {
      const line = entry.change === "carry" ? undefined : await requireName(entry, before, names);
      if (line !== undefined) lines.push(line);
    }
    requireNoOther(names, lines);
    return { before, list, entries, texts: splitEntries(part), lines };
  }

  async function addPart(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    { before, list, entries, texts, lines }: PartStep,
    addedAt: number,
  ): Promise<void> {
    const organizationId = accountOf(request);
    const isLastGone = hasRecoveryKey(before) && !hasRecoveryKey(list);
    if (isLastGone && (await organizations.requiresRecovery(organizationId, transaction))) throw recoveryKeyNeeded();
    const [begin] = entries;
    if (begin === undefined) throw new Error("A part has one entry at least");
    await memberLists.add(transaction, organizationId, toRows(entries, texts, addedAt));
    await dependencies.admissionStore.endAll(transaction, organizationId, addedAt);
    const named = async (id: string, of: VerifiedList) =>
      (await listNames.findName(transaction, organizationId, String(of.members.get(id)?.commitment))) ?? "";
    const acting = { ...byPrincipal(sessionOf(request)), occurredAt: addedAt };
    const removing = { number: begin.entry.number, change: "remove" } as const;
    for (const id of before.members.keys())
      if (!list.members.has(id))
        await recordAction(transaction, {
          ...{ ...acting, ...describeListChange(removing, id, await named(id, before)) },
          action: "member_list.changed",
        });
    const name = await named(begin.entry.signedBy, before);
    await listNames.keepPresent(transaction, organizationId, before, list, lines);
    await recordAction(transaction, {
      ...{ ...acting, ...describeListEntry(begin.entry, name) },
      action: isRecovery(begin.entry, before) ? "member_list.recovered" : "member_list.changed",
    });
    await dependencies.sendSecurityMail(transaction, {
      ...{ accountId: organizationId, event: eventOf(begin.entry, before), occurredAt: addedAt },
    });
  }
}

/** Nobody hands in another's part; and it has nothing but members who stay, and the name: what comes after is for other requests. */
function requireOwn(before: VerifiedList, [begin, ...others]: readonly KnownEntry[], personId: AccountId): void {
  if (begin?.entry.change !== "begin") throw new Error("What was verified begins a part");
  const { signedBy, member } = begin.entry;
  const isByRecovery = before.members.get(signedBy)?.role === "recovery";
  const isOwn = member.id === personId && others.every(({ entry }) => entry.signedBy === personId);
  const isOfPart = others.every(
    ({ entry }, index) => entry.change === "carry" || (entry.change === "name" && index === others.length - 1),
  );
  refuseInvalid({
    part: isOwn && (isByRecovery || signedBy === personId) ? undefined : "Must be a part that you have signed yourself",
  });
  refuseInvalid({
    part: isOfPart ? undefined : "Must have members who stay, the organization's name, and nothing else",
  });
}

/**
 * Who has seen the newest part alone goes by what it says of members: nobody comes in by it, gets another key or role, or is vouched for by others. What
 * shall change does so by another entry.
 */
function isAsBefore(before: VerifiedList, entries: readonly KnownEntry[]): boolean {
  const edges = findEdgesOfPart(before);
  return entries.every(({ entry }) => {
    if (entry.change !== "carry") return true;
    const known = before.members.get(entry.member.id);
    if (known === undefined) return false;
    const { commitment: name, role, recipient, signingKey } = known;
    const was = { member: { id: known.id, name, role, recipient, signingKey }, edges: edges.get(known.id) };
    return JSON.stringify({ member: entry.member, edges: entry.edges }) === JSON.stringify(was);
  });
}

function toRows(entries: readonly KnownEntry[], texts: readonly string[], addedAt: number): readonly NewListEntry[] {
  const first = entries[0]?.entry.number ?? 1;
  let bytes = 0;
  return entries.map(({ entry, hash }, index) => {
    const text = texts[index] ?? "";
    bytes += Buffer.byteLength(text);
    const memberId = "member" in entry ? entry.member.id : undefined;
    return { number: entry.number, hash, first, bytes, entry: text, memberId, signerId: entry.signedBy, addedAt };
  });
}
