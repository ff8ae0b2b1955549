import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { type AccountId, verifyService } from "@sealpost/wire";
import { sql } from "kysely";
import { showCode } from "../accounts/testing/authenticator.ts";
import { type Config, parseConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { openInstance } from "../instance/instance.ts";
import { sealedColumns } from "../instance/key-purposes.ts";
import { sealedPrefix } from "../instance/secret-box.ts";
import { loadSecrets } from "../instance/secret-file.ts";
import { listSecretKeys } from "../instance/secret-key-store.ts";
import { createMailStore } from "../mail/mail-store.ts";
import { listTables } from "../testing/list-tables.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import {
  createTestDatabase,
  onPostgres,
  onSqlite,
  openTestDatabase,
  testDatabaseKind,
} from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import type { Pass } from "./sealed-value-store.ts";
import { dropFormerSecrets, readSecretStatus, rotateSecret } from "./secret-administration.ts";

const authority = await createAuthority();
const password = "correct horse battery";
const secretMilliseconds = 20;
const quiet = { onStep: () => {}, onBatch: () => {} };

interface Bench {
  readonly folder: string;
  readonly database: Database;
  /** Starts the service with the secrets of now. */
  start(): Promise<TestService>;
  config(): Promise<Config>;
  /** The same as the environment of a command. */
  environment(): Record<string, string>;
  /** On PostgreSQL the operator writes secrets, the newest first; in a data folder the command does. */
  configure(...secrets: readonly string[]): void;
  /** The configured one from the beginning. */
  readonly first: string;
}

