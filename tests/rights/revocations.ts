import assert from "node:assert/strict";
import type { AccountId, FormId } from "@sealpost/wire";
import { permissions } from "../../packages/server/src/access/permission.ts";
import {
  findRoles,
  hasNamedForms,
  operationRoles,
  permissionsOfRole,
  type Role,
  roles,
  rolesOfNamedForms,
} from "../../packages/server/src/access/roles.ts";
import { createAccountOperations } from "../../packages/server/src/accounts/account-operations.ts";
import { createAccountStateStore } from "../../packages/server/src/accounts/account-state-store.ts";
import { createAccountStore } from "../../packages/server/src/accounts/account-store.ts";
import { createOperatorStore } from "../../packages/server/src/accounts/operator-store.ts";
import { createApiKeyStore } from "../../packages/server/src/api-keys/api-key-store.ts";
import type { TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { type createOperationCalls, permissionsOf } from "../contract/operation-calls.ts";
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

type Takes = (operation: Operation) => boolean;

export interface Revocation {
  readonly name: string;
  /** Operations that it takes from a session, and from an API key. */
  readonly takes: { readonly session: Takes; readonly apiKey: Takes };
  /** Makes the actor what they are before, in place of an owner; `forms` are those of the requests. */
  readonly begin?: (scene: Scene, actor: Actor, forms: readonly string[]) => Promise<unknown>;
  /** The status of an operation on a form that this member does not reach any more; otherwise 401 or 403. */
  readonly status?: 404;
  readonly by: (scene: Scene, actor: Actor) => Promise<unknown>;
}

export interface Scene {
  readonly service: TestService;
  /** An operator too. */
  readonly owner: TestAccount;
}

const isOfOperator = ({ access }: Operation) => access === "operator";
const isOfOrganization = ({ operationId }: Operation) => operationId in operationRoles;
const isForbiddenTo =
  (role: Role): Takes =>
  ({ operationId }) =>
    findRoles(operationId)?.includes(role) === false;
const isOfFormsOf =
  (role: Role): Takes =>
  ({ operationId, path }) =>
    path.includes("{form_id}") && findRoles(operationId)?.includes(role) === true;
const all = () => true;
const none = () => false;

/** Every way in which a right ends. */
export const revocations: readonly Revocation[] = [
  {
    name: "the password is changed in another browser",
    takes: { session: all, apiKey: all },
    by: (_scene, actor) =>
      actor.post("/api/auth/change-password", {
        currentPassword: password,
        newPassword: "another horse battery",
        revokeApiKeys: true,
      }),
  },
  {
    name: "the session is ended in another browser",
    takes: { session: all, apiKey: none },
    by: (_scene, actor) => actor.post("/api/sessions/end-others"),
  },
  {
    name: "the account is deleted in another browser",
    takes: { session: all, apiKey: none },
    by: (_scene, actor) => actor.post("/api/account/deletion?confirm=DELETE_ACCOUNT"),
  },
  {
    name: "the member is removed",
    takes: { session: isOfOrganization, apiKey: all },
    by: ({ owner }, { account }) => succeed(owner.request("DELETE", `/api/members/${account.id}`)),
  },
  ...roles
    .filter((role) => role !== "owner")
    .map((role) => ({
      name: `the member becomes a ${role}`,
      takes: { session: isForbiddenTo(role), apiKey: isForbiddenTo(role) },
      by: ({ owner }: Scene, { account }: Actor) => change(owner, account, role, []),
    })),
  ...rolesOfNamedForms.map((role) => ({
    name: `the forms of a ${role} are others`,
    takes: {
      session: isOfFormsOf(role),
      apiKey: (operation: Operation) =>
        isOfFormsOf(role)(operation) &&
        permissionsOf(operation).every((permission) => permissionsOfRole[role].some((one) => one === permission)),
    },
    begin: ({ owner }: Scene, { account }: Actor, forms: readonly string[]) => change(owner, account, role, forms),
    by: ({ owner }: Scene, { account }: Actor) => change(owner, account, role, []),
    status: 404 as const,
  })),
  {
    name: "the API key is revoked",
    takes: { session: none, apiKey: all },
    by: ({ owner }, { keyId }) => succeed(owner.request("DELETE", `/api/api-keys/${keyId}`)),
  },
  {
    name: "the account is disabled",
    // An operator is not disabled: that right is ended first.
    takes: { session: all, apiKey: all },
    async by(scene, actor) {
      await setOperator(scene, actor, false);
      const change = { disabled: true, leavesWithoutOwner: true };
      await succeed(scene.owner.request("PATCH", `/api/instance/accounts/${actor.account.id}`, change));
    },
  },
  {
    name: "the right of an operator is ended",
    takes: { session: isOfOperator, apiKey: none },
    by: (scene, actor) => setOperator(scene, actor, false),
  },
  {
    name: "an operator signs the person out everywhere",
    takes: { session: all, apiKey: none },
    by: ({ owner }, { account }) => succeed(owner.request("DELETE", `/api/instance/accounts/${account.id}/sessions`)),
  },
];

function change(owner: TestAccount, { id }: TestAccount, role: Role, forms: readonly string[]): Promise<void> {
  return succeed(owner.request("PATCH", `/api/members/${id}`, { role, ...(hasNamedForms(role) && { forms }) }));
}

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
