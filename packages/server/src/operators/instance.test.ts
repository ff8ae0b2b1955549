import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { listDocumentOperations } from "../../../../tests/contract/operations.ts";
import { administer } from "../accounts/administer.ts";
import { showCode } from "../accounts/testing/authenticator.ts";
import { parseConfig } from "../config/config.ts";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
import { byNobody, createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTestDatabase, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createOperator } from "./testing/test-operator.ts";

const password = "correct horse battery";

/** A request of each operation of the instance page, with ids that nobody has. */
function listCalls(service: TestService): readonly { readonly method: string; readonly path: string; body?: object }[] {
  const ids = {
    account_id: createId("account"),
    organization_id: createId("account"),
    mail_id: "none",
    invitation_id: "none",
  };
  const bodies: Readonly<Record<string, object>> = {
    setOrganizationPlan: { plan: "pro" },
    changeInstanceAccount: { disabled: true },
    createInstanceInvitation: { email: "invited@example.com" },
  };
  return listDocumentOperations(service.app.swagger())
    .filter(({ path }) => path.startsWith("/api/instance"))
    .map(({ method, path, operationId, access }) => {
      assert.equal(access, "operator", path);
      const body = bodies[operationId];
      const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: keyof typeof ids) => ids[name]);
      return { method, path: filled, ...(body && { body }) };
    });
}

/** The codes of all answers; of those that succeeded, the status. */
async function callAll(service: TestService, token: string | undefined) {
  const codes = new Set<string | number>();
  for (const { method, path, body } of listCalls(service)) {
    const answer = await service.request(method, path, { token, ...(body && { body }) });
    codes.add(answer.body.code ?? answer.status);
  }
  return [...codes].toSorted();
}

test("the instance page is for operators with a second factor alone, by session, from request to request", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp();
  const reader = await addPerson(service, owner, "reader@example.com", { role: "reader", forms: [] });
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  assert.deepEqual(await callAll(service, undefined), ["credential_invalid"]);
  assert.deepEqual(await callAll(service, owner.token), ["operator_only"]);
  assert.deepEqual(await callAll(service, reader.token), ["operator_only"]);

  const config = parseConfig({ ...(await createTestDatabase(t, service.folder)), SEALPOST_DATA: service.folder });
  await administer(config, (accounts) => accounts.setOperator("reader@example.com", true));
  assert.deepEqual(await callAll(service, reader.token), ["operator_second_factor"]);
  const headers = { cookie: reader.cookie, origin: service.url };
  const begun = await service.request("POST", "/api/auth/two-factor/enable", { headers, body: { password } });
  const body = { code: showCode(begun.body.totpURI) };
  const turnedOn = await service.request("POST", "/api/auth/two-factor/verify-totp", { headers, body });
  const cookie = turnedOn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { token } = (await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } }))
    .body;
  const done = [200, "instance_organization_not_found", "invitation_not_found", "mail_not_found", "person_not_found"];
  assert.deepEqual(await callAll(service, token), done);

  // It gives no right in an organization: of this one they are a reader of no form.
  assert.equal((await service.request("POST", `/api/organizations/${owner.id}/switch`, { token })).status, 200);
  assert.equal((await service.request("GET", "/api/members", { token })).body.code, "role_insufficient");
  assert.deepEqual(await callAll(service, key), ["credential_invalid"]);
  await service.database.updateTable("session").set({ authenticated_at: 0 }).execute();
  assert.deepEqual(await callAll(service, token), [200, "session_stale"]);
  await administer(config, (accounts) => accounts.setOperator("reader@example.com", false));
  assert.deepEqual(await callAll(service, token), ["operator_only"]);
});

