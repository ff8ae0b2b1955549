import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  entryBytesMax,
  entryNumberMax,
  type ListEntry,
  type NameText,
  RefusalError,
  subjectOf,
  type Unnamed,
  type VerifiedList,
  verifyNextEntry,
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
import type { AdmissionStore } from "./admission-store.ts";
import { requirePlace, requireSeldom } from "./list-entry-bounds.ts";
import type { ListNameStore } from "./list-name-store.ts";
import { NewNames, requireName, requireNoOther } from "./list-names.ts";
import type { ReadPart } from "./list-reads.ts";
import { describeListEntry, eventOf, findPartReason, isRecovery, isSameKey, nameAbout } from "./member-list-change.ts";
import type { MemberListStore, StoredHead } from "./member-list-store.ts";
import type { MemberStore } from "./member-store.ts";
import type { OrganizationStore } from "./organization-store.ts";
import type { OwnAdmissionRouteDependencies } from "./own-admission-routes.ts";
import { hasRecoveryKey, recoveryKeyNeeded } from "./recovery-rule.ts";
import type { VerifiedLists } from "./verified-lists.ts";

export interface MemberListRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly memberLists: MemberListStore;
  readonly listNames: ListNameStore;
  readonly verifiedLists: VerifiedLists;
  readonly readPart: ReadPart;
  readonly admissionStore: AdmissionStore;
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
    organizations,
    memberLists,
    listNames,
    verifiedLists,
    readPart,
    admissionStore,
    findOwnHalves,
    sendSecurityMail,
    hasRoom,
    clock,
  } = dependencies;
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
          "The bytes of SPECIFICATION.md section 14, of the newest part, or of the one that has `entry`. Where the first entry has another number than 1, the part before ends with the entry before that. Verify them all, from a head that you have seen before: the service could show you an older list, or another one. The `ETag` is the number and the hash of the last entry.",
        tags: ["Organizations"],
        headers: KnownHeaders,
        querystring: closed({
          entry: Type.Optional(
            Type.Integer({ minimum: 1, maximum: entryNumberMax, description: "The number of an entry of the part." }),
          ),
        }),
        response: {
          ...signedLines("Two lines for each entry."),
          ...problems(401, 403, 404, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const none = new Problem("not_found", "This organization has no signed list of members yet");
        const { entry } = request.query;
        const read = async () => {
          const part = await readPart(accountOf(request), personOf(request), entry);
          if (part === undefined) throw none;
          return part;
        };
        const found = entry === undefined ? undefined : await read();
        const head = found?.head ?? (await memberLists.findHead(accountOf(request)));
        if (head === undefined) throw none;
        return answerLines(request, reply, head, async () => found ?? read());
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
        verifiedLists.keep(list, head?.first ?? 1, personId);
        reply.header("etag", toTag(list.head));
        return { head: list.head };
      },
    });
  };

  /** Each verified after the one before, with the room that both take. */
  async function verifySteps(
    request: FastifyRequest,
    head: StoredHead | undefined,
    entries: readonly string[],
    names: readonly NameText[],
  ): Promise<readonly ListStep[]> {
    const organizationId = accountOf(request);
    const steps: ListStep[] = [];
    const first = head?.first ?? 1;
    requirePlace(sessionOf(request).role, (head?.number ?? 0) - first + 1 + entries.length);
    let before = head && (await verifiedLists.load(organizationId, head, personOf(request)));
    let bytes = head?.bytes ?? 0;
    for (const text of entries) {
      const entryBytes = Buffer.from(text);
      bytes += entryBytes.length;
      const { list, entry } = await verify(before, organizationId, entryBytes);
      await requireAllowed(request, entry, list, before);
      steps.push({ text, before, list, entry, first, bytes, line: await requireName(entry, before, names) });
      before = list;
    }
    requireNoOther(
      names,
      steps.map(({ line }) => line),
    );
    return steps;
  }

  async function addStep(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    { text, before, list, entry, first, bytes, line }: ListStep,
    addedAt: number,
  ): Promise<void> {
    const organizationId = accountOf(request);
    const isLastGone = hasRecoveryKey(before) && !hasRecoveryKey(list);
    if (isLastGone && (await organizations.requiresRecovery(organizationId, transaction))) throw recoveryKeyNeeded();
    const memberId = subjectOf(entry);
    const added = { ...list.head, first, bytes, entry: text, memberId, signerId: entry.signedBy, addedAt };
    await memberLists.add(transaction, organizationId, [added]);
    // The entry has used them up, or overtaken them.
    if (memberId !== undefined) await admissionStore.endOf(transaction, organizationId, memberId, addedAt);
    const about = nameAbout(entry, before);
    const name = line?.name ?? (about && (await listNames.findName(transaction, organizationId, about))) ?? "";
    await keepName(transaction, organizationId, entry, list, line);
    await recordAction(transaction, {
      ...byPrincipal(sessionOf(request)),
      ...describeListEntry(entry, name),
      action: isRecovery(entry, before) ? "member_list.recovered" : "member_list.changed",
      occurredAt: addedAt,
    });
    await sendSecurityMail(transaction, {
      ...{ accountId: organizationId, event: eventOf(entry, before), occurredAt: addedAt },
    });
  }

  async function keepName(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    entry: ListEntry,
    list: VerifiedList,
    line: NameText | undefined,
  ): Promise<void> {
    const memberId = subjectOf(entry);
    if (memberId === undefined && entry.change !== "name") return;
    const commitment = memberId === undefined ? line?.commitment : list.members.get(memberId)?.commitment;
    await listNames.keep(transaction, organizationId, { memberId, commitment: commitment && String(commitment), line });
  }

  async function verify(before: VerifiedList | undefined, organizationId: AccountId, bytes: Uint8Array) {
    const verified = await verifyNextEntry(before, organizationId, bytes);
    const reason = verified instanceof RefusalError ? verified.message : findPartReason(verified.entry);
    if (reason !== undefined) throw new Problem("bad_request", `The list of members can't take this entry. ${reason}.`);
    return verified as Exclude<typeof verified, RefusalError>; // it has no reason
  }

  /** A member who is neither owner nor manager puts the key in use in the place of the former one, and does nothing else. */
  async function requireOwnKey(personId: AccountId, change: string, after: Unnamed | undefined): Promise<void> {
    if (change !== "replace" || after?.id !== personId) throw roleInsufficient();
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
    const signer = before?.members.get(signedBy);
    const isByRecovery = signer?.role === "recovery" && memberId === personId;
    refuseInvalid({
      entry: signedBy === personId || isByRecovery ? undefined : "Must be an entry that you have signed yourself",
    });
    if (role !== "owner" && (isByRecovery || signer?.role === "owner")) throw roleInsufficient();
    if (role !== "owner" && role !== "manager") await requireOwnKey(personId, change, list.members.get(memberId));
    if (change === "remove" || change === "note" || change === "vouch" || change === "name") return;
    const added = list.members.get(memberId);
    const isPerson = added?.role !== "program" && added?.role !== "recovery";
    const isMember = isId("account", memberId) && (await members.findRole(accountOf(request), memberId)) !== undefined;
    refuseInvalid({ entry: !isPerson || isMember ? undefined : "Must be about a member of this organization" });
  }
}

/** An entry that may be added, between the list before it and the one with it. */
interface ListStep {
  readonly text: string;
  readonly before: VerifiedList | undefined;
  readonly list: VerifiedList;
  readonly entry: ListEntry;
  /** The number with which its part begins. */
  readonly first: number;
  /** The bytes of the part with the entry. */
  readonly bytes: number;
  /** The name that it commits to, unless the list has it. */
  readonly line: NameText | undefined;
}

function throwNoStep(): never {
  throw new Error("A request has one entry at least");
}
