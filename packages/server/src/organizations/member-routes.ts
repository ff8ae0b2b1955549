import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type AccountId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { hasNamedForms } from "../access/roles.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import type { Database } from "../database/database.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { readGrant } from "./grant-input.ts";
import type { Acting, MemberChanges } from "./member-changes.ts";
import type { MemberStore } from "./member-store.ts";
import type { Member } from "./organization.ts";
import { ChangeMemberInput, MemberBody, MemberListBody } from "./organization-schemas.ts";

export interface MemberRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly memberChanges: MemberChanges;
  readonly clock: Clock;
}

const MemberIdParameters = closed({ member_id: Type.String({ description: "The person's id, `acc_…`." }) });
const webhookForms = Type.Array(closed({ id: Type.String(), name: Type.String() }), {
  description:
    "The forms whose webhook address they were the last to choose, by session or by an API key that they made, and could not choose now. Events are still sent there.",
});
const RemovedBody = closed(
  { success: Type.Literal(true), webhookForms },
  { description: "They belong to the organization no longer." },
);
const LeftBody = closed({ success: Type.Literal(true) }, { description: "You belong to the organization no longer." });

/** The members of the organization that the session acts for. */
export function createMemberRoutes({ database, members, memberChanges, clock }: MemberRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/members",
      config: { access: "session" },
      schema: {
        operationId: "listMembers",
        summary: "List the organization's members, the oldest first",
        description: "With their roles and named forms. For owners, managers and auditors.",
        tags: ["Organizations"],
        response: { 200: reference(MemberListBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const list = await members.list(accountOf(request));
        return { members: list.map(toBody), total: list.length };
      },
    });

    app.route({
      method: "PATCH",
      url: "/api/members/:member_id",
      config: { access: "session", changesRights: "organization" },
      schema: {
        operationId: "changeMember",
        summary: "Give a member another role or other forms",
        description:
          "It holds from the next request on, also for the API keys that they made. Managers do it with readers and developers; owners with everybody. The last owner stays one (409). Webhooks continue: the answer names the forms whose address they chose, and could not choose with their rights now. A new role that is for named forms wants `forms`. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        params: MemberIdParameters,
        body: ChangeMemberInput,
        response: {
          200: closed({ member: reference(MemberBody), webhookForms }),
          ...problems(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const { role, forms } = request.body;
        const id = readMemberId(request.params.member_id);
        const member = await members.find(database, accountOf(request), id);
        if (member === undefined) throw memberNotFound();
        const next = role ?? member.role;
        // Without another list of forms, and with a role that has one too, the list stays.
        const isSame = forms === undefined && hasNamedForms(next) && member.formIds !== undefined;
        const grant = isSame ? { role: next } : await readGrant(members, accountOf(request), next, forms);
        const changed = await memberChanges.change(actingOf(request), id, grant);
        return { member: toBody(changed.member), webhookForms: [...changed.webhookForms] };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/members/:member_id",
      config: { access: "session", changesRights: "organization" },
      schema: {
        operationId: "removeMember",
        summary: "Remove a member",
        description:
          "Their sessions act for this organization no longer, and the API keys that they made here are revoked. Private keys that they had still open what was sealed to them: rotate the forms' keys. Webhooks continue: the answer names the forms whose address they chose. Managers remove readers and developers; owners everybody but the last owner (409). Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        params: MemberIdParameters,
        response: { 200: RemovedBody, ...problems(401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const id = readMemberId(request.params.member_id);
        const { webhookForms } = await memberChanges.remove(actingOf(request), id);
        return { success: true as const, webhookForms: [...webhookForms] };
      },
    });

    app.route({
      method: "POST",
      url: "/api/members/leave",
      config: { access: "session", changesRights: "person" },
      schema: {
        operationId: "leaveOrganization",
        summary: "Leave the organization",
        description:
          "The one that the session acts for, also while the membership waits for a proof of the invited address, or lacks the second factor that the organization requires. The API keys that you made there are revoked. The last owner can't (409). Switch to another one afterwards. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        response: { 200: LeftBody, ...problems(401, 403, 409, 429) },
      },
      handler: async (request) => {
        // A thief of the session could not give the membership back.
        requireFreshSession(request, clock.now());
        await memberChanges.leave(actingOf(request));
        return { success: true as const };
      },
    });
  };
}

export function actingOf(request: FastifyRequest): Acting {
  const session = sessionOf(request);
  return { organizationId: session.accountId, personId: session.personId, actor: byPrincipal(session).actor };
}

function readMemberId(id: string): AccountId {
  // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
  if (!isId("account", id)) throw memberNotFound();
  return id;
}

function memberNotFound(): Problem {
  return new Problem("not_found", "Member not found");
}

function toBody(member: Member) {
  const { personId, name, email, role, formIds, since, addedBy, isDisabled, hasSecondFactor, unprovenAddress } = member;
  return {
    id: personId,
    ...{ name, email, role, since },
    forms: formIds === undefined ? null : [...formIds],
    addedBy: addedBy ?? null,
    disabled: isDisabled,
    secondFactor: hasSecondFactor,
    ...(unprovenAddress !== undefined && { unprovenAddress }),
  };
}
