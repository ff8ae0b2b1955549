import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, requireFreshSession, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { findNameError } from "../authentication/account-input.ts";
import type { Database } from "../database/database.ts";
import { requireConfirmation } from "../http/confirmation.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import type { MemberStore } from "../organizations/member-store.ts";
import { refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountDeletions } from "./account-deletions.ts";
import {
  AccountDeletionBody,
  OrganizationDeletionBody,
  OwnAccountInput,
  ownAccountAnswer,
} from "./account-life-schemas.ts";
import { describeAccount } from "./person-store.ts";
import { rename } from "./rename.ts";

export interface AccountLifeRouteDependencies {
  readonly database: Database;
  readonly accountDeletions: AccountDeletions;
  readonly members: Pick<MemberStore, "listOf">;
  readonly clock: Clock;
}

/** A person's own account: its name, and its end; and the end of an organization. */
export function createAccountLifeRoutes({ database, accountDeletions, members, clock }: AccountLifeRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/account",
      config: { access: "person" },
      schema: {
        operationId: "getAccount",
        summary: "Get your own account",
        description: "Its name and address, a move to another address that waits, and when it is deleted, if it is.",
        tags: ["Account"],
        response: { 200: ownAccountAnswer, ...problems(401, 429) },
      },
      handler: async (request) => ({
        account: await describeAccount(database, sessionOf(request).personId, clock.now()),
      }),
    });

    app.route({
      method: "PATCH",
      url: "/api/account",
      config: { access: "person" },
      schema: {
        operationId: "renameAccount",
        summary: "Change your own name",
        description:
          "Members of your organizations see it, and their audit logs say from what to what. An organization that others belong to keeps its name. At most 20 times within a day.",
        tags: ["Account"],
        body: OwnAccountInput,
        response: { 200: ownAccountAnswer, ...problems(400, 401, 413, 415, 429) },
      },
      handler: async (request) => {
        const name = request.body.name.trim();
        refuseInvalid({ name: findNameError(name) });
        const { personId } = sessionOf(request);
        const { actor } = byPrincipal(sessionOf(request));
        const known = await describeAccount(database, personId, clock.now());
        if (known.name === name) return { account: known };
        await database.transaction().execute(async (transaction) => {
          await rename(transaction, members, { personId, actor, clock }, name);
        });
        return { account: await describeAccount(database, personId, clock.now()) };
      },
    });

    app.route({
      method: "GET",
      url: "/api/account/deletion",
      config: { access: "person" },
      schema: {
        operationId: "getAccountDeletion",
        summary: "Get what would go with your account",
        description: "Each organization that you belong to, and what becomes of it when your account is deleted.",
        tags: ["Account"],
        response: { 200: reference(AccountDeletionBody), ...problems(401, 429) },
      },
      handler: async (request) => {
        const { leavesAt, organizations } = await accountDeletions.look(sessionOf(request).personId);
        return {
          deletedAt: leavesAt ?? null,
          organizations: organizations.map((one) => ({ ...one, heldForms: [...one.heldForms] })),
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/account/deletion",
      config: { access: "person" },
      attachValidation: true,
      schema: {
        operationId: "deleteAccount",
        summary: "Delete your account, after 30 days",
        description:
          "Every session ends with the answer. Who signs in within 30 days can keep the account (`keepAccount`). Until then its forms accept submissions, webhooks and API keys work. Then the account is deleted for good, with the organizations that nobody else belongs to. Needs a sign-in within the last 60 minutes.",
        tags: ["Account"],
        querystring: closed({
          confirm: Type.Literal("DELETE_ACCOUNT", { description: "Says that you mean it." }),
        }),
        response: { 200: reference(OrganizationDeletionBody), ...problems(400, 401, 403, 409, 429) },
      },
      handler: async (request) => {
        requireConfirmation(request, "Add ?confirm=DELETE_ACCOUNT to delete your account");
        requireFreshSession(request, clock.now());
        const { personId } = sessionOf(request);
        const { actor } = byPrincipal(sessionOf(request));
        return { deletedAt: await accountDeletions.leave(personId, actor) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/account/deletion",
      config: { access: "person" },
      schema: {
        operationId: "keepAccount",
        summary: "Keep your account after all",
        description:
          "With the organizations that would have gone with it. Does nothing to an account that is not to be deleted.",
        tags: ["Account"],
        response: { 200: ownAccountAnswer, ...problems(401, 429) },
      },
      handler: async (request) => {
        const { personId } = sessionOf(request);
        await accountDeletions.stay(personId, byPrincipal(sessionOf(request)).actor);
        return { account: await describeAccount(database, personId, clock.now()) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/organization/deletion",
      config: { access: "session" },
      attachValidation: true,
      schema: {
        operationId: "deleteOrganization",
        summary: "Delete the organization, after 30 days",
        description:
          "The one that the session acts for, with its forms, submissions, API keys and audit log. Its owners are notified by email, and each of them can keep it (`keepOrganization`). Nobody joins it from then on. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        querystring: closed({
          confirm: Type.Literal("DELETE_ORGANIZATION", { description: "Says that you mean it." }),
        }),
        response: { 200: reference(OrganizationDeletionBody), ...problems(400, 401, 403, 409, 429) },
      },
      handler: async (request) => {
        requireConfirmation(request, "Add ?confirm=DELETE_ORGANIZATION to delete this organization and all its forms");
        requireFreshSession(request, clock.now());
        const { actor } = byPrincipal(sessionOf(request));
        return { deletedAt: await accountDeletions.end(accountOf(request), actor) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/organization/deletion",
      config: { access: "session" },
      schema: {
        operationId: "keepOrganization",
        summary: "Keep the organization after all",
        description: "Does nothing to one that is not to be deleted.",
        tags: ["Organizations"],
        response: { 200: reference(OrganizationDeletionBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        await accountDeletions.keep(accountOf(request), byPrincipal(sessionOf(request)).actor);
        return { deletedAt: null };
      },
    });
  };
}
