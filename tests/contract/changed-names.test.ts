import assert from "node:assert/strict";
import { test } from "node:test";
import { addPerson, switchTo } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { createTestService, type TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { type Document, listNames } from "./name-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations } from "./operations.ts";

test("each change of a name is in the audit log of every organization whose answers show the name, with the one before, and in no other", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "0" }, apiKeyRate: 0 });
  const owner = await service.signUp("owner@example.com");
  const person = await addPerson(service, owner, "person@example.com", { role: "manager" });
  await switchTo(person, person.id);
  const stranger = await service.signUp("stranger@example.com");
  const calls = createOperationCalls(service, { hasWebhooks: false });
  const document: Document = (await service.request("GET", "/api/openapi.json")).body;
  const operations = listDocumentOperations(document);
  const logs = ["listAuditEntries", "exportAuditLog", "exportAccount"];
  const showing = operations.filter(
    ({ method, path, access, operationId }) =>
      method === "GET" &&
      !path.includes("{") &&
      access !== "public" &&
      access !== "operator" &&
      !logs.includes(operationId),
  );
  const isShownTo = async (account: TestAccount, name: string) => {
    for (const { path } of showing)
      if (JSON.stringify((await account.request("GET", path)).body).includes(name)) return true;
    return false;
  };
  const renaming = operations.filter(
    (one) => /^(?:PATCH|PUT)$/.test(one.method) && listNames(document, one).includes("name"),
  );
  const seen: string[] = [];
  for (const operation of renaming) {
    const ids = await calls.createIds(person, operation);
    const [from, to] = [`Former of ${operation.operationId}`, `Latter of ${operation.operationId}`];
    for (const name of [from, to]) {
      const { method, path, headers } = calls.prepare(operation, ids);
      const answer = await service.request(method, path, { token: person.token, headers, body: { name } });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    for (const account of [person, owner, stranger]) {
      const { entries } = (await account.request("GET", "/api/audit-log?limit=100")).body;
      const found = entries.filter(({ details }: { details?: { changes?: readonly object[] } }) =>
        details?.changes?.some((change) => JSON.stringify(change) === JSON.stringify({ setting: "name", from, to })),
      );
      const isShown = await isShownTo(account, to);
      assert.equal(found.length > 0, isShown, `${operation.operationId}, the log of ${account.id}`);
      if (isShown) seen.push(`${operation.operationId} ${account === person ? "own" : "other"}`);
      for (const { actor } of found) assert.equal(actor.personId, person.id);
    }
  }
  // A control: a person's name is shown in two organizations.
  for (const known of ["updateForm own", "renameOrganization own", "renameAccount own", "renameAccount other"])
    assert.ok(seen.includes(known), `${known} is not among ${seen}`);
});

test("the organization of one person, which is renamed with them, says so, and the twenty-first name of a day is refused", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const organization = async () => (await account.request("GET", "/api/organizations")).body.organizations[0].name;
  const before = await organization();
  const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
  for (const name of names) assert.equal((await account.request("PATCH", "/api/account", { name })).status, 200);
  assert.equal(await organization(), "Name 19");
  const { entries } = (await account.request("GET", "/api/audit-log?action=organization.renamed")).body;
  assert.deepEqual(
    entries.map(({ details }: { details: { changes: readonly { from: string; to: string }[] } }) => details.changes),
    [before, ...names.slice(0, -1)].map((from, index) => [{ setting: "name", from, to: `Name ${index}` }]).toReversed(),
  );
  const refused = await account.request("PATCH", "/api/account", { name: "One more" });
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_names"]);
  assert.equal((await account.request("PATCH", "/api/account", { name: "Name 19" })).status, 200, "no other name");
  assert.equal(await organization(), "Name 19");
});
