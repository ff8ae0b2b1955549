import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import type { SecurityMail } from "../mail/security-mail-store.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { remindOfKeys } from "./remind-of-keys.ts";

const hour = 3_600_000;

async function createForm({ request }: TestAccount, name: string): Promise<string> {
  return (await request("POST", "/api/forms", { name, settings: { encryption: false } })).body.form.id;
}

async function start(t: TestScope) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, environment: { SEALPOST_DEFAULT_PLAN: "enterprise" } });
  const [account, other] = [await service.signUp(), await service.signUp()];
  const createKey = (body: object) => account.request("POST", "/api/api-keys", { name: "Key", ...body });
  const textOf = (after: number) => new Date(clock.now() + after).toISOString();
  return { clock, service, account, other, createKey, textOf };
}

test("a key that is limited to forms sees no other form, makes none and reads nothing of the organization; its list and entry say so", async (t) => {
  const { service, account, other, createKey } = await start(t);
  const [one, two] = [await createForm(account, "One"), await createForm(account, "Two")];
  const foreign = await createForm(other, "Foreign");
  const created = await createKey({ forms: [one, one] });
  assert.deepEqual([created.status, created.body.key.forms], [200, [one]]);
  const ask = (method: string, path: string, body?: object) =>
    service.request(method, path, { token: created.body.key.key, body });
  assert.deepEqual(
    (await ask("GET", "/api/forms")).body.forms.map(({ id }: { id: string }) => id),
    [one],
  );
  assert.equal((await ask("PATCH", `/api/forms/${one}`, { settings: { piiStrip: true } })).status, 200);
  // Taken and free names, and its own in another case, are answered alike; the name that it has changes nothing.
  for (const name of ["Two", "two", "Free", "ONE"]) {
    const refused = await ask("PATCH", `/api/forms/${one}`, { name });
    assert.deepEqual([refused.status, refused.body.code], [403, "api_key_limited"], name);
  }
  assert.equal((await ask("PATCH", `/api/forms/${one}`, { name: "One" })).status, 200);
  const developer = await addPerson(service, account, "developer@example.com", { role: "developer", forms: [one] });
  for (const name of ["Two", "Free"]) {
    const refused = await developer.request("PATCH", `/api/forms/${one}`, { name });
    assert.deepEqual([refused.status, refused.body.code], [403, "role_insufficient"], name);
  }
  for (const id of [two, foreign, createId("form")]) assert.equal((await ask("GET", `/api/forms/${id}`)).status, 404);
  for (const [method, path, body] of [
    ["POST", "/api/forms", { name: "Three" }],
    ["GET", "/api/usage", undefined],
  ] as const) {
    const refused = await ask(method, path, body);
    assert.deepEqual([refused.status, refused.body.code], [403, "api_key_limited"]);
  }
  const [listed] = (await account.request("GET", "/api/api-keys")).body.keys;
  assert.deepEqual([listed.forms, listed.expiresAt], [[one], undefined]);
  const [entry] = (await account.request("GET", "/api/audit-log?action=api_key.created")).body.entries;
  assert.deepEqual(entry.details.changes[1], { setting: "forms", from: null, to: [one] });

  assert.equal((await account.request("DELETE", `/api/forms/${one}?confirm=DELETE_FORM`)).status, 200);
  assert.deepEqual((await ask("GET", "/api/forms")).body.forms, [], "a key outlives its form, and does nothing");
});

test("a key is refused from its end on with a sentence of its own, and where no key is taken as every key", async (t) => {
  const { clock, service, account, createKey, textOf } = await start(t);
  const expiresAt = textOf(hour);
  const created = await createKey({ expiresAt });
  assert.deepEqual([created.status, created.body.key.expiresAt], [200, expiresAt]);
  const ask = (path: string) => service.request("GET", path, { token: created.body.key.key });
  clock.advance(hour - 1);
  assert.equal((await ask("/api/forms")).status, 200);
  clock.advance(1);
  const refused = await ask("/api/forms");
  assert.deepEqual(
    [refused.status, refused.body, refused.headers.get("www-authenticate")],
    [
      401,
      { error: "unauthorized", message: "This API key has expired. Create a new one.", code: "api_key_expired" },
      "Bearer",
    ],
  );
  assert.deepEqual((await ask("/api/api-keys")).body, {
    error: "Invalid or missing authentication",
    code: "credential_invalid",
  });
  const [listed] = (await account.request("GET", "/api/api-keys")).body.keys;
  assert.equal(listed.expiresAt, expiresAt, "it is listed until somebody revokes it");
});

test("what limits no key is refused, and makes none; null is no limit", async (t) => {
  const { account, other, createKey, textOf } = await start(t);
  const foreign = await createForm(other, "Foreign");
  const wrong: readonly (readonly [body: object, code: string])[] = [
    [{ forms: "form_1" }, "api_key_forms_no_list"],
    [{ forms: [] }, "api_key_forms_missing"],
    [{ forms: ["form_1"] }, "api_key_forms_unknown"],
    [{ forms: [foreign] }, "api_key_forms_unknown"],
    [{ forms: [createId("form")] }, "api_key_forms_unknown"],
    [{ forms: Array.from({ length: 101 }, () => createId("form")) }, "too_many_api_key_forms"],
    [{ expiresAt: 5 }, "api_key_end_no_time"],
    [{ expiresAt: "tomorrow" }, "api_key_end_no_time"],
    [{ expiresAt: "2027-13-45T00:00:00Z" }, "api_key_end_no_time"],
    [{ expiresAt: "2999-02-30T00:00:00Z" }, "api_key_end_no_time"],
    [{ expiresAt: "2999-01-31T24:00:00+01:00" }, "api_key_end_no_time"],
    [{ expiresAt: textOf(0) }, "api_key_end_past"],
  ];
  for (const [body, code] of wrong) {
    const refused = await createKey(body);
    assert.deepEqual([refused.status, refused.body.code], [400, code], JSON.stringify(body));
  }
  const { body } = await createKey({ forms: null, expiresAt: null });
  assert.deepEqual(Object.keys(body.key), ["id", "name", "key", "permissions", "createdAt"]);
  assert.equal((await account.request("GET", "/api/api-keys")).body.total, 1);
});

test("owners are notified once of a key that ends within a week", async (t) => {
  const { clock, service, account, createKey, textOf } = await start(t);
  for (const days of [3, 30]) assert.equal((await createKey({ expiresAt: textOf(days * 24 * hour) })).status, 200);
  await createKey({});
  const sent: SecurityMail[] = [];
  const remind = () =>
    remindOfKeys(service.database, clock.now(), {
      ...{ hasMail: true, sendSecurityMail: async (_target, mail) => void sent.push(mail) },
    });
  assert.equal(await remind(), true);
  assert.equal(await remind(), false);
  assert.deepEqual(
    sent.map(({ accountId, event }) => [accountId, event]),
    [[account.id, "api_key_ends"]],
  );
  clock.advance(25 * 24 * hour);
  while (await remind());
  assert.equal(sent.length, 2, "and of one that has ended already, of none");
});
