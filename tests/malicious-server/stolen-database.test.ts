import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createClient, openSubmission } from "@sealpost/sdk";
import { createId, type Fields, type FormId, seal } from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

// Somebody has the database, or can write to it, but not the server secret, which is in a separate file.

/** An instance with one of everything that is secret, and its database as a thief opens it. */
async function startInstance(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp("owner@example.com");
  const client = createClient({ baseUrl: service.url, token: account.token });
  const pair = takeKeyPair();
  const forms = [];
  for (const name of ["Orders", "Votes"]) {
    const settings = { webhookUrl: "https://192.0.2.1.example/hook" };
    forms.push(await client.forms.create({ name, publicKey: pair.publicKey, settings }));
  }
  const [first, second] = forms;
  assert.ok(first !== undefined && second !== undefined);
  const database = new DatabaseSync(join(service.folder, "sealpost.sqlite"));
  t.after(() => database.close());
  return { service, account, client, pair, first, second, database };
}

type Instance = Awaited<ReturnType<typeof startInstance>>;

async function submit({ service, pair }: Instance, formId: string, fields: Fields): Promise<string> {
  const submissionId = createId("submission");
  const payload = await seal(fields, { formId: formId as FormId, keyVersion: 1, submissionId }, pair.publicKey); // the service made the id
  const body = { id: submissionId, payload, keyVersion: 1 };
  const { status } = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
  assert.equal(status, 201);
  return submissionId;
}

test("the database holds no answer, password, API key, webhook secret or usable session in the clear", async (t) => {
  const instance = await startInstance(t);
  const { service, account, client, first } = instance;
  await submit(instance, first.id, { secret: "Kupferkessel" });
  const { key } = await client.apiKeys.create({ name: "Backup" });
  const { secret } = await client.webhooks.secret(first.id);
  await client.webhooks.rotateSecret(first.id);
  const rotated = await client.webhooks.secret(first.id);
  const files = readdirSync(service.folder).filter((name) => name.startsWith("sealpost.sqlite"));
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(service.folder, name))));
  const signature = decodeURIComponent(account.cookie.split("=").slice(1).join("=")).split(".")[1] ?? "";
  assert.ok(signature.length > 20);
  const secrets = {
    answer: "Kupferkessel",
    password: "correct horse battery",
    key: key.key,
    token: account.token,
    signature,
  };
  for (const [name, text] of Object.entries(secrets)) assert.ok(!bytes.includes(text), name);
  for (const webhookSecret of [secret, rotated.secret]) {
    const base64 = webhookSecret.slice("whsec_".length);
    assert.ok(!bytes.includes(base64) && !bytes.includes(Buffer.from(base64, "base64")));
  }
  // A control: what is said not to be hidden is found by the same search.
  for (const text of ["Orders", "owner@example.com", "192.0.2.1.example"]) assert.ok(bytes.includes(text), text);
});

test("a session that was read from the database signs nobody in without the server's signature", async (t) => {
  const { service, account, database } = await startInstance(t);
  const [name = ""] = account.cookie.split("=");
  const row = database.prepare("select token from session").get();
  const token = String(row?.token);
  assert.ok(decodeURIComponent(account.cookie).includes(token), "it is the session of the cookie");
  const headers = { origin: service.url };
  const own = await service.request("GET", "/api/forms", { headers: { ...headers, cookie: account.cookie } });
  assert.equal(own.status, 200);
  for (const value of [token, `${token}.`, `${token}.${"A".repeat(43)}=`]) {
    const cookie = `${name}=${encodeURIComponent(value)}`;
    assert.equal((await service.request("GET", "/api/forms", { headers: { ...headers, cookie } })).status, 401);
  }
  assert.equal((await service.request("GET", "/api/forms", { token })).status, 401);
});

test("a webhook secret that was copied to another form in the database does not open there", async (t) => {
  const { service, account, client, first, second, database } = await startInstance(t);
  const { secret } = await client.webhooks.secret(first.id);
  database
    .prepare("update webhook set secret = (select secret from webhook where form_id = ?) where form_id = ?")
    .run(first.id, second.id);
  const { status, body } = await service.request("GET", `/api/forms/${second.id}/webhook-secret`, {
    token: account.token,
  });
  assert.equal(status, 500);
  assert.ok(!JSON.stringify(body).includes(secret));
  // The other form's own secret is as it was.
  assert.equal((await client.webhooks.secret(first.id)).secret, secret);
});

test("sealed submissions that were moved, mixed or edited in the database do not open", async (t) => {
  const instance = await startInstance(t);
  const { client, pair, first, second, database } = instance;
  const moved = await submit(instance, first.id, { vote: "yes" });
  const other = await submit(instance, first.id, { vote: "no" });
  const keys = [await importOpeningKey(pair.privateKey)];
  const openAll = async (formId: string) => {
    const opened = [];
    for await (const submission of client.submissions.export(formId))
      opened.push((await openSubmission(formId, submission, keys)).opened);
    return opened;
  };
  assert.deepEqual(await openAll(first.id), [true, true]);
  const row = database.prepare("select * from submission where id = ?").get(other);
  const blob = Object.entries(row ?? {}).find(([, value]) => value instanceof Uint8Array && value.length >= 1024);
  assert.ok(blob !== undefined, "the sealed data is one of its columns");
  database.prepare(`update submission set ${blob[0]} = ? where id = ?`).run(blob[1], moved);
  assert.deepEqual(await openAll(first.id), [false, true]);
  database.prepare("update submission set form_id = ? where id = ?").run(second.id, other);
  assert.deepEqual(await openAll(second.id), [false]);
});
