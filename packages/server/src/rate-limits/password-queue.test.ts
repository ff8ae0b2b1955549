import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { holdTurns } from "../testing/hold-turns.ts";
import { createTestService, libraryPasswords, type TestService } from "../testing/test-service.ts";
import { createPasswordQueue, runningMaxDefault } from "./password-queue.ts";

const email = "owner@example.com";
const password = "correct horse battery";

/** Follows the slow hash of passwords by Node's own account of its jobs. `before` comes when one is done. */
function watchHashes() {
  const running = new Set<number>();
  const seen = { started: 0, most: 0 };
  const hook = createHook({
    init(id, type) {
      if (type !== "SCRYPTREQUEST") return;
      running.add(id);
      seen.started += 1;
      seen.most = Math.max(seen.most, running.size);
    },
    before: (id) => running.delete(id),
  }).enable();
  return { seen, stop: () => hook.disable() };
}

function signIn(service: TestService, as: string, cookie?: string) {
  return service.request("POST", "/api/auth/sign-in/email", {
    body: { email: as, password: "not the password" },
    headers: cookie === undefined ? {} : { cookie, origin: service.url },
  });
}

test("only so many turns are taken at once, owners come before strangers, and a failure gives its turn back", async () => {
  const queue = createPasswordQueue({ runningMax: 2, waitingMax: 3 });
  const free = holdTurns(2, (work) => queue.run("stranger", work));
  const owner = createId("account");
  const order: string[] = [];
  const names = ["stranger 1", "owner 1", "stranger 2", "owner 2"] as const;
  const waiting = names.map((name) =>
    queue.run(name.startsWith("owner") ? owner : "stranger", async () => {
      order.push(name);
      throw new Error(name);
    }),
  );
  await Promise.resolve();
  assert.deepEqual(order, []);
  free();
  assert.ok((await Promise.allSettled(waiting)).every(({ status }) => status === "rejected"));
  assert.deepEqual(order, ["owner 1", "owner 2", "stranger 1", "stranger 2"]);
  // Both turns are free again.
  const freeAgain = holdTurns(2, (work) => queue.run("stranger", work));
  const third = queue.run("stranger", async () => "third");
  freeAgain();
  assert.equal(await third, "third");
});

test("one core stays free of password hashes, and one of the four threads, however many sign in at once", async (t) => {
  assert.ok(runningMaxDefault >= 1 && runningMaxDefault <= 3);
  const service = await createTestService(t, { passwords: libraryPasswords });
  const hashes = watchHashes();
  t.after(hashes.stop);
  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => signIn(service, `nobody-${index}@a.test`)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
  assert.equal(hashes.seen.started, 6);
  assert.ok(hashes.seen.most <= runningMaxDefault, `${hashes.seen.most} at once`);
});

test("while the queue is full sign-ins are put off, alike whether or not the address has an account, and visitors are not affected", async (t) => {
  const passwordQueue = createPasswordQueue({ runningMax: 1, waitingMax: 2 });
  const service = await createTestService(t, { passwordQueue, passwords: libraryPasswords });
  const account = await service.signUp(email);
  const { publicKey } = takeKeyPair();
  const settings = { encryption: false };
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact", publicKey, settings })).body;
  const known = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password } });
  const browser = known.headers.getSetCookie().find((cookie) => cookie.startsWith("sealpost_browser_"));

  const free = holdTurns(1, (work) => passwordQueue.run("stranger", work));
  const hashes = watchHashes();
  t.after(hashes.stop);
  const answers = Array.from({ length: 8 }, (_, index) => signIn(service, index % 2 === 0 ? email : `${index}@a.test`));
  const refused: unknown[] = [];
  const { promise: sixRefused, resolve } = Promise.withResolvers<void>();
  for (const answer of answers)
    void answer.then(({ status, headers, body }) => {
      if (status !== 503) return;
      refused.push([headers.get("retry-after"), body]);
      if (refused.length === 6) resolve();
    });
  await sixRefused;
  const message = "Too many passwords are being checked at this moment. Please try again.";
  for (const one of refused)
    assert.deepEqual(one, ["5", { error: "unavailable", message, code: "password_queue_full", retryAfter: 5 }]);

  const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
  const body = { id: createId("submission"), payload };
  assert.equal((await service.request("POST", `/api/forms/${form.id}/submissions`, { body })).status, 201);
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  assert.equal(hashes.seen.started, 0);

  // Strangers don't take the owner's place.
  const byOwner = signIn(service, email, browser?.split(";")[0]);
  free();
  assert.equal((await byOwner).status, 401);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [401, 401, 503, 503, 503, 503, 503, 503]);
  assert.equal(hashes.seen.started, 3);
});

test("every request that hashes a password waits for its turn, and is put off before anything is done", async (t) => {
  const passwordQueue = createPasswordQueue({ runningMax: 1, waitingMax: 0 });
  const environment = { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9", SEALPOST_MAIL_FROM: "forms@example.com" };
  const service = await createTestService(t, { passwordQueue, environment, passwords: libraryPasswords });
  const { cookie } = await service.signUp(email);
  const free = holdTurns(1, (work) => passwordQueue.run("stranger", work));
  const hashes = watchHashes();
  t.after(hashes.stop);
  const requests: readonly (readonly [path: string, body: object])[] = [
    ["/sign-up/email", { name: "Two", email: "two@example.com", password }],
    ["/sign-in/email", { email, password }],
    ["/change-password", { currentPassword: password, newPassword: "another horse battery" }],
    ["/reset-password", { token: "made-up", newPassword: "another horse battery" }],
    ["/two-factor/enable", { password }],
    ["/two-factor/generate-backup-codes", { password }],
    ["/two-factor/disable", { password }],
  ];
  const headers = { cookie, origin: service.url };
  for (const [path, body] of requests)
    assert.equal((await service.request("POST", `/api/auth${path}`, { body, headers })).status, 503, path);
  // The rest needs no turn.
  for (const path of ["/two-factor/verify-totp", "/two-factor/verify-backup-code"])
    assert.equal(
      (await service.request("POST", `/api/auth${path}`, { body: { code: "1" }, headers })).status,
      400,
      path,
    );
  assert.equal((await service.request("POST", "/api/auth/sign-out", { headers })).status, 200);
  assert.equal(hashes.seen.started, 0);
  free();
});
