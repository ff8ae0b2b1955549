import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type AccountId, createId, type FormId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf, requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { permissionsOfRole, type Role } from "../access/roles.ts";
import { type AuditChange, byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { createApiKeyValue, hashApiKeyValue, prefixOf } from "../authentication/api-key-value.ts";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRightsOfKey } from "../database/right-lock.ts";
import { closed, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { type ApiKey, invalidBody, keysMax, type ListedApiKey, parseApiKeyInput } from "./api-key.ts";
import {
  ApiKeyListBody,
  ApiKeyProblemBody,
  CreateApiKeyInput,
  CreatedApiKeyBody,
  RevokedApiKeyBody,
} from "./api-key-schemas.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/** The store of accounts, as far as it says how many keys one may have. */
export interface Plans {
  /** The account's plan. Until the transaction ends, another one that asks for it waits. */
  lockPlan(transaction: DatabaseTransaction, accountId: AccountId): Promise<Plan>;
}

/** The store of members, as far as it says who may revoke whose keys, and which forms there are. */
export interface MemberRoles {
  findRole(accountId: AccountId, personId: AccountId): Promise<Role | undefined>;
  /** The ids that are forms of the organization. */
  filterForms(accountId: AccountId, formIds: readonly FormId[]): Promise<readonly FormId[]>;
}

export interface ApiKeyRouteDependencies {
  readonly database: Database;
  readonly accounts: Plans;
  readonly apiKeys: ApiKeyStore;
  readonly members: MemberRoles;
  readonly sendSecurityMail: SendSecurityMail;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const warning = sentences.api_key_shown_once;

/** Contract, section 3.4. For account sessions alone: a key can neither see nor make keys. */
export function createApiKeyRoutes({
  database,
  accounts,
  apiKeys,
  members,
  sendSecurityMail,
  hasRoom,
  clock,
}: ApiKeyRouteDependencies) {
  const config = { access: "session", rate: "api_keys", errorBody: "sentence", invalidMessage: invalidBody } as const;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/api-keys",
      config,
      schema: {
        operationId: "listApiKeys",
        summary: "List the account's API keys, newest first",
        description:
          "Without their values, which nobody can show again; `lastUsed` is up to a minute old. A developer sees the keys that they made.",
        tags: ["API keys"],
        response: { 200: reference(ApiKeyListBody), ...problems(401, 403, 429) },
      },
      handler: async (request) => {
        const { personId, role } = sessionOf(request);
        const keys = await apiKeys.list(accountOf(request), role === "developer" ? personId : undefined);
        return { keys: keys.map(toListItem), total: keys.length };
      },
    });

    app.route({
      method: "POST",
      url: "/api/api-keys",
      config,
      // The schema is for the document; `parseApiKeyInput` checks the body.
      validatorCompiler: () => () => true,
      schema: {
        operationId: "createApiKey",
        summary: "Create an API key",
        description:
          "Needs a sign-in within the last 60 minutes. The answer shows the key, this once. Without `permissions` it gets all four, or those of them that the role of its maker holds; an empty list is refused. A key never does more than its maker may do at that moment: it follows their role, and ends when they leave. `forms` limits it to named forms, and `expiresAt` ends it; neither can be changed later. How many keys an account may have depends on its plan: free 5, starter 10, pro 25, enterprise any number.",
        tags: ["API keys"],
        body: CreateApiKeyInput,
        response: { 200: reference(CreatedApiKeyBody), ...problems(400, 401, 403, 413, 415, 429, 503) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const { personId, role } = sessionOf(request);
        const input = parseApiKeyInput(request.body, clock.now(), role && permissionsOfRole[role]);
        if (typeof input === "string") throw new Problem("bad_request", input);
        await requireOwnForms(request, input.formIds);
        await requireRoom(hasRoom, principalOf(request));
        const accountId = accountOf(request);
        const value = createApiKeyValue();
        const createdAt = clock.now();
        const key: ApiKey = {
          ...input,
          id: createId("apiKey", createdAt),
          accountId,
          prefix: prefixOf(value),
          createdAt,
          lastUsedAt: undefined,
          madeBy: personId,
        };
        const max = await database.transaction().execute(async (transaction) => {
          // Holding the account's row makes simultaneous creates wait for each other, so the limit is exact.
          const limit = keysMax[await accounts.lockPlan(transaction, accountId)];
          const { all, ofOthers } = await apiKeys.count(transaction, accountId);
          // The last one is left to owners: nobody keeps them from making one.
          if (role !== "owner" && ofOthers >= limit - 1) return limit - 1;
          if (all >= limit) return limit;
          await apiKeys.create(transaction, key, hashApiKeyValue(value));
          const by = byPrincipal(principalOf(request));
          await recordAction(transaction, {
            ...by,
            action: "api_key.created",
            occurredAt: createdAt,
            target: { type: "api_key", id: key.id, name: key.name },
            details: { changes: describeKey(key) },
          });
          await sendSecurityMail(transaction, {
            ...{ accountId, event: "api_key_created", by: by.actor, occurredAt: createdAt },
          });
          return undefined;
        });
        if (max !== undefined)
          throw new Problem(
            "bad_request",
            `Maximum number of API keys reached (${max}). Delete an existing key first.`,
          );
        const { id, name, permissions } = key;
        return {
          key: {
            ...{ id, name, key: value, permissions: [...permissions], ...toLimits(key) },
            createdAt: toText(createdAt),
          },
          warning,
          warningCode: "api_key_shown_once" as const,
        };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/api-keys/:key_id",
      config: { ...config, rate: "key_ending" },
      schema: {
        operationId: "revokeApiKey",
        summary: "Revoke an API key",
        description: "Requests with the key are refused from then on.",
        tags: ["API keys"],
        params: closed({ key_id: Type.String({ description: "The key's id, `key_…`." }) }),
        response: { 200: reference(RevokedApiKeyBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { key_id: id } = request.params;
        // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
        const key = isId("apiKey", id) ? await apiKeys.find(id) : undefined;
        if (key !== undefined && key.accountId !== accountOf(request)) throw new Problem("forbidden", "Access denied");
        if (key !== undefined) await requireManageable(request, key);
        const isRevoked = key !== undefined && (await revoke(request, key));
        if (!isRevoked) throw new Problem("not_found", "API key not found");
        return { success: true as const, revoked: key.id };
      },
    });
  };

  /** A key is limited to forms that its maker reaches. */
  async function requireOwnForms(request: FastifyRequest, formIds: readonly FormId[] | undefined): Promise<void> {
    if (formIds === undefined) return;
    const reached = sessionOf(request).formIds;
    const known = await members.filterForms(accountOf(request), formIds);
    if (known.length < formIds.length || !formIds.every((id) => reached?.includes(id) ?? true))
      throw new Problem("bad_request", sentences.api_key_forms_unknown);
  }

  /** A developer ends the keys that they made, and nobody but an owner an owner's. */
  async function requireManageable(request: FastifyRequest, { madeBy, accountId }: ApiKey): Promise<void> {
    const { personId, role } = sessionOf(request);
    if (madeBy === personId || role === "owner") return;
    if (role !== "manager" || (await members.findRole(accountId, madeBy)) === "owner")
      throw new Problem("forbidden", "Access denied");
  }

  function revoke(request: FastifyRequest, { id, name }: ApiKey): Promise<boolean> {
    return database.transaction().execute(async (transaction) => {
      await lockRightsOfKey(transaction, id);
      const isRevoked = await apiKeys.revoke(transaction, id);
      if (isRevoked)
        await recordAction(transaction, {
          ...byPrincipal(principalOf(request)),
          action: "api_key.revoked",
          occurredAt: clock.now(),
          target: { type: "api_key", id, name },
        });
      return isRevoked;
    });
  }
}

function problems<Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, reference(ApiKeyProblemBody)]));
}

/** Nothing of a key without limits. */
function toLimits({ formIds, expiresAt }: ApiKey) {
  return {
    ...(formIds !== undefined && { forms: [...formIds] }),
    ...(expiresAt !== undefined && { expiresAt: toText(expiresAt) }),
  };
}

/** A new key's rights for the audit log. */
function describeKey({ permissions, formIds, expiresAt }: ApiKey): readonly AuditChange[] {
  return [
    { setting: "permissions", from: null, to: permissions },
    ...(formIds === undefined ? [] : [{ setting: "forms", from: null, to: formIds }]),
    ...(expiresAt === undefined ? [] : [{ setting: "expiresAt", from: null, to: toText(expiresAt) }]),
  ];
}

function toListItem(key: ListedApiKey) {
  const { id, name, prefix, permissions, createdAt, lastUsedAt, madeBy, makerName } = key;
  return {
    id,
    name,
    prefix,
    permissions: [...permissions],
    ...toLimits(key),
    createdAt: toText(createdAt),
    lastUsed: lastUsedAt === undefined ? null : toText(lastUsedAt),
    maker: { id: madeBy, name: makerName },
  };
}

function toText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