test("no answer of the instance page has a form's name, its fields, its settings or what was submitted", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks, environment: { SEALPOST_QUOTAS: "on" } });
  const operator = await createOperator(service);
  const owner = await service.signUp();
  const settings = { encryption: false, webhookUrl: "https://canary.example/canaryhook", country: null };
  const made = await owner.request("POST", "/api/forms", {
    name: "Canaryname",
    settings: { ...settings, country: undefined },
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const formId: string = made.body.form.id;
  const payload = { encrypted: false, version: "plain1", fields: { canaryfield: "canaryvalue" } };
  const posted = { id: createId("submission"), payload };
  assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body: posted })).status, 201);
  // Full, so that the doctor's findings speak of it.
  await service.database.updateTable("form_count").set({ bytes: 2e9 }).where("form_id", "=", formId).execute();
  await operator.request("PATCH", `/api/instance/organizations/${owner.id}`, { plan: "starter" });
  for (const { method, path } of listCalls(service).filter((call) => call.method === "GET")) {
    const { status, body } = await operator.request(method, path);
    assert.equal(status, 200);
    assert.doesNotMatch(JSON.stringify(body), /canary/i, path);
  }
  const { organizations } = (await operator.request("GET", "/api/instance/organizations?sort=storage")).body;
  const [{ id, plan, bytes, bytesMax, forms, owners }] = organizations;
  const full = [owner.id, "starter", 10 * 2 ** 30, 1, 1];
  assert.deepEqual([id, plan, bytesMax, forms, owners], full);
  // The form, its keys and the log count as well.
  assert.ok(bytes > 2e9 && bytes < 2e9 + 10_000, String(bytes));
});

test("lists are found by names and addresses, sorted, and page by page each is there once", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const operator = await createOperator(service, "zoe@example.com");
  const others = [];
  for (const email of ["mia_1@example.com", "ben@example.org", "ada@example.com"])
    others.push(await service.signUp(email));
  const [mia, ben, ada] = others as [TestAccount, TestAccount, TestAccount];
  const more = (await mia.request("POST", "/api/organizations", { name: "Äpfel & Birnen" })).body.organization.id;
  const full = await createForm(ben, { encryption: false });
  await service.database.updateTable("form_count").set({ bytes: 5000 }).where("form_id", "=", full).execute();
  const list = async (kind: "organizations" | "accounts", query: string) => {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `/api/instance/${kind}?limit=1&${query}${cursor && `&cursor=${cursor}`}`;
      const { status, body } = await operator.request("GET", path);
      assert.equal(status, 200, JSON.stringify(body));
      ids.push(...body[kind].map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    return ids;
  };
  assert.deepEqual(await list("accounts", ""), [ada.id, ben.id, mia.id, operator.id]);
  assert.deepEqual(await list("accounts", "sort=address"), [ada.id, ben.id, mia.id, operator.id]);
  assert.deepEqual(await list("accounts", "search=example.ORG"), [ben.id]);
  assert.deepEqual(await list("accounts", "search=%25"), [], "what stands for any text elsewhere is itself here");
  assert.deepEqual(await list("accounts", "search=_"), [mia.id]);
  assert.deepEqual(await list("organizations", ""), [more, ada.id, ben.id, mia.id, operator.id]);
  assert.deepEqual((await list("organizations", "sort=storage"))[0], ben.id);
  assert.deepEqual(await list("organizations", "search=birnen&sort=name"), [more]);
  // Letters beyond ASCII are PostgreSQL's locale's, and that of the tests knows none.
  if (testDatabaseKind === "sqlite")
    assert.deepEqual(await list("organizations", `search=${encodeURIComponent("äpfel")}`), [more]);
  assert.deepEqual(await list("organizations", "search=mia_1&sort=name"), [mia.id, more].toSorted());
  assert.equal((await list("organizations", "sort=name")).at(-1), more);
  const { total } = (await operator.request("GET", "/api/instance/accounts?search=EXAMPLE.com&limit=1")).body;
  assert.equal(total, 3);
  assert.equal((await operator.request("GET", "/api/instance/accounts?cursor=W10")).body.code, "invalid_request");
  const counts = (await operator.request("GET", "/api/instance")).body.counts;
  assert.deepEqual(counts, { organizations: 5, accounts: 4, operators: 1, disabled: 0, failedEmails: 0 });
});

