import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId, isId, isInvisible } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { hasSecondFactor } from "../access/second-factor.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Plan, SignUpMode } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { isDisplayable } from "../http/display-text.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { requireFewCounting, requireRoomToJoin } from "./member-changes.ts";
import type { MemberStore } from "./member-store.ts";
import { type OwnOrganization, organizationNameLengthMax } from "./organization.ts";
import { OrganizationBody, OrganizationInput, OrganizationListBody } from "./organization-schemas.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface OrganizationRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly signUp: SignUpMode;
  readonly defaultPlan: Plan;
  readonly hasRoom: HasRoom;
  /** The wait after a restore, while it lasts. */
  readonly findHeldBack: (now: number) => Promise<{ readonly until: number | undefined } | undefined>;
  readonly clock: Clock;
}

/** The organizations of the person who asks, and which of them the session acts for. */
export function createOrganizationRoutes(dependencies: OrganizationRouteDependencies) {
  const { database, members, organizations, signUp, defaultPlan, hasRoom, findHeldBack, clock } = dependencies;
  const mayCreate = (own: readonly OwnOrganization[]) => signUp === "open" || own.some(({ role }) => role === "owner");

  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/organizations",
      config: { access: "person" },
      schema: {
        operationId: "listOrganizations",
        summary: "List the organizations that you belong to",
        description:
          "An account's id is its organization's id. A session and its token act for one organization: the one with `current`. None has it after you left the one that the session acted for.",
        tags: ["Organizations"],
        response: { 200: reference(OrganizationListBody), ...problems(401, 429) },
      },
      handler: async (request) => {
        const { personId, accountId } = sessionOf(request);
        const own = await members.listOf(personId);
        // Without a mail server nothing else says it to them.
        const isOwner = own.some(({ id, role }) => id === accountId && role === "owner");
        const until = isOwner ? (await findHeldBack(clock.now()))?.until : undefined;
        return {
          organizations: own.map((one) => toBody(one, accountId)),
          total: own.length,
          canCreate: mayCreate(own),
          secondFactor: hasSecondFactor(sessionOf(request)),
          lacksSecondFactor: sessionOf(request).lacksSecondFactor,
          ...(until !== undefined && { deletionsHeldBackUntil: until }),
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/organizations",
      config: { access: "person" },
      schema: {
        operationId: "createOrganization",
        summary: "Make another organization",
        description:
          "You are its owner. The session still acts for the one before: switch to the new one. On an instance without open sign-up only owners of an organization may; at most 50 count for one person: those that they made or took over, also after they left them, until an owner there takes them over. You belong to at most 200, with those that you left within nine days (409, `too_many_organizations`). Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        body: OrganizationInput,
        response: {
          200: closed({ organization: reference(OrganizationBody) }),
          ...problems(400, 401, 403, 409, 413, 415, 429, 503),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const name = readName(request.body.name);
        const { personId, accountId } = sessionOf(request);
        await requireRoom(hasRoom);
        const now = clock.now();
        const id = createId("account", now);
        const organization = {
          id,
          name,
          role: "owner",
          formIds: undefined,
          since: now,
          unprovenAddress: undefined,
          secondFactorFrom: null,
          requiresRecovery: false,
          endsAt: undefined,
        } as const;
        await database.transaction().execute(async (transaction) => {
          // Read here: since the request began the person may have been disabled, have left, or have got another id by it.
          if (!(await organizations.lockPerson(transaction, personId)))
            throw new Problem("unauthorized", "Invalid or missing authentication");
          if (!mayCreate(await members.listOf(personId, transaction)))
            throw new Problem("forbidden", "On this instance only owners of an organization make another one");
          await requireFewCounting(organizations, transaction, personId);
          await requireRoomToJoin(transaction, personId);
          await organizations.create(transaction, { id, name, plan: defaultPlan, createdAt: now, countsFor: personId });
          const { role, formIds } = organization;
          const membership = { organizationId: id, personId, role, formIds, since: now, addedBy: undefined };
          await members.add(transaction, membership, { madeBy: undefined, at: now });
          const { actor } = byPrincipal(sessionOf(request));
          await recordAction(transaction, { accountId: id, actor, action: "organization.created", occurredAt: now });
        });
        return { organization: toBody(organization, accountId) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/organizations/:organization_id/switch",
      config: { access: "person" },
      schema: {
        operationId: "switchOrganization",
        summary: "Act for another organization",
        description:
          "From the answer on, this session and its tokens act for it, in every browser tab too. Other sessions do not change.",
        tags: ["Organizations"],
        params: closed({ organization_id: Type.String({ description: "The organization's id, `acc_…`." }) }),
        response: { 200: closed({ organization: reference(OrganizationBody) }), ...problems(401, 404, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId } = sessionOf(request);
        const id = request.params.organization_id;
        // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
        const isSwitched =
          isId("account", id) &&
          (await database
            .transaction()
            .execute((transaction) => members.switchSession(transaction, sessionId, personId, id)));
        const organization = isSwitched && (await members.listOf(personId)).find((one) => one.id === id);
        if (!organization) throw new Problem("not_found", "You belong to no organization with this id");
        return { organization: toBody(organization, organization.id) };
      },
    });

    app.route({
      method: "PATCH",
      url: "/api/organization",
      config: { access: "session" },
      schema: {
        operationId: "renameOrganization",
        summary: "Rename the organization",
        description: "The one that the session acts for. Your own name does not change.",
        tags: ["Organizations"],
        body: OrganizationInput,
        response: {
          200: closed({ organization: reference(OrganizationBody) }),
          ...problems(400, 401, 403, 404, 413, 415, 429),
        },
      },
      handler: async (request) => {
        const name = readName(request.body.name);
        const { personId, accountId } = sessionOf(request);
        if ((await organizations.findName(accountId)) !== name)
          await database.transaction().execute(async (transaction) => {
            const from = await organizations.rename(transaction, accountId, name);
            if (from === undefined || from === name) return;
            const entry = { ...byPrincipal(sessionOf(request)), occurredAt: clock.now() };
            const details = { changes: [{ setting: "name", from, to: name }] };
            await recordAction(transaction, { ...entry, action: "organization.renamed", details });
          });
        const organization = (await members.listOf(personId)).find(({ id }) => id === accountId);
        if (organization === undefined) throw new Problem("not_found", "You belong to no organization with this id");
        return { organization: toBody(organization, accountId) };
      },
    });
  };
}

function readName(text: string): string {
  const name = text.trim();
  const isWrong = isInvisible(name) || name.length > organizationNameLengthMax || !isDisplayable(name);
  refuseInvalid(
    {
      name: isWrong ? `Must be 1 to ${organizationNameLengthMax} characters, without control characters` : undefined,
    },
    "Invalid request",
  );
  return name;
}

function toBody(organization: OwnOrganization, current: string) {
  const { id, name, role, since, unprovenAddress, secondFactorFrom, requiresRecovery, endsAt } = organization;
  // A membership that waits for a proof shows what its invitation said, and none of the forms.
  const formIds = unprovenAddress === undefined ? organization.formIds : [];
  return {
    ...{ id, name, role, since },
    forms: formIds === undefined ? null : [...formIds],
    current: id === current,
    secondFactorRequiredFrom: secondFactorFrom,
    requireRecovery: requiresRecovery,
    ...(unprovenAddress !== undefined && { unprovenAddress }),
    ...(endsAt !== undefined && { deletedAt: endsAt }),
  };
}
