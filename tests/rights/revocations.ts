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
import { completeMove, createToken, saveMove } from "../../packages/server/src/accounts/address-move-store.ts";
import { createOperatorStore } from "../../packages/server/src/accounts/operator-store.ts";
import { showCode } from "../../packages/server/src/accounts/testing/authenticator.ts";
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
  /** The same, with the answer. */
  byCookie(method: string, path: string, body?: object): ReturnType<TestAccount["request"]>;
}

type Takes = (operation: Operation) => boolean;

export interface Revocation {
  readonly name: string;
  /** Operations that it takes from a session, and from an API key. */
  readonly takes: { readonly session: Takes; readonly apiKey: Takes };
  /** Makes the actor what they are before, in place of an owner; `forms` are those of the requests. */
  readonly begin?: (scene: Scene, actor: Actor, forms: readonly string[]) => Promise<unknown>;
  /** For somebody who has none before. */
  readonly isOfNoSecondFactor?: true;
  /** The status of an operation on a form that this member does not reach any more; otherwise 401 or 403. */
  readonly status?: 404;
  readonly by: (scene: Scene, actor: Actor) => Promise<unknown>;
  /** Gives the organization back to those who come next. */
  readonly undo?: (scene: Scene) => Promise<unknown>;
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
/** Somebody without a second factor may not do these in the first place. */
const wantsSecondFactor = (operation: Operation) =>
  isOfOperator(operation) || operation.operationId === "setSecondFactorRule";
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
    name: "the session is ended by its id in another browser",
    takes: { session: all, apiKey: none },
    async by(_scene, { byCookie }) {
      const { body } = await byCookie("GET", "/api/sessions");
      for (const { id, current } of body.sessions)
        if (!current) await succeed(byCookie("DELETE", `/api/sessions/${id}`));
    },
  },
  {
    name: "the session is ended by the sign-in library in another browser",
    takes: { session: all, apiKey: none },
    async by(scene, actor) {
      for (const { id, token } of await listSessions(scene, actor))
        if (id === findSessionId(actor)) await actor.post("/api/auth/revoke-session", { token });
    },
  },
  {
    name: "every other session is ended by the sign-in library",
    takes: { session: all, apiKey: none },
    by: (_scene, actor) => actor.post("/api/auth/revoke-other-sessions", {}),
  },
  {
    name: "the person signs out in another tab",
    takes: { session: all, apiKey: none },
    by({ service }, { account: { cookie } }) {
      const headers = { cookie, origin: service.url };
      return succeed(service.request("POST", "/api/auth/sign-out", { headers, body: {} }));
    },
  },
  {
    name: "a move of the account to another address is undone",
    takes: { session: all, apiKey: all },
    async by({ service: { database, url, request } }, { account }) {
      const personId = account.id as AccountId; // as the service answered it
      const move = {
        personId,
        oldEmail: await findEmail(database, personId),
        newEmail: `moved-${personId}@example.com`,
      };
      const token = await database.transaction().execute(async (transaction) => {
        const tokens = { oldToken: createToken("old"), newToken: createToken("new") };
        await saveMove(transaction, { ...move, ...tokens }, Date.now());
        return completeMove(transaction, move, Date.now());
      });
      await succeed(request("POST", "/api/auth/address/refuse", { headers: { origin: url }, body: { token } }));
    },
  },
  {
    name: "a second factor is turned on in another browser",
    isOfNoSecondFactor: true,
    takes: { session: (operation) => !wantsSecondFactor(operation), apiKey: none },
    begin: (scene, actor) => takeSecondFactor(scene, actor),
    async by({ service: { database } }, { account, byCookie, post }) {
      // It wants an address that is known to be theirs, whatever the request that is held does about that.
      await database.updateTable("person").set({ verification: "trusted" }).where("id", "=", account.id).execute();
      const { status, body } = await byCookie("POST", "/api/auth/two-factor/enable", { password });
      assert.equal(status, 200, JSON.stringify(body));
      await post("/api/auth/two-factor/verify-totp", { code: showCode(body.totpURI) });
    },
  },
  {
    name: "the passkey that opened the session is removed in another browser",
    takes: { session: all, apiKey: none },
    async begin({ service: { database } }, actor) {
      const { id } = await database
        .insertInto("passkey")
        .values({
          ...{ id: crypto.randomUUID(), name: "Passkey", counter: 0, transports: "[]", added_at: 0, used_at: null },
          ...{
            person_id: actor.account.id,
            credential_id: crypto.randomUUID(),
            user_handle: "AAAA",
            public_key: "AAAA",
          },
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      const isOpened = { passkey_id: id };
      await database.updateTable("session").set(isOpened).where("id", "=", findSessionId(actor)).execute();
    },
    async by({ service: { database } }, { account, byCookie }) {
      const { id } = await database
        .selectFrom("passkey")
        .select("id")
        .where("person_id", "=", account.id)
        .where("public_key", "=", "AAAA")
        .executeTakeFirstOrThrow();
      await succeed(byCookie("DELETE", `/api/auth/passkeys/${id}`));
    },
  },
  {
    name: "the member leaves in another browser",
    takes: { session: isOfOrganization, apiKey: all },
    async by({ owner }, { post }) {
      await post(`/api/organizations/${owner.id}/switch`);
      await post("/api/members/leave");
    },
  },
  {
    name: "the organization requires a second factor that the session has not",
    takes: {
      session: (operation) =>
        isOfOrganization(operation) && operation.operationId !== "leaveOrganization" && !wantsSecondFactor(operation),
      apiKey: none,
    },
    begin: (scene, actor) => takeSecondFactor(scene, actor),
    by: ({ owner }) => succeed(owner.request("PUT", "/api/organization/second-factor", { requiredFrom: 1 })),
    undo: ({ owner }) => succeed(owner.request("PUT", "/api/organization/second-factor", { requiredFrom: null })),
  },
  {
    name: "an operator signs the person out everywhere",
    takes: { session: all, apiKey: none },
    by: ({ owner }, { account }) => succeed(owner.request("DELETE", `/api/instance/accounts/${account.id}/sessions`)),
  },
];

/** The session that `authorization.session` is a token of. */
export function findSessionId({ account: { token } }: Actor): string {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sid;
}

function listSessions({ service: { database } }: Scene, { account }: Actor) {
  return database.selectFrom("session").select(["id", "token"]).where("person_id", "=", account.id).execute();
}

async function findEmail(database: TestService["database"], id: AccountId): Promise<string> {
  return (await database.selectFrom("person").select("email").where("id", "=", id).executeTakeFirstOrThrow()).email;
}

/** The actor has none, and is no operator. */
export async function takeSecondFactor({ service: { database } }: Scene, { account }: Actor): Promise<void> {
  await database
    .updateTable("person")
    .set({ operator_since: null, second_factor_enabled: 0 as never }) // PostgreSQL's boolean, SQLite's number
    .where("id", "=", account.id)
    .execute();
}

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
    ...createOtherBrowser(service, cookie),
  };
}

/** Another browser of the actor's, by its cookie. */
export function createOtherBrowser({ request, url }: TestService, cookie: string): Pick<Actor, "post" | "byCookie"> {
  const byCookie: Actor["byCookie"] = (method, path, body) => {
    const page = method === "GET" ? { "sec-fetch-site": "same-origin" } : { origin: url };
    return request(method, path, { headers: { cookie, ...page }, ...(body && { body }) });
  };
  return { byCookie, post: (path, body) => succeed(byCookie("POST", path, body)) };
}

export async function succeed(answer: ReturnType<TestAccount["request"]>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
}
