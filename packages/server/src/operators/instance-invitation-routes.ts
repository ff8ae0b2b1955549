import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { requireFreshSession } from "../access/access.ts";
import { isInvitationId } from "../audit-log/audit-list-store.ts";
import { problems, reference } from "../http/schemas.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { pageUrl } from "../instance/page-url.ts";
import { readAddress } from "../organizations/invitation-input.ts";
import type { InvitationId } from "../organizations/organization.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { actorOf } from "./instance-change-routes.ts";
import type { InstanceInvitation, InstanceInvitationStore } from "./instance-invitation-store.ts";
import type { InstanceInvitations } from "./instance-invitations.ts";
import {
  CreatedInstanceInvitationBody,
  InstanceInvitationInput,
  InstanceInvitationListBody,
  InvitationIdParameters,
  RevokedInvitationBody,
} from "./instance-schemas.ts";
import type { InstanceStore, Named } from "./instance-store.ts";

export interface InstanceInvitationRouteDependencies {
  readonly instance: InstanceStore;
  readonly instanceInvitations: InstanceInvitations;
  readonly instanceInvitationStore: InstanceInvitationStore;
  /** Says that an email is due. */
  readonly wakeEmails: () => void;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/** Inviting people to make an account on the instance, also where sign-up is closed. */
export function createInstanceInvitationRoutes(dependencies: InstanceInvitationRouteDependencies) {
  const { instance: store, instanceInvitations, instanceInvitationStore, wakeEmails, address, clock } = dependencies;

  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/instance/invitations",
      config: { access: "operator" },
      schema: {
        operationId: "listInstanceInvitations",
        summary: "List the open invitations to the instance, the newest first",
        description: "Without their links, which nobody can show again. Those of organizations are not among them.",
        tags: ["Instance"],
        response: { 200: reference(InstanceInvitationListBody), ...problems(401, 403, 429) },
      },
      handler: async () => {
        const invitations = await describe(await instanceInvitationStore.list(clock.now()));
        return { invitations, total: invitations.length };
      },
    });

    app.route({
      method: "POST",
      url: "/api/instance/invitations",
      config: { access: "operator" },
      schema: {
        operationId: "createInstanceInvitation",
        summary: "Invite somebody to make an account",
        description:
          "The answer shows a link, this once; where the instance sends emails, another one goes to the address, and who uses that one has a verified address. Either works once, within 7 days, for this address alone, also where sign-up is closed. It replaces an open one for the same address, so this is also how it is sent again. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        body: InstanceInvitationInput,
        response: { 200: reference(CreatedInstanceInvitationBody), ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const email = readAddress(request.body.email);
        const { invitation, token, isMailed } = await instanceInvitations.create(actorOf(request), email);
        if (isMailed) wakeEmails();
        const [described] = await describe([invitation]);
        if (described === undefined) throw new Error("An invitation is gone in the moment of its making");
        return {
          invitation: described,
          url: pageUrl(address.baseUrl(), "invitation", { secret: token }),
          mailed: isMailed,
        };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/instance/invitations/:invitation_id",
      config: { access: "operator" },
      schema: {
        operationId: "revokeInstanceInvitation",
        summary: "Take an invitation to the instance back",
        description: "Its links are worth nothing from then on. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: InvitationIdParameters,
        response: { 200: RevokedInvitationBody, ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { invitation_id: id } = request.params;
        // Only ids reach the database: PostgreSQL takes no NUL in a text. `id` has just been checked.
        if (!isInvitationId(id) || !(await instanceInvitations.revoke(actorOf(request), id as InvitationId)))
          throw new Problem("not_found", "Invitation not found");
        return { success: true as const, revoked: id };
      },
    });
  };

  async function describe(invitations: readonly InstanceInvitation[]) {
    const names = await store.findNames(invitations.flatMap(({ invitedBy }) => invitedBy ?? []));
    return invitations.map(({ invitedBy, ...invitation }) => ({
      ...invitation,
      invitedBy: invitedBy === undefined ? null : { id: invitedBy, ...(names.get(invitedBy) ?? nobody) },
    }));
  }
}

const nobody: Named = { name: "", email: null };
