import assert from "node:assert/strict";
import type { AccountId, FormId } from "@sealpost/wire";
import { permissions } from "../../packages/server/src/access/permission.ts";
import { operationRoles, type Role } from "../../packages/server/src/access/roles.ts";
import { createAccountOperations } from "../../packages/server/src/accounts/account-operations.ts";
import { createAccountStateStore } from "../../packages/server/src/accounts/account-state-store.ts";
import { createAccountStore } from "../../packages/server/src/accounts/account-store.ts";
import { createOperatorStore } from "../../packages/server/src/accounts/operator-store.ts";
import { createApiKeyStore } from "../../packages/server/src/api-keys/api-key-store.ts";
import type { TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import type { createOperationCalls } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";

const password = "correct horse battery";

/** Somebody with every right that an operation may ask for, and another session of theirs. */
export interface Actor {
  readonly account: TestAccount;
  readonly keyId: string;
  readonly authorization: { readonly session: string; readonly apiKey: string };
  /** As another browser of the same person. */
  post(path: string, body?: object): Promise<void>;
}

export interface Revocation {
  readonly name: string;
  /** Operations that it takes from a session, and from an API key. */
  readonly takes: { readonly session: (operation: Operation) => boolean; readonly apiKey: boolean };
  readonly by: (scene: Scene, actor: Actor) => Promise<unknown>;
}

export interface Scene {
  readonly service: TestService;
  /** An operator too. */
  readonly owner: TestAccount;
}

const isOfOperator = ({ access }: Operation) => access === "operator";
const isOfOrganization = ({ operationId }: Operation) => operationId in operationRoles;
const isForbiddenToAuditors = ({ operationId }: Operation) =>
  isOfOrganization({ operationId } as Operation) &&
  !operationRoles[operationId as keyof typeof operationRoles].some((role) => role === "auditor");
const all = () => true;

/** Every way in which a right ends. */
export const revocations: readonly Revocation[] = [
  {
    name: "the password is changed in another browser",
    takes: { session: all, apiKey: true },
    by: (_scene, actor) =>
      actor.post("/api/auth/change-password", {
        currentPassword: password,
        newPassword: "another horse battery",
        revokeApiKeys: true,
      }),
  },
  {
    name: "the session is ended in another browser",
    takes: { session: all, apiKey: false },
    by: (_scene, actor) => actor.post("/api/sessions/end-others"),
  },
  {
    name: "the account is deleted in another browser",
    takes: { session: all, apiKey: false },
    by: (_scene, actor) => actor.post("/api/account/deletion?confirm=DELETE_ACCOUNT"),
  },
  {
    name: "the member is removed",
    takes: { session: isOfOrganization, apiKey: true },
    by: ({ owner }, { account }) => succeed(owner.request("DELETE", `/api/members/${account.id}`)),
  },
  {
    name: "the member gets a lower role",
    takes: { session: isForbiddenToAuditors, apiKey: true },
    by: ({ owner }, { account }) => succeed(owner.request("PATCH", `/api/members/${account.id}`, { role: "auditor" })),
  },
  {
    name: "the API key is revoked",
    takes: { session: () => false, apiKey: true },
    by: ({ owner }, { keyId }) => succeed(owner.request("DELETE", `/api/api-keys/${keyId}`)),
  },
  {
    name: "the account is disabled",
    // An operator is not disabled: that right is ended first.
    takes: { session: all, apiKey: true },
    async by(scene, actor) {
      await setOperator(scene, actor, false);
      const change = { disabled: true, leavesWithoutOwner: true };
      await succeed(scene.owner.request("PATCH", `/api/instance/accounts/${actor.account.id}`, change));
    },
  },
  {
    name: "the right of an operator is ended",
    takes: { session: isOfOperator, apiKey: false },
    by: (scene, actor) => setOperator(scene, actor, false),
  },
  {
    name: "an operator signs the person out everywhere",
    takes: { session: all, apiKey: false },
    by: ({ owner }, { account }) => succeed(owner.request("DELETE", `/api/instance/accounts/${account.id}/sessions`)),
  },
];

/** As `sealpost-server account operator` does. */
export function setOperator(
  { service: { database } }: Scene,
  { account }: Actor,
  isOperator: boolean,
): Promise<unknown> {
  const operations = createAccountOperations({
    database,
    accounts: createAccountStore(database),
    accountStates: createAccountStateStore(database),
    apiKeys: createApiKeyStore(database),
    operators: createOperatorStore(database),
    sendSecurityMail: async () => {},
    clock: systemClock,
  });
  const id = account.id as AccountId; // as the service answered it
  return operations.setOperator(id, isOperator, { type: "operator" });
}

/** A second factor, and the right of an operator: tests of these are elsewhere. */
export async function makeOperator(service: TestService, { id }: TestAccount): Promise<void> {
  await service.database
    .updateTable("person")
    .set({ operator_since: 1, second_factor_enabled: 1 as never }) // PostgreSQL's boolean, SQLite's number
    .where("id", "=", id)
    .execute();
}

/** Joins the owner's organization as an owner, named an operator too. */
export async function createActor(
  { service, owner }: Scene,
  { addMember, createKey }: Pick<ReturnType<typeof createOperationCalls>, "addMember" | "createKey">,
  role: Role = "owner",
  formIds?: readonly FormId[],
): Promise<Actor> {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = await service.signUp(email);
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  await account.request("GET", "/api/organizations");
  await addMember(owner, account.id, { role, formIds });
  await succeed(account.request("POST", `/api/organizations/${owner.id}/switch`));
  await makeOperator(service, account);
  const key = await createKey(account, permissions, owner.id);
  return {
    account,
    keyId: key.id,
    authorization: { session: `Bearer ${account.token}`, apiKey: `Bearer ${key.value}` },
    post: (path, body) =>
      succeed(service.request("POST", path, { headers: { cookie, origin: service.url }, ...(body && { body }) })),
  };
}

export async function succeed(answer: ReturnType<TestAccount["request"]>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
}
