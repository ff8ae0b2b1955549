import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { showCode, showWrongCode } from "../../server/src/accounts/testing/authenticator.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { nameOfInstance, profilePath } from "./profiles.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

const password = "correct horse battery";

function pathOf(folder: string, url: string): string {
  return profilePath({ XDG_CONFIG_HOME: join(folder, "config") }, nameOfInstance(url));
}

test("after signing in, commands work without a credential in sight, until signing out ends the session on the server", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run, folder } = createCommandLine(t);
  const login = ["login", service.url, "--email", "zoe@example.com", "--password-stdin"];
  const signedIn = await run(login, { input: `${password}\n` });
  assert.deepEqual([signedIn.code, signedIn.output], [0, ""], signedIn.errors);
  assert.match(signedIn.errors, /^Signed in to \S+ as zoe@example\.com\n$/);

  const path = pathOf(folder, service.url);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const kept = await readFile(path, "utf8");
  assert.ok(!kept.includes(password));
  const listed = await run(["forms", "list", "--json"]);
  assert.deepEqual([listed.code, listed.output], [0, "[]\n"], listed.errors);

  const signedOut = await run(["logout"]);
  assert.equal(signedOut.code, 0, signedOut.errors);
  assert.equal((await run(["forms", "list"])).code, 3);
  const { cookie } = JSON.parse(kept);
  assert.equal(
    (await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } })).status,
    401,
  );
  assert.equal((await run(["logout"])).code, 3);
});

test("a session that can't be ended keeps its profile, and signing out again ends it", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run, folder } = createCommandLine(t);
  const login = ["login", service.url, "--email", "zoe@example.com", "--password-stdin"];
  assert.equal((await run(login, { input: `${password}\n` })).code, 0);
  const { cookie } = JSON.parse(await readFile(pathOf(folder, service.url), "utf8"));
  const token = async () =>
    (await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } })).status;
  const { server } = service.app;
  const handlers = server.listeners("request") as Array<(...parameters: unknown[]) => void>; // Node's type says any function
  server.removeAllListeners("request");
  server.on("request", ({ socket }) => socket.destroy());
  const failed = await run(["logout"]);
  assert.equal(failed.code, 6, failed.errors);
  server.removeAllListeners("request");
  for (const handle of handlers) server.on("request", handle);
  assert.equal(await token(), 200);
  const signedOut = await run(["logout"]);
  assert.equal(signedOut.code, 0, signedOut.errors);
  assert.equal(await token(), 401);
});

test("a session that has ended already is signed out of", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run, folder } = createCommandLine(t);
  const login = ["login", service.url, "--email", "zoe@example.com", "--password-stdin"];
  assert.equal((await run(login, { input: `${password}\n` })).code, 0);
  const { cookie } = JSON.parse(await readFile(pathOf(folder, service.url), "utf8"));
  const headers = { cookie, origin: service.url };
  assert.equal((await service.request("POST", "/api/auth/sign-out", { body: {}, headers })).status, 200);
  const signedOut = await run(["logout"]);
  assert.equal(signedOut.code, 0, signedOut.errors);
  assert.equal((await run(["logout"])).code, 3);
});

test("a wrong password and a wrong address keep nothing", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run } = createCommandLine(t);
  const wrong = await run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], {
    input: "wrong password\n",
  });
  assert.equal(wrong.code, 3);
  assert.match(wrong.errors, /Email address or password is wrong/);
  assert.equal((await run(["login", "http://forms.example.org"])).code, 2);
  assert.equal(
    (await run(["login", "http://127.0.0.1:1", "--email", "a@b.example", "--password-stdin"], { input: "x" })).code,
    6,
  );
  assert.match((await run(["forms", "list"])).errors, /You are not signed in/);
});

test("without a terminal nothing is asked, and an empty standard input is no password", async (t) => {
  const { run } = createCommandLine(t);
  const noEmail = await run(["login", "http://127.0.0.1:1"]);
  assert.equal(noEmail.code, 2);
  assert.match(noEmail.errors, /Email address: there is no terminal to ask at/);
  assert.equal((await run(["login", "http://127.0.0.1:1", "--email", "a@b.example", "--password-stdin"])).code, 2);
});

test("a shortened key, as lists show it, is refused with a sentence and kept nowhere", async (t) => {
  const { run } = createCommandLine(t);
  const { code, errors } = await run(["login", "https://forms.example.org", "--api-key-stdin"], {
    input: "sp_live_abcd…\n",
  });
  assert.equal(code, 2);
  assert.match(errors, /is not a complete API key: .* A list shows only the beginning of a key/);
  assert.doesNotMatch(errors, /ByteString|abcd/);
  assert.match((await run(["forms", "list"])).errors, /You are not signed in/);
  const environment = { SEALPOST_URL: "https://forms.example.org", SEALPOST_TOKEN: "sp_live_abcd…" };
  assert.match((await run(["forms", "list"], { environment })).errors, /SEALPOST_TOKEN is not a complete API key/);
});

test("an ended session says so", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run, folder } = createCommandLine(t);
  await run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], { input: password });
  const { cookie } = JSON.parse(await readFile(pathOf(folder, service.url), "utf8"));
  await service.request("POST", "/api/auth/sign-out", { headers: { cookie, origin: service.url }, body: {} });
  const listed = await run(["forms", "list"]);
  assert.equal(listed.code, 3);
  assert.match(listed.errors, /Sign in with `sealpost login`/);
});

test("an account with a second factor wants a code as well: of the app, or a backup code, once", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp("zoe@example.com");
  const headers = { cookie, origin: service.url };
  const enabled = await service.request("POST", "/api/auth/two-factor/enable", { headers, body: { password } });
  const { totpURI: uri, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] };
  const body = { code: showCode(uri) };
  assert.equal((await service.request("POST", "/api/auth/two-factor/verify-totp", { headers, body })).status, 200);

  const { run } = createCommandLine(t);
  const login = (...lines: string[]) =>
    run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], { input: lines.join("\n") });
  const without = await login(password);
  assert.equal(without.code, 2);
  assert.match(without.errors, /The account has a second factor: send a code as the second line/);
  const wrong = await login(password, showWrongCode(uri));
  assert.equal(wrong.code, 3);
  assert.match(wrong.errors, /The code is wrong or too old/);
  assert.match((await run(["forms", "list"])).errors, /You are not signed in/);

  // The next one: the one that turned the second factor on is used up.
  const code = showCode(uri, Date.now() + 30_000);
  const signedIn = await login(password, `${code.slice(0, 3)} ${code.slice(3)}`);
  assert.equal(signedIn.code, 0, signedIn.errors);
  assert.equal((await run(["forms", "list"])).code, 0);
  const [backup = ""] = backupCodes;
  assert.equal((await login(password, backup)).code, 0);
  const again = await login(password, backup);
  assert.equal(again.code, 3);
  assert.match(again.errors, /The backup code is wrong or was used before/);
});
