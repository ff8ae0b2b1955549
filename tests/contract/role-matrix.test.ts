import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { permissions } from "../../packages/server/src/access/permission.ts";
import { operationRoles, permissionsOfRole, type Role, roles } from "../../packages/server/src/access/roles.ts";
import { testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { createTestService, type TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { isWhole } from "../support/sample.ts";
import { createOperationCalls, type Ids, permissionsOf, rightStatus } from "./operation-calls.ts";
import { listDocumentOperations, type Operation } from "./operations.ts";

/** Every operation of the OpenAPI document against every role, by session and by API key, on named, other and foreign forms. */
const [all, staff, builders, readers] = [
  roles,
  ["owner", "manager"],
  ["owner", "manager", "developer"],
  ["owner", "manager", "reader"],
] as const;

/** Decision 23, written down a second time: the table must not drift from it. */
const wanted: Readonly<Record<string, readonly Role[]>> = {
  "GET /api/forms": all,
  "GET /api/forms/{form_id}": all,
  "GET /api/forms/{form_id}/keys": all,
  "GET /api/forms/{form_id}/stats": all,
  "GET /api/forms/{form_id}/retention": all,
  "GET /api/forms/{form_id}/notifications": all,
  "GET /api/usage": ["owner", "manager", "auditor"],
  "GET /api/forms/{form_id}/webhook/logs": builders,
  "GET /api/forms/{form_id}/webhook/logs/{delivery_id}": builders,
  "POST /api/forms": staff,
  "POST /api/forms/reservations": staff,
  "PATCH /api/forms/{form_id}": builders,
  "DELETE /api/forms/{form_id}": staff,
  "POST /api/forms/{form_id}/rotate-keys": staff,
  "POST /api/forms/{form_id}/keys/close": staff,
  "POST /api/forms/{form_id}/keys/log": staff,
  "DELETE /api/forms/{form_id}/keys/log": ["owner"],
  "POST /api/forms/{form_id}/keys/{version}/proved": readers,
  "GET /api/member-list": [...readers, "auditor"],
  "GET /api/member-list/names": [...readers, "auditor"],
  "POST /api/member-list": [...readers, "auditor"],
  "POST /api/member-list/lost": ["owner"],
  "GET /api/admissions": staff,
  "POST /api/admissions": staff,
  "GET /api/admissions/{admission_id}": staff,
  "DELETE /api/admissions/{admission_id}": staff,
  "POST /api/admissions/{admission_id}/refusal": staff,
  "GET /api/forms/{form_id}/envelopes": readers,
  "GET /api/forms/{form_id}/envelopes/{lowest_version}": readers,
  "GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions": readers,
  "PUT /api/forms/{form_id}/envelopes/{lowest_version}": staff,
  "DELETE /api/forms/{form_id}/envelopes": ["owner"],
  "POST /api/forms/{form_id}/envelopes/restore": ["owner"],
  "PUT /api/forms/{form_id}/retention": staff,
  "PUT /api/forms/{form_id}/notifications": staff,
  "GET /api/forms/{form_id}/webhook-secret": builders,
  "POST /api/forms/{form_id}/webhook-secret/rotate": builders,
  "POST /api/forms/{form_id}/webhook/test": builders,
  "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend": staff,
  "GET /api/forms/{form_id}/submissions": readers,
  "GET /api/forms/{form_id}/submissions/{submission_id}": readers,
  "GET /api/forms/{form_id}/submissions/export": readers,
  "GET /api/forms/{form_id}/submissions/bin": readers,
  "POST /api/forms/{form_id}/submissions/bin": staff,
  "POST /api/forms/{form_id}/submissions/bin/restore": staff,
  "DELETE /api/forms/{form_id}/submissions/bin": staff,
  "DELETE /api/forms/{form_id}/submissions": staff,
  "DELETE /api/forms/{form_id}/submissions/{submission_id}": staff,
  "POST /api/forms/{form_id}/submissions/delete": staff,
  "GET /api/notifications": staff,
  "PUT /api/notifications": staff,
  "GET /api/api-keys": builders,
  "POST /api/api-keys": builders,
  "DELETE /api/api-keys/{key_id}": builders,
  "GET /api/audit-log": ["owner", "auditor"],
  "GET /api/audit-log/export": ["owner", "auditor"],
  "POST /api/audit-log/shorten": ["owner"],
  "PATCH /api/organization": ["owner"],
  "PUT /api/organization/second-factor": ["owner"],
  "PUT /api/organization/recovery": ["owner"],
  "POST /api/usage/take-over": ["owner"],
  "POST /api/organization/deletion": ["owner"],
  "DELETE /api/organization/deletion": ["owner"],
  "POST /api/forms/{form_id}/hand-over": ["owner"],
  "PUT /api/forms/{form_id}/hold": ["owner"],
  "DELETE /api/forms/{form_id}/hold": ["owner"],
  "GET /api/members": ["owner", "manager", "auditor"],
  "PATCH /api/members/{member_id}": staff,
  "DELETE /api/members/{member_id}": staff,
  "POST /api/members/leave": all,
  "GET /api/invitations": staff,
  "POST /api/invitations": staff,
  "DELETE /api/invitations/{invitation_id}": staff,
};

/** Operations about the person, whatever the organization and the role. */
const personal = [
  "GET /api/account",
  "PATCH /api/account",
  "POST /api/account/address",
  "DELETE /api/account/address",
  "GET /api/account/deletion",
  "POST /api/account/deletion",
  "DELETE /api/account/deletion",
  "GET /api/account/export",
  "GET /api/account/admissions",
  "GET /api/account/admissions/{admission_id}",
  "POST /api/account/admissions/{admission_id}/answer",
  "GET /api/account/signed-heads",
  "PUT /api/account/signed-heads/{organization_id}",
  "GET /api/account/personal-key",
  "POST /api/account/personal-key",
  "GET /api/account/device-requests",
  "POST /api/account/device-requests",
  "PUT /api/account/device-requests/{request_id}/challenge",
  "PUT /api/account/device-requests/{request_id}/reveal",
  "PUT /api/account/device-requests/{request_id}/answer",
  "DELETE /api/account/device-requests/{request_id}",
  "PUT /api/account/personal-key",
  "POST /api/account/personal-key/restore",
  "GET /api/account/key-copies/{copy_id}",
  "POST /api/account/key-copies",
  "DELETE /api/account/key-copies/{copy_id}",
  "POST /api/account/key-copies/{copy_id}/restore",
  "GET /api/organizations",
  "POST /api/organizations",
  "POST /api/organizations/{organization_id}/switch",
  "POST /api/invitations/accept",
  "GET /api/sessions",
  "DELETE /api/sessions/{session_id}",
  "POST /api/sessions/end-others",
];

const service = await createTestService(
  { after },
  {
    environment: { SEALPOST_DEFAULT_PLAN: "enterprise", SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" },
  },
);
const operations = listDocumentOperations(service.app.swagger()).filter(
  // Those of the instance's operators, who need no role: packages/server/src/operators/instance.test.ts.
  ({ access }) => access !== "public" && access !== "operator",
);
const inOrganization = operations.filter(({ name }) => !personal.includes(name));
const { createKey, createIds, call, addMember, removeMember } = createOperationCalls(service);
const owner = await service.signUp();
const stranger = await service.signUp();
const persons = Object.fromEntries(
  await Promise.all(roles.map(async (role) => [role, await service.signUp()] as const)),
) as Record<Role, TestAccount>; // one for each role

const insufficient = "Your role in this organization does not allow this";
/** The API key endpoints have errors of their own shape. */
function refusalOf({ path }: Operation): object {
  return path.startsWith("/api/api-keys")
    ? { error: insufficient, code: "role_insufficient" }
    : { error: "forbidden", message: insufficient, code: "role_insufficient" };
}

/** Makes a person a member in whose name the forms are, acting for the owner's organization. */
async function join(role: Role, formIds: readonly string[]): Promise<TestAccount> {
  const person = persons[role];
  await removeMember(owner, person.id);
  // Their first request makes them the owner of the organization with their id.
  await person.request("GET", "/api/organizations");
  await addMember(owner, person.id, { role, formIds: isNamed(role) ? (formIds as FormId[]) : undefined });
  const switched = await person.request("POST", `/api/organizations/${owner.id}/switch`);
  assert.equal(switched.status, 200, JSON.stringify(switched.body));
  assert.equal(switched.body.organization.role, role);
  return person;
}

const known = new Map<string, ReturnType<typeof createIds>>();

/** Ids for requests that are refused, and use nothing up: those of an operation's path serve every role. */
function createKeptIds(
  account: TestAccount,
  operation: Operation,
  use: "hidden" | "refused",
): ReturnType<typeof createIds> {
  const key = `${use} ${account.id} ${operation.path}`;
  const ids = known.get(key) ?? createIds(account, operation);
  known.set(key, ids);
  return ids;
}

const isNamed = (role: Role) => role === "reader" || role === "developer";

type Check = (operation: Operation, ids: Ids, person: TestAccount, isAllowed: boolean) => Promise<void>;

/** First what the role may do, with a form for each; then what it may not, of which one membership sees all. */
async function tryEach(
  t: TestContext,
  role: Role,
  tried: readonly Operation[],
  isAllowed: (operation: Operation) => boolean,
  check: Check,
): Promise<void> {
  let person: TestAccount | undefined;
  for (const operation of tried.filter(isAllowed)) {
    await t.test(operation.name, async () => {
      const ids = await createIds(owner, operation);
      if (person === undefined || isNamed(role)) person = await join(role, [ids.form_id]);
      const member = person;
      if (operation.operationId === "leaveOrganization") person = undefined;
      await check(operation, ids, member, true);
    });
  }
  const refused = await Promise.all(
    tried
      .filter((operation) => !isAllowed(operation))
      .map(async (operation) => ({ operation, ids: await createKeptIds(owner, operation, "refused") })),
  );
  const member = await join(
    role,
    refused.map(({ ids }) => ids.form_id),
  );
  for (const { operation, ids } of refused) await t.test(operation.name, () => check(operation, ids, member, false));
}

/** In the matrix there is a second owner, so that the one of the role may leave. */
function statusOf(operation: Operation): number {
  return operation.operationId === "leaveOrganization" ? 200 : rightStatus(operation);
}

test("each operation's roles are the decided ones, and none is missing", () => {
  const table = Object.fromEntries(
    inOrganization.map(({ name, operationId }) => [name, operationRoles[operationId as keyof typeof operationRoles]]),
  );
  assert.deepEqual(table, { ...wanted });
  assert.deepEqual(
    Object.keys(operationRoles).filter((id) => !inOrganization.some(({ operationId }) => operationId === id)),
    [],
    "a row of an operation that there is not",
  );
  assert.deepEqual(operations.filter(({ name }) => personal.includes(name)).length, personal.length);
});

/** The other halves of a decision are the rows of a person's membership, which members.test.ts reads on both databases. */
const onSqlite = { skip: testDatabaseKind !== "sqlite" && "was run with SQLite: the table of roles asks no database" };

/** In `npm test` each role tries the operations of its turn, so that each operation is tried by one role. */
const turnOf = (role: Role, tried: readonly Operation[]) =>
  isWhole ? tried : tried.filter((_, index) => index % roles.length === roles.indexOf(role));

for (const role of roles) {
  test(
    `the role ${role} is enough for its operations on named forms, and for no other operation and form`,
    onSqlite,
    async (t) => {
      const isWanted = ({ name }: Operation) => wanted[name]?.includes(role) === true;
      await tryEach(t, role, turnOf(role, inOrganization), isWanted, async (operation, ids, person, isAllowed) => {
        // Only the keys that they made themselves are every role's to revoke.
        const named = { ...ids, key_id: (await createKey(person, [], owner.id)).id };
        if (operation.path.includes("{form_id}")) {
          const foreign = await createKeptIds(stranger, operation, "hidden");
          const other = isNamed(role) ? [await createKeptIds(owner, operation, "hidden")] : [];
          const missing = await call(operation, { ...named, form_id: createId("form") }, `Bearer ${person.token}`);
          assert.equal(missing.status, isAllowed ? 404 : 403);
          for (const hidden of [foreign, ...other])
            assert.deepEqual(await call(operation, hidden, `Bearer ${person.token}`), missing);
        }
        const answer = await call(operation, named, `Bearer ${person.token}`);
        if (isAllowed) assert.equal(answer.status, statusOf(operation), answer.text);
        else assert.deepEqual([answer.status, JSON.parse(answer.text)], [403, refusalOf(operation)]);
      });
    },
  );

  test(
    `an API key with every permission does what the role ${role} of its maker may do, on the same forms`,
    onSqlite,
    async (t) => {
      const held: readonly string[] = permissionsOfRole[role];
      const isHeldOf = (operation: Operation) =>
        permissionsOf(operation).every((permission) => held.includes(permission));
      const isWanted = (operation: Operation) => isHeldOf(operation) && wanted[operation.name]?.includes(role) === true;
      const byKey = inOrganization.filter(({ access }) => access !== "session");
      await tryEach(t, role, turnOf(role, byKey), isWanted, async (operation, named, person, isAllowed) => {
        const { value } = await createKey(person, permissions, owner.id);
        if (operation.path.includes("{form_id}")) {
          const hidden = await createKeptIds(isNamed(role) ? owner : stranger, operation, "hidden");
          const missing = await call(operation, { ...named, form_id: createId("form") }, `Bearer ${value}`);
          assert.equal(missing.status, isAllowed ? 404 : 403);
          assert.deepEqual(await call(operation, hidden, `Bearer ${value}`), missing);
        }
        const answer = await call(operation, named, `Bearer ${value}`);
        // A reader's key reaches the named forms alone.
        const isBeyond = isAllowed && role === "reader" && /^getMemberList/.test(operation.operationId);
        assert.equal(answer.status, isAllowed && !isBeyond ? statusOf(operation) : 403, answer.text);
        const code = JSON.parse(answer.status === 403 ? answer.text : "{}").code;
        if (isBeyond) assert.equal(code, "api_key_limited");
        else if (!isAllowed) assert.equal(code, isHeldOf(operation) ? "role_insufficient" : "permission_missing");
      });
    },
  );
}

test(
  "an API key that is limited to a form does everything with that form, and nothing with another one or with the organization",
  onSqlite,
  async (t) => {
    for (const operation of inOrganization.filter(({ access }) => access !== "session")) {
      await t.test(operation.name, async () => {
        const named = await createIds(owner, operation);
        const { value } = await createKey(owner, permissions, owner.id, [named.form_id as FormId]);
        if (operation.path.includes("{form_id}")) {
          const missing = await call(operation, { ...named, form_id: createId("form") }, `Bearer ${value}`);
          assert.equal(missing.status, 404);
          for (const account of [owner, stranger])
            assert.deepEqual(
              await call(operation, await createKeptIds(account, operation, "hidden"), `Bearer ${value}`),
              missing,
            );
        }
        const answer = await call(operation, named, `Bearer ${value}`);
        if (operation.operationId === "listForms")
          assert.deepEqual(
            [answer.status, JSON.parse(answer.text).forms.map(({ id }: { id: string }) => id)],
            [200, [named.form_id]],
          );
        else if (operation.path.includes("{form_id}")) assert.equal(answer.status, statusOf(operation), answer.text);
        else assert.deepEqual([answer.status, JSON.parse(answer.text).code], [403, "api_key_limited"]);
      });
    }
  },
);

test("operations about the person need no role: they answer who belongs to no organization", onSqlite, async (t) => {
  const person = await join("reader", []);
  await removeMember(owner, person.id);
  for (const operation of inOrganization) {
    await t.test(operation.name, async () => {
      const ids = await createKeptIds(owner, operation, "refused");
      const answer = await call(operation, ids, `Bearer ${person.token}`);
      assert.deepEqual([answer.status, JSON.parse(answer.text).code], [403, "organization_none"]);
    });
  }
  for (const operation of operations.filter(({ name }) => personal.includes(name))) {
    const ids = { ...(await createIds(owner, operation)), organization_id: person.id };
    const answer = await call(operation, ids, `Bearer ${person.token}`);
    assert.equal(answer.status, rightStatus(operation), answer.text);
  }
});
