import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startServiceProcess } from "../../../tests/support/service-process.ts";
import { signUpForToken } from "../../../tests/support/sign-up.ts";
import { showCode } from "./accounts/testing/authenticator.ts";
import { createForm } from "./forms/testing/test-form.ts";
import { createUsageStore } from "./quotas/usage-store.ts";
import { findFreePort } from "./testing/postgres-server.ts";
import { runCommand } from "./testing/run-command.ts";
import { createTemporaryFolder } from "./testing/temporary-folder.ts";
import { createTestDatabase, onEither, onSqlite } from "./testing/test-database.ts";
import { createTestService, type TestService } from "./testing/test-service.ts";

const password = "correct horse battery";

async function settings(t: TestContext, folder: string): Promise<Record<string, string>> {
  return { SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) };
}

function signIn(service: TestService, email: string, attempt: string) {
  return service.request("POST", "/api/auth/sign-in/email", { body: { email, password: attempt } });
}

test("an account made by the operator signs in, alongside a running service and with sign-up closed", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, environment: { SEALPOST_SIGNUP: "closed" } });
  const environment = { ...(await settings(t, folder)), SEALPOST_DEFAULT_PLAN: "starter" };
  const made = await runCommand(["account", "create", "--email", "one@example.com"], environment, {
    input: `${password}\n`,
  });
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^Created acc_[0-9a-z]{26} for one@example\.com on the starter plan\n$/);
  assert.equal((await signIn(service, "one@example.com", password)).status, 200);

  const again = await runCommand(["account", "create", "--email", "ONE@example.com"], environment, {
    input: `${password}\n`,
  });
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.equal(again.stderr, "There is an account for ONE@example.com already\n");
});

test("the start names the way to the first account that is open: the set-up page, or the command when sign-up is closed", async (t) => {
  for (const [signUp, way] of [
    ["first", /There is no account yet\. Create the first one at http:\S+\/setup\?token=\S+$/],
    [
      "closed",
      /There is no account yet\. Sign-up is closed: create one with sealpost-server account create --email \S+$/,
    ],
  ] as const) {
    const folder = createTemporaryFolder(t);
    const environment = { ...(await settings(t, folder)), SEALPOST_PORT: "0", SEALPOST_SIGNUP: signUp };
    const { child, output } = await startServiceProcess(environment);
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    assert.match(output(), way);
  }
});

