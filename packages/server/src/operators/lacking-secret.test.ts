import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createForm, postPlain, sealSubmission } from "../forms/testing/test-form.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import { secretFileOf } from "../instance/secret-file.ts";
import { activateSecretKey, addWaitingSecretKey } from "../instance/secret-key-store.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestService, testPassword } from "../testing/test-service.ts";
import { createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";

const authority = await createAuthority();

interface Operation {
  readonly security?: readonly object[];
}

/** A form with a webhook and one without sealing, and an account with each kind of credential. */
async function createScene(t: TestContext) {
  const smtp = await startSmtpServer(t);
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => response.writeHead(204).end(),
  });
  const folder = createTemporaryFolder(t);
  const { SEALPOST_SECRET: first = "" } = await createTestDatabase(t, folder);
  const lines: string[] = [];
  const start = (environment: Record<string, string> = {}) =>
    createTestService(t, {
      ...{ folder, secretMilliseconds: 10 },
      deliveries: { ca: authority.ca },
      environment: {
        SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
        ...environment,
      },
      log: { write: (line: string) => void lines.push(line), dropped: () => 0 },
    });
  const service = await start();
  const account = await service.signUp("owner@example.com");
  const form = await createForm(account, { webhookUrl: receiver.url });
  const plainForm = await createForm(account, { encryption: false });
  await postPlain(service, plainForm, { message: "hello" });
  const { body } = await account.request("POST", "/api/api-keys", { name: "key", scopes: ["forms:read"] });
  const headers = {
    nobody: {},
    token: { authorization: `Bearer ${account.token}` },
    key: { authorization: `Bearer ${body.key}` },
    cookie: { cookie: account.cookie, origin: service.url },
  };
  const next = randomBytes(32);
  return {
    ...{ service, form, plainForm, receiver, smtp, headers },
    problems: () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50),
    /** Others change the secret while this process stands still. */
    async rotateElsewhere() {
      await addWaitingSecretKey(service.database, keyCheckOf(next), Date.now());
      assert.ok(await activateSecretKey(service.database, { number: 2, check: keyCheckOf(next) }, Date.now()));
      while ((await service.request("GET", "/health/ready")).status === 200) await setTimeout(10);
    },
    /** A process that has the secret: this one, or where the operator configures it, another. */
    async findWhole(): Promise<TestService> {
      if (testDatabaseKind !== "sqlite") return start({ SEALPOST_SECRET: [next.toString("base64"), first].join(",") });
      appendFileSync(secretFileOf(folder), `${next.toString("base64")}\n`);
      while ((await service.request("GET", "/health/ready")).status !== 200) await setTimeout(10);
      return service;
    },
  };
}
type Scene = Awaited<ReturnType<typeof createScene>>;

/** The answer of each read to each kind of caller; the code of a 503. */
async function readAll({ service, plainForm, headers }: Scene): Promise<ReadonlyMap<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const [path, operations] of Object.entries(service.app.swagger().paths ?? {})) {
    const { get } = operations as { readonly get?: Operation }; // the service's own document
    if (get === undefined) continue;
    const url = `${service.url}${path.replace("{form_id}", plainForm).replaceAll(/\{\w+\}/g, "1")}`;
    for (const [caller, sent] of Object.entries(headers)) {
      const response = await fetch(url, { headers: sent, redirect: "manual" });
      const text = await response.text();
      answers.set(`${caller} ${path}`, response.status === 503 ? JSON.parse(text).code : response.status);
    }
  }
  return answers;
}

test("a process that lacks the secret says so, stores what visitors send, signs nobody out, and leaves deliveries and emails to others", async (t) => {
  const scene = await createScene(t);
  const { service, form, plainForm, receiver, smtp } = scene;
  const { database, request } = service;
  const whole = await readAll(scene);
  await scene.rotateElsewhere();

  const ready = await request("GET", "/health/ready");
  assert.deepEqual([ready.status, ready.body.code], [503, "secret_missing"]);
  assert.equal((await request("GET", "/health/live")).status, 200);

  const lacking = await readAll(scene);
  const different = [...lacking].filter(([read, answer]) => whole.get(read) !== answer);
  assert.ok(lacking.size > 150 && different.length > 30, `${different.length} of ${lacking.size}`);
  for (const [read, answer] of different) {
    assert.equal(answer, "secret_missing", read);
    assert.doesNotMatch(read, /^nobody /, "who needs no session is answered as ever");
  }

  const sealed = await request("POST", `/api/forms/${form}/submissions`, { body: await sealSubmission(form) });
  assert.equal(sealed.status, 201);
  await postPlain(service, plainForm, { message: "hello" });
  const headers = { origin: service.url };
  const email = "owner@example.com";
  for (const [route, body] of Object.entries({
    "request-password-reset": { email },
    "sign-in/email": { email, password: testPassword },
    "sign-up/email": { email: "new@example.com", password: testPassword, name: "New" },
  })) {
    const { status, body: problem } = await request("POST", `/api/auth/${route}`, { body, headers });
    assert.deepEqual([status, problem.code], [503, "secret_missing"], route);
  }
  // Longer than between two looks at the queue.
  await setTimeout(1_200);
  const queued = await database.selectFrom("delivery_queue").select(["claims", "attempt"]).execute();
  assert.deepEqual(
    queued.map(({ claims, attempt }) => [claims, attempt]),
    [[0, 1]],
  );
  assert.equal(receiver.requests.length, 0);
  assert.deepEqual(
    new Set(scene.problems().map(({ msg }) => msg)),
    new Set(["secret: this process lacks the secret of key 2: start it again with that secret", "unavailable"]),
  );

  const other = await scene.findWhole();
  while (receiver.requests.length === 0) await setTimeout(10);
  const { status } = await other.request("POST", "/api/auth/request-password-reset", {
    body: { email },
    headers: { origin: other.url },
  });
  assert.equal(status, 200);
  assert.deepEqual((await smtp.next()).to, [email]);
});