test("an operator's change holds at once, and both logs and an email tell of it", async (t) => {
  const { service, clock, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const [operator, owner, member] = [
    await createOperator(service),
    await service.signUp("boss@example.com"),
    await service.signUp("member@example.com"),
  ];
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  await owner.request("POST", "/api/api-keys", { name: "Key" });
  const membership = { organization_id: owner.id, person_id: member.id, role: "manager", form_ids: "[]" };
  await service.database
    .insertInto("member")
    .values({ ...membership, since: clock.now(), added_by: null })
    .execute();
  const ofOwner = `/api/instance/accounts/${owner.id}`;
  const refused = await operator.request("PATCH", ofOwner, { disabled: true });
  assert.deepEqual([refused.status, refused.body.code], [409, "leaves_without_owner"]);
  assert.equal((await owner.request("GET", "/api/forms")).status, 200);
  assert.equal(
    (await operator.request("PATCH", `/api/instance/accounts/${operator.id}`, { disabled: true })).body.code,
    "operator_account",
  );

  type Change = readonly [method: string, path: string, body?: object];
  async function make(changes: readonly Change[]) {
    for (const [method, path, body] of changes) {
      const answer = await operator.request(method, path, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { account } = answer.body;
      assert.ok(account === undefined || (account.disabledAt === null) !== Object(body).disabled);
    }
  }
  async function arrive(...subjects: readonly string[]) {
    await run();
    const wanted = new Set(subjects);
    while (wanted.size > 0) {
      const { headers, to } = await smtp.next();
      if (wanted.delete(headers.get("subject") ?? "")) assert.deepEqual(to, ["boss@example.com"]);
    }
  }
  await make([
    ["DELETE", `${ofOwner}/api-keys`],
    ["DELETE", `${ofOwner}/sessions`],
    ["PATCH", `/api/instance/organizations/${owner.id}`, { plan: "pro" }],
  ]);
  // Before the account is disabled: an organization without an owner who can sign in gets no emails.
  await arrive("Your API keys were revoked", "You were signed out everywhere", "Your organization is on another plan");
  await make([
    ["PATCH", ofOwner, { disabled: true, leavesWithoutOwner: true }],
    ["PATCH", ofOwner, { disabled: false }],
  ]);
  assert.equal((await owner.request("GET", "/api/forms")).status, 401);
  // Done again they change nothing, and tell nobody.
  await operator.request("PATCH", `/api/instance/organizations/${owner.id}`, { plan: "pro" });
  await operator.request("PATCH", ofOwner, { disabled: false });

  const recorded = ["account.enabled", "account.disabled", "account.plan_changed", "account.sessions_ended"];
  const { entries } = (await operator.request("GET", "/api/instance/log")).body;
  const expected = [...recorded, "account.keys_revoked"];
  const actions = entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.toSorted(), expected.toSorted());
  for (const { operator: by, subject } of entries)
    assert.deepEqual([by.email, subject.email], ["operator@example.com", "boss@example.com"]);
  assert.equal(entries.find(({ plan }: { plan?: string }) => plan !== undefined).plan, "pro");
  const own = await service.database
    .selectFrom("audit_entry")
    .select(["action", "person_id"])
    .where("account_id", "=", owner.id)
    .where("actor", "=", "operator")
    .execute();
  assert.deepEqual(own.map(({ action }) => action).toSorted(), [...recorded, "api_key.revoked"].toSorted());
  assert.ok(own.every(({ person_id }) => person_id === operator.id));
  await arrive("Your account was disabled", "Your account was enabled again");
});

test("an email that a mail server refuses is shown with where to and why, and arrives when it is tried again", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t, { refusals: [550, undefined] });
  const operator = await createOperator(service);
  await createSendSecurityMail({ hasMail: true })(service.database, {
    accountId: account.id as `acc_${string}`, // as the service answered it
    event: "api_key_created",
    by: byNobody,
    occurredAt: clock.now(),
  });
  await run();
  const { emails, total } = (await operator.request("GET", "/api/instance/emails")).body;
  assert.equal(total, 1);
  const [{ id, to, failure, canTryAgain, nextAt, kind, accountId }] = emails;
  assert.deepEqual([to, canTryAgain, nextAt, kind], [["owner@example.com"], true, null, "security"]);
  assert.equal(accountId, account.id);
  assert.match(failure, /^550 /);
  assert.equal((await operator.request("POST", `/api/instance/emails/${id}/retry`)).status, 200);
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "A new API key");
  assert.equal((await operator.request("GET", "/api/instance/emails")).body.total, 0);
  assert.equal((await operator.request("POST", `/api/instance/emails/${id}/retry`)).body.code, "mail_not_found");
});