test("a service that makes hybrid keys prints no warning about them", async (t) => {
  const folder = createTemporaryFolder(t);
  const environment = { ...(await settings(t, folder)), SEALPOST_PORT: "0" };
  const service = await startServiceProcess(environment);
  t.after(() => service.kill());
  const answer = await fetch(`${service.url}/api/forms`, {
    method: "POST",
    headers: { authorization: `Bearer ${await signUpForToken(service)}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Contact", hybrid: true }),
  });
  assert.match(await answer.text(), /"hybridPrivateKey":/);
  const closed = once(service.child, "close");
  service.child.kill("SIGTERM");
  await closed;
  assert.doesNotMatch(service.output(), /Warning/);
  // Node itself would.
  const control = spawnSync(process.execPath, ["-e", 'SubtleCrypto.supports("encapsulateBits", "MLKEM768-X25519")']);
  assert.match(control.stderr.toString(), /ExperimentalWarning: .*Web Crypto API/);
});

test("account list names every account with what it stores and may store, for people and for programs", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const [one, two] = [await service.signUp("one@example.com"), await service.signUp("two@example.com")];
  for (const bytes of [100_000_000, 168_435_456]) {
    const formId = await createForm(one, { encryption: false });
    await service.database.updateTable("form_count").set({ bytes }).where("form_id", "=", formId).execute();
  }
  const environment = { ...(await settings(t, folder)), SEALPOST_QUOTAS: "on" };
  const another: string = (await one.request("POST", "/api/organizations", { name: "Another" })).body.organization.id;
  for (const said of ["is an operator now", "is an operator already", "is no operator any more", "is no operator"]) {
    const state = said.includes(" no ") ? "off" : "on";
    const named = await runCommand(["account", "operator", "two@example.com", state], environment);
    assert.deepEqual([named.code, named.stdout], [0, `${two.id} (two@example.com) ${said}\n`]);
  }
  assert.equal((await runCommand(["account", "operator", "two@example.com", "on"], environment)).code, 0);
  const storedBy = async (id: string) => {
    const { bytes, otherBytes } = await createUsageStore(service.database).findAccount(id);
    // Forms, keys and entries of the log.
    assert.ok(otherBytes > 0 && otherBytes < 20_000, String(otherBytes));
    return bytes + otherBytes;
  };
  const [first, second, third] = [await storedBy(one.id), await storedBy(two.id), await storedBy(another)];
  const list = await runCommand(["account", "list"], environment);
  assert.deepEqual(
    [list.code, list.stderr, list.stdout],
    [
      0,
      "",
      `${one.id}\tone@example.com\tfree\t${first}\t1073741824\t25 %\t-\t-\n${two.id}\ttwo@example.com\tfree\t${second}\t1073741824\t0 %\toperator\t-\n${another}\t-\tfree\t${third}\t1073741824\t0 %\t-\t-\n`,
    ],
  );
  const json = await runCommand(["account", "list", "--json"], { ...environment, SEALPOST_QUOTAS: "off" });
  assert.deepEqual(
    json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      {
        id: one.id,
        email: "one@example.com",
        plan: "free",
        bytes: first,
        bytesMax: null,
        operator: false,
        disabled: false,
      },
      {
        id: two.id,
        email: "two@example.com",
        plan: "free",
        bytes: second,
        bytesMax: null,
        operator: true,
        disabled: false,
      },
      { id: another, email: null, plan: "free", bytes: third, bytesMax: null, operator: false, disabled: false },
    ],
  );
});

test("set-plan moves an account to another plan, and says so when there is no such account", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp("one@example.com");
  const environment = await settings(t, folder);
  const set = await runCommand(["account", "set-plan", "--email", "one@example.com", "--plan", "pro"], environment);
  assert.equal(set.code, 0, set.stderr);
  assert.equal(set.stdout, `${account.id} (one@example.com) is on the pro plan\n`);
  const names = Array.from({ length: 6 }, (_, index) => `Key ${index}`);
  for (const name of names) assert.equal((await account.request("POST", "/api/api-keys", { name })).status, 200);

  const unknown = await runCommand(["account", "set-plan", "--email", "two@example.com", "--plan", "pro"], environment);
  assert.deepEqual([unknown.code, unknown.stderr], [1, "There is no account for two@example.com\n"]);
});

test("reset-password lets the new password in, keeps the old out, ends every session and revokes every API key", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const [account, other] = [await service.signUp("one@example.com"), await service.signUp("two@example.com")];
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const reset = await runCommand(
    ["account", "reset-password", "--email", "one@example.com"],
    await settings(t, folder),
    { input: "another horse battery\n" },
  );
  assert.equal(reset.code, 0, reset.stderr);
  assert.equal(
    reset.stdout,
    `${account.id} (one@example.com) has another password, and its sessions have ended; API keys revoked: 1\n`,
  );
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
  assert.equal((await signIn(service, "one@example.com", password)).status, 401);
  assert.equal((await signIn(service, "one@example.com", "another horse battery")).status, 200);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 401);
  assert.equal((await other.request("GET", "/api/forms")).status, 200);
  assert.equal((await signIn(service, "two@example.com", password)).status, 200);
});

test("an account is disabled, enabled, verified, signed out and its API keys revoked from the command line", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp("one@example.com");
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const environment = await settings(t, folder);
  const order = async (...parameters: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(["account", ...parameters], environment);
    return [code, stdout || stderr];
  };
  const byKey = async () => (await service.request("GET", "/api/forms", { token: key })).status;
  const who = `${account.id} (one@example.com)`;
  const one = ["--email", "one@example.com"];
  assert.deepEqual(await order("disable", ...one), [0, `${who} is disabled\n`]);
  assert.deepEqual([(await account.request("GET", "/api/forms")).status, await byKey()], [401, 401]);
  const refused = await signIn(service, "one@example.com", password);
  assert.deepEqual([refused.status, refused.body.error], [403, "forbidden"]);
  assert.match(refused.body.message, /^This account is disabled/);
  assert.equal((await signIn(service, "one@example.com", "wrong horse battery")).status, 401);
  assert.deepEqual(await order("disable", ...one), [0, `${who} is disabled already\n`]);
  assert.deepEqual(await order("enable", ...one), [0, `${who} is enabled again\n`]);
  assert.deepEqual(await order("enable", ...one), [0, `${who} is enabled already\n`]);
  assert.deepEqual([(await account.request("GET", "/api/forms")).status, await byKey()], [401, 200]);
  assert.equal((await signIn(service, "one@example.com", password)).status, 200);
  assert.deepEqual(await order("end-sessions", ...one), [0, `Sessions of ${who} ended: 1\n`]);
  assert.deepEqual(await order("revoke-keys", ...one), [0, `API keys of ${who} revoked: 1\n`]);
  assert.equal(await byKey(), 401);
  assert.deepEqual(await order("verify", ...one), [0, `${who} is verified already\n`]);
  assert.deepEqual(await order("enable", "--email", "nobody@example.com"), [
    1,
    "There is no account for nobody@example.com\n",
  ]);
  assert.equal((await order("disable"))[0], 2);
  const entries = await service.database.selectFrom("audit_entry").select(["action", "actor", "account_id"]).execute();
  const byOperator = entries.filter(({ actor }) => actor === "operator");
  const recorded = (isOf: (accountId: string) => boolean) =>
    byOperator.flatMap(({ action, account_id }) => (isOf(account_id) ? [action] : [])).toSorted();
  const both = ["account.disabled", "account.enabled", "account.sessions_ended"];
  assert.deepEqual(
    recorded((id) => id === account.id),
    [...both, "api_key.revoked"],
  );
  assert.deepEqual(
    recorded((id) => id === "instance"),
    [...both, "account.keys_revoked"].toSorted(),
  );
});

test("reset-second-factor makes the password enough again, tells the audit log, and ends nothing", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp("one@example.com");
  const headers = { cookie: account.cookie, origin: service.url };
  const enabled = await service.request("POST", "/api/auth/two-factor/enable", { headers, body: { password } });
  const body = { code: showCode(enabled.body.totpURI) };
  const verified = await service.request("POST", "/api/auth/two-factor/verify-totp", { headers, body });
  assert.equal(verified.status, 200);
  const cookie = verified.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  assert.equal((await signIn(service, "one@example.com", password)).body.twoFactorRedirect, true);
  const environment = await settings(t, folder);
  const reset = await runCommand(["account", "reset-second-factor", "--email", "one@example.com"], environment);
  assert.equal(reset.code, 0, reset.stderr);
  assert.equal(reset.stdout, `${account.id} (one@example.com) has no second factor any more\n`);
  assert.equal(typeof (await signIn(service, "one@example.com", password)).body.token, "string");
  const own = { cookie, "sec-fetch-site": "same-origin" };
  const { entries } = (await service.request("GET", "/api/audit-log", { headers: own })).body;
  assert.ok(
    entries.some(
      (entry: { action: string; actor: { type: string } }) =>
        entry.action === "second_factor.reset" && entry.actor.type === "operator",
    ),
  );
  const again = await runCommand(["account", "reset-second-factor", "--email", "one@example.com"], environment);
  assert.deepEqual([again.code, again.stderr], [1, "The account for one@example.com has no second factor\n"]);
});

test("a password that is too short, too long or missing changes nothing and ends with 1", async (t) => {
  const folder = createTemporaryFolder(t);
  const environment = await settings(t, folder);
  for (const input of ["", "\n", "short\n", `${"p".repeat(129)}\n`]) {
    const made = await runCommand(["account", "create", "--email", "one@example.com"], environment, { input });
    assert.equal(made.code, 1, JSON.stringify(input));
    assert.match(made.stderr, /password/);
    assert.ok(!made.stderr.includes("    at "), "no stack");
  }
  const service = await createTestService(t, { folder });
  assert.equal((await signIn(service, "one@example.com", "short")).status, 401);
});

test("wrong arguments and a wrong configuration end with 2, before anything is made", onEither, async (t) => {
  const folder = join(createTemporaryFolder(t), "data");
  const environment = { SEALPOST_DATA: folder };
  for (const parameters of [
    ["nonsense"],
    ["--nonsense"],
    ["account"],
    ["account", "nonsense"],
    ["account", "create"],
    ["account", "create", "--email", "nobody"],
    ["account", "create", "--email", "one@example.com", "--plan", "gold"],
    ["account", "create", "--email", "one@example.com", "--password", "on the command line"],
    ["account", "set-plan", "--email", "one@example.com"],
    ["account", "reset-password"],
    ["account", "reset-second-factor"],
  ]) {
    const outcome = await runCommand(parameters, environment);
    assert.deepEqual([outcome.code, outcome.stdout], [2, ""], parameters.join(" "));
    assert.notEqual(outcome.stderr, "");
  }
  const configuration = await runCommand(
    ["account", "create", "--email", "one@example.com"],
    {
      ...environment,
      ...{ SEALPOST_PORT: "high", SEALPOST_SIGNUP: "maybe", SEALPOST_TRUSTED_PROXIES: "0.0.0.0/0" },
    },
    { input: `${password}\n` },
  );
  assert.equal(configuration.code, 2);
  for (const name of ["SEALPOST_PORT", "SEALPOST_SIGNUP", "SEALPOST_TRUSTED_PROXIES"])
    assert.match(configuration.stderr, new RegExp(`^  ${name} `, "m"));
  assert.ok(!existsSync(folder));
});

test(
  "--help of every command says what it does, its exit codes and an example, and ends with 0",
  onEither,
  async () => {
    const commands = [
      [],
      ["serve"],
      ["copy"],
      ["account"],
      ["account", "create"],
      ["account", "set-plan"],
      ["account", "reset-password"],
      ["account", "reset-second-factor"],
    ];
    for (const command of commands) {
      const help = await runCommand([...command, "--help"], {});
      assert.deepEqual([help.code, help.stderr], [0, ""], command.join(" "));
      assert.match(help.stdout, /^Usage: sealpost-server/);
      assert.match(help.stdout, /Exit codes:\n {2}0 {2}done\n/);
      if (command.length !== 1) assert.match(help.stdout, /Examples?:\n {2}/, command.join(" "));
      for (const line of help.stdout.split("\n")) assert.ok(line.length <= 100, line);
    }
    assert.match(
      (await runCommand(["--version"], {})).stdout,
      /^[0-9]+\.[0-9]+\.[0-9]+ \(pre-release: formats and tables may change until 0\.2\.0\)\n$/,
    );
  },
);

test(
  "a data folder is served once: a second service says so and ends, and the next one starts after a crash",
  onSqlite,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const first = await startServiceProcess({ SEALPOST_DATA: folder, SEALPOST_PORT: "0" });
    t.after(() => first.kill());
    const second = await runCommand(["serve"], { SEALPOST_DATA: folder, SEALPOST_PORT: "0" });
    assert.deepEqual([second.code, second.stdout], [1, ""]);
    assert.match(second.stderr, /^The data folder \S+ is in use: another sealpost-server serves or copies it\n$/);
    await first.kill();
    const third = await startServiceProcess({ SEALPOST_DATA: folder, SEALPOST_PORT: "0" });
    await third.kill();
  },
);

test("several processes need PostgreSQL, and a database that is not there is said to be away", async (t) => {
  const folder = createTemporaryFolder(t);
  const many = await runCommand(["serve", "--processes", "2"], { SEALPOST_DATA: folder });
  assert.deepEqual([many.code, many.stdout], [2, ""]);
  assert.match(many.stderr, /--processes needs SEALPOST_DATABASE_URL/);
  const away = await runCommand(["serve"], {
    SEALPOST_DATA: folder,
    SEALPOST_SECRET: Buffer.alloc(32).toString("base64"),
    SEALPOST_DATABASE_URL: `postgres://127.0.0.1:${await findFreePort()}/nothing`,
  });
  assert.equal(away.code, 1);
  assert.match(away.stderr, /^The database does not answer: .*ECONNREFUSED/);
});