async function createBench(t: TestContext): Promise<Bench> {
  const folder = createTemporaryFolder(t);
  const { SEALPOST_SECRET: first = "", ...urls } = await createTestDatabase(t, folder);
  let environment: Record<string, string> = testDatabaseKind === "sqlite" ? {} : { SEALPOST_SECRET: first };
  // As the first start does, before there is a database.
  if (testDatabaseKind === "sqlite") loadSecrets(undefined, folder);
  const settings = () => ({ ...environment, SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
  return {
    folder,
    first,
    database: await openTestDatabase(t, folder),
    start: () =>
      createTestService(t, {
        ...{ folder, secretMilliseconds, environment: settings() },
        deliveries: { ca: authority.ca },
      }),
    config: async () => parseConfig({ ...urls, ...settings(), SEALPOST_DATA: folder }),
    environment: () => ({ ...urls, ...settings(), SEALPOST_DATA: folder }),
    configure(...secrets) {
      if (testDatabaseKind !== "sqlite") environment = { SEALPOST_SECRET: secrets.join(",") };
    },
  };
}

/** Whether a column has a value under a key of this number. */
async function countSealed(database: Database, number: number, table: string, column: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where cast(${sql.ref(column)} as text) like ${`%${sealedPrefix(number)}%`}
      or cast(${sql.ref(column)} as text) like ${`%$ba$${number}$%`}`.execute(database);
  return Number(rows[0]?.count);
}

/** Every place of the whole database that has something under this number, whether it is declared or not. */
async function findSealed(database: Database, number: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of await listTables(database)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database);
    for (const row of rows)
      for (const [name, value] of Object.entries(row))
        if (typeof value === "string" && (value.includes(sealedPrefix(number)) || value.includes(`$ba$${number}$`)))
          found.push(`${table}.${name}`);
  }
  return [...new Set(found)].toSorted();
}

/** Something in every sealed column, of an account with a second factor whose form has three webhook secrets. */
async function fill(t: TestContext, bench: Bench, service: TestService) {
  const { request, url } = service;
  const account = await service.signUp("owner@example.com");
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => response.writeHead(204).end(),
  });
  const form = await createForm(account, { webhookUrl: receiver.url });
  const path = (rest: string) => `/api/forms/${form}/${rest}`;
  const secretsSoFar = [(await account.request("GET", path("webhook-secret"))).body.secret];
  for (let count = 0; count < 2; count++)
    secretsSoFar.unshift((await account.request("POST", path("webhook-secret/rotate"))).body.secret);
  const enabled = await request("POST", "/api/auth/two-factor/enable", {
    body: { password },
    headers: { origin: url, cookie: account.cookie },
  });
  const { totpURI: uri, backupCodes } = enabled.body;
  const { config, database } = bench;
  const { secrets, dataFolder } = await config();
  const { secretBox } = await openInstance(database, loadSecrets(secrets, dataFolder), Date.now());
  const emails = createMailStore(database, secretBox);
  await emails.addReset(account.id as AccountId, "token-of-a-link", Date.now());
  const verified = await request("POST", "/api/auth/two-factor/verify-totp", {
    body: { code: showCode(uri) },
    headers: { origin: url, cookie: account.cookie },
  });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  const cookie = verified.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { account, cookie, form, path, receiver, secrets: secretsSoFar, uri: String(uri), backupCodes, used: 0 };
}
type Filled = Awaited<ReturnType<typeof fill>>;

/** Everything that was filled opens, and what is signed is signed as before. Gives the session's cookie from then on. */
async function holdsAll(service: TestService, bench: Bench, filled: Filled): Promise<void> {
  const { path, receiver, secrets: webhookSecrets, uri, backupCodes } = filled;
  const headers = () => ({ cookie: filled.cookie, origin: service.url });
  const kept = await service.request("GET", path("webhook-secret"), { headers: headers() });
  assert.deepEqual([kept.status, kept.body.secret], [200, webhookSecrets[0]], "the session and the webhook's secret");
  const renewed = kept.headers.getSetCookie()[0]?.split(";")[0];
  if (renewed !== undefined) filled.cookie = renewed;
  const sent = await service.request("POST", path("webhook/test"), { headers: headers() });
  assert.equal(sent.body.success, true, JSON.stringify(sent.body));
  const { body, headers: signed } = receiver.requests.at(-1) ?? {};
  const signature = String(signed?.["x-service-signature"]);
  // Which of them it begins with is what receivers have accepted last.
  assert.ok(
    await verifyService(webhookSecrets, Uint8Array.from(body ?? []), signature),
    "signed with a secret of then",
  );
  const begun = await service.request("POST", "/api/auth/sign-in/email", {
    body: { email: "owner@example.com", password },
    headers: { origin: service.url },
  });
  const challenge = begun.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const code = backupCodes[filled.used];
  filled.used += 1;
  const entered = await service.request("POST", "/api/auth/two-factor/verify-backup-code", {
    body: { code },
    headers: { origin: service.url, cookie: challenge },
  });
  assert.equal(entered.status, 200, JSON.stringify(entered.body));
  assert.match(uri, /^otpauth:/);
  const issued = await service.request("GET", "/api/auth/token", { headers: headers() });
  assert.equal(issued.status, 200, "the key that signs session tokens");
  const { secrets, dataFolder } = await bench.config();
  const { secretBox } = await openInstance(bench.database, loadSecrets(secrets, dataFolder), Date.now());
  const { details, id } = await bench.database
    .selectFrom("mail")
    .select(["id", "details"])
    .where("kind", "=", "password_reset")
    .executeTakeFirstOrThrow();
  assert.equal(secretBox.sealer("mail").open(JSON.parse(details).token, `mail/${id}`), "token-of-a-link");
}

test("a rotation that is killed half-way continues, loses nothing, and leaves nothing under the old number", async (t) => {
  const bench = await createBench(t);
  const { database } = bench;
  const before = await bench.start();
  const filled = await fill(t, bench, before);
  for (const { table, column } of sealedColumns)
    assert.ok((await countSealed(database, 1, table, column)) > 0, `nothing is sealed in ${table}.${column}`);
  await before.stop();
  const next = randomBytes(32).toString("base64");
  bench.configure(next, bench.first);

  // Killed after the first column: all others are still under the old number.
  const killed = rotateSecret(await bench.config(), {
    onStep: () => {},
    onBatch() {
      throw new Error("killed");
    },
  });
  await assert.rejects(killed, /killed/);
  assert.ok((await findSealed(database, 1)).length > 0);
  assert.ok((await findSealed(database, 2)).length > 0);
  const states = async () => (await listSecretKeys(database)).map(({ state }) => state);
  assert.deepEqual(await states(), ["former", "active"]);

  // The service continues it, while it serves.
  const during = await bench.start();
  await holdsAll(during, bench, filled);
  await rotateSecret(await bench.config(), quiet);
  assert.deepEqual(await states(), ["spent", "active"]);
  await holdsAll(during, bench, filled);
  const status = await readSecretStatus(await bench.config());
  assert.deepEqual(
    status.uses.map(({ values }) => values),
    [0, undefined],
  );
  await dropFormerSecrets(await bench.config());
  await during.stop();

  bench.configure(next);
  assert.equal(loadSecrets((await bench.config()).secrets, bench.folder).length, 1);
  assert.deepEqual(await findSealed(database, 1), []);
  assert.deepEqual(await states(), ["dropped", "active"]);
  const after = await bench.start();
  await holdsAll(after, bench, filled);
  for (const { table, column } of sealedColumns)
    assert.ok((await countSealed(database, 2, table, column)) > 0, `nothing is left in ${table}.${column}`);
  await after.stop();

  bench.configure(bench.first, next);
  if (testDatabaseKind === "postgres") await (await bench.start()).stop();
  bench.configure(bench.first);
  if (testDatabaseKind === "postgres") await assert.rejects(bench.start(), /lacks the secret of key 2 \(check .{8}\)/);
});

test("a rotation that is ended by kill -9 after any of its batches is run again, and everything opens", async (t) => {
  const bench = await createBench(t);
  const before = await bench.start();
  const filled = await fill(t, bench, before);
  await before.stop();
  bench.configure(randomBytes(32).toString("base64"), bench.first);
  const program = join(import.meta.dirname, "testing/killed-rotation.ts");
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  let kills = 0;
  for (let batch = 1; ; batch++) {
    const parameters = ["--conditions=@sealpost/source", program, String(batch)];
    const child = spawn(process.execPath, parameters, { env: { ...inherited, ...bench.environment() } });
    const errors = text(child.stderr);
    const [code, signal] = await once(child, "exit");
    if (code === 0) break;
    assert.equal(signal, "SIGKILL", await errors);
    kills += 1;
    assert.ok((await findSealed(bench.database, 2)).length > 0, "what was sealed again stays so");
  }
  assert.ok(kills >= 3, `a control: ${kills} kills`);
  assert.deepEqual(await findSealed(bench.database, 1), []);
  const after = await bench.start();
  await holdsAll(after, bench, filled);
});

test("while the service runs, the secret in its data folder is changed without a restart", onSqlite, async (t) => {
  const bench = await createBench(t);
  const service = await bench.start();
  const filled = await fill(t, bench, service);
  const steps: string[] = [];
  const spent = await rotateSecret(await bench.config(), { ...quiet, onStep: (line) => steps.push(line) });
  assert.deepEqual(
    spent.map(({ number }) => number),
    [1],
  );
  assert.equal(readFileSync(join(bench.folder, "secret"), "utf8").trim().split("\n").length, 2);
  await holdsAll(service, bench, filled);
  assert.deepEqual(await findSealed(bench.database, 1), []);
  await dropFormerSecrets(await bench.config());
  // Until it has seen that, it takes what the former secret has signed.
  await holdsAll(service, bench, filled);
});

test("nothing is sealed with a new secret before every process has it", onPostgres, async (t) => {
  const bench = await createBench(t);
  const old = await bench.start();
  const next = randomBytes(32).toString("base64");
  bench.configure(next, bench.first);
  const restarted = await bench.start();
  const rotate = async (patienceMilliseconds: number) =>
    rotateSecret(await bench.config(), { ...quiet, patienceMilliseconds });
  await assert.rejects(rotate(100), /These lack the secret of key 2 .*: process \d+ on .* start them again with both/);
  const filled = await fill(t, bench, restarted);
  assert.deepEqual(await findSealed(bench.database, 2), []);
  await holdsAll(old, bench, filled);
  await old.stop();
  const second = await bench.start();
  await rotate(60_000);
  assert.deepEqual(await findSealed(bench.database, 1), []);
  for (const service of [restarted, second]) await holdsAll(service, bench, filled);
});

test(
  "a former secret that is missing, wrong or out of order stops the start, which says which one is needed",
  onPostgres,
  async (t) => {
    const bench = await createBench(t);
    await (await bench.start()).stop();
    const [next = "", other = ""] = [1, 2].map(() => randomBytes(32).toString("base64"));
    const refused = async (secrets: readonly string[], wanted: RegExp) => {
      bench.configure(...secrets);
      await assert.rejects(bench.start(), wanted);
    };
    await refused([next], /is not the one that this database was made with/);
    await refused([bench.first, next], /number 2 of its 2 secrets is not a secret that this database ever had/);
    bench.configure(next, bench.first);
    const passes: Pass[] = [];
    await bench.database
      .insertInto("mail")
      .values({
        id: "stuck",
        kind: "keys_rotated",
        account_id: "acc",
        details: "{}",
        created_at: 0,
        expires_at: 0,
        due_at: 0,
        attempts: 0,
      })
      .execute();
    const { secretBox } = await openInstance(bench.database, [Buffer.from(bench.first, "base64")], Date.now());
    const details = JSON.stringify({ token: secretBox.sealer("mail").seal("token", "mail/stuck") });
    await bench.database.updateTable("mail").set({ details }).where("id", "=", "stuck").execute();
    await assert.rejects(
      rotateSecret(await bench.config(), {
        ...quiet,
        onBatch(pass) {
          passes.push(pass);
          throw new Error("killed");
        },
      }),
      /killed/,
    );
    await refused([next], /./);
    await refused([next, other], /number 2 of its 2 secrets|lacks the former secret, of key 1/);
    await refused([bench.first], /lacks the secret of key 2 \(check .{8}\), with which this database is sealed since/);
    await refused([other, next, bench.first].slice(0, 1), /lacks the secret of key 2/);
    bench.configure(next, bench.first);
    await (await bench.start()).stop();
  },
);
