import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf, requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { isInvitationId } from "../audit-log/audit-list-store.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { pageUrl } from "../instance/page-url.ts";
import { Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { readGrant } from "./grant-input.ts";
import { readAddress } from "./invitation-input.ts";
import type { Invitations } from "./invitations.ts";
import { actingOf } from "./member-routes.ts";
import type { MemberStore } from "./member-store.ts";
import type { Invitation } from "./organization.ts";
import {
  CreatedInvitationBody,
  CreateInvitationInput,
  FoundInvitationBody,
  InvitationListBody,
  InvitationTokenInput,
} from "./organization-schemas.ts";

export interface InvitationRouteDependencies {
  readonly members: MemberStore;
  readonly invitations: Invitations;
  /** The invitation to the instance that a link leads to, while it can be used. */
  readonly findInstanceInvitation: (
    token: string,
  ) => Promise<{ readonly email: string; readonly expiresAt: number } | undefined>;
  readonly address: OwnAddress;
  readonly hasRoom: HasRoom;
  /** Called after a commit that left an email to send. */
  readonly wakeEmails: () => void;
  readonly clock: Clock;
}

/** Invitations to the organization that the session acts for; and accepting one, for anyone who has its link and its address. */
export function createInvitationRoutes(dependencies: InvitationRouteDependencies) {
  const { members, invitations, findInstanceInvitation, address, hasRoom, wakeEmails, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/invitations",
      config: { access: "session" },
      schema: {
        operationId: "listInvitations",
        summary: "List the open invitations, newest first",
        description: "Without their links, which nobody can show again.",
        tags: ["Organizations"],
        response: { 200: reference(InvitationListBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const list = await invitations.list(accountOf(request));
        return { invitations: list.map(toBody), total: list.length };
      },
    });

    app.route({
      method: "POST",
      url: "/api/invitations",
      config: { access: "session" },
      schema: {
        operationId: "createInvitation",
        summary: "Invite somebody to the organization",
        description:
          "The answer shows the link, this once; where the instance sends emails another one goes to the address, and only this one proves the address of an account that is made with it. It works once, within 7 days, for this address alone, and replaces an open one for the same address. Managers invite readers and developers; owners everybody. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        body: CreateInvitationInput,
        response: { 200: reference(CreatedInvitationBody), ...problems(400, 401, 403, 409, 413, 415, 429, 503) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const { role, forms } = request.body;
        const email = readAddress(request.body.email);
        const grant = await readGrant(members, accountOf(request), role, forms);
        await requireRoom(hasRoom, principalOf(request));
        const { invitation, token, isMailed } = await invitations.create(actingOf(request), email, grant);
        if (isMailed) wakeEmails();
        return {
          invitation: toBody(invitation),
          url: pageUrl(address.baseUrl(), "invitation", { secret: token }),
          mailed: isMailed,
        };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/invitations/:invitation_id",
      config: { access: "session" },
      schema: {
        operationId: "revokeInvitation",
        summary: "Take an invitation back",
        description: "Its link is worth nothing from then on.",
        tags: ["Organizations"],
        params: closed({ invitation_id: Type.String({ description: "The invitation's id, `inv_…`." }) }),
        response: {
          200: closed({ success: Type.Literal(true), revoked: Type.String({ description: "The invitation's id." }) }),
          ...problems(401, 403, 404, 429),
        },
      },
      handler: async (request) => {
        const { invitation_id: id } = request.params;
        // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
        if (!isInvitationId(id) || !(await invitations.revoke(actingOf(request), id)))
          throw new Problem("not_found", "Invitation not found");
        return { success: true as const, revoked: id };
      },
    });

    app.route({
      method: "POST",
      url: "/api/invitations/find",
      // The token has 192 random bits: nobody guesses one.
      config: { access: "public", rate: "api" },
      schema: {
        operationId: "findInvitation",
        summary: "See what a link invites to",
        description: "For the page that the link leads to. Uses nothing up.",
        tags: ["Public"],
        body: InvitationTokenInput,
        response: { 200: reference(FoundInvitationBody), ...problems(400, 413, 415, 429) },
      },
      handler: async (request) => {
        const toInstance = await findInstanceInvitation(request.body.token);
        if (toInstance !== undefined) {
          const { email, expiresAt } = toInstance;
          return { organization: null, email, role: null, expiresAt };
        }
        const { organizationName: name, email, role, expiresAt } = await invitations.load(request.body.token);
        return { organization: { name }, email, role, expiresAt };
      },
    });

    app.route({
      method: "POST",
      url: "/api/invitations/accept",
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "acceptInvitation",
        summary: "Accept an invitation",
        description:
          "With a session of the invited address. Who has no account signs up with `invitation` (the token) in the body of `POST /api/auth/sign-up/email`, also where sign-up is closed. The session still acts for the organization before: switch to the new one.",
        tags: ["Organizations"],
        body: InvitationTokenInput,
        response: {
          200: closed({
            success: Type.Literal(true),
            organizationId: Type.String({ description: "The organization that you belong to now." }),
          }),
          ...problems(400, 401, 403, 409, 413, 415, 429),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        const session = sessionOf(request);
        const { actor } = byPrincipal(session);
        const { personId } = session;
        if ((await findInstanceInvitation(request.body.token)) !== undefined)
          throw new Problem(
            "conflict",
            "This invitation is to make an account, and you have one: there is nothing to accept",
          );
        const organizationId = await invitations.accept(request.body.token, { personId, actor });
        return { success: true as const, organizationId };
      },
    });
  };
}

function toBody({ id, email, role, formIds, invitedBy, createdAt, expiresAt }: Invitation) {
  return {
    ...{ id, email, role, invitedBy, createdAt, expiresAt },
    forms: formIds === undefined ? null : [...formIds],
  };
}
