import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, type TestContext, test } from "node:test";
import { type AccountId, verifyService } from "@sealpost/wire";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { parseConfig } from "../config/config.ts";
import { openDatabase } from "../database/database.ts";
import { migrations } from "../database/migrate.ts";
import { openSqlite } from "../database/open-sqlite.ts";
import { settings as formSettings, settingNames } from "../forms/form-settings.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import { addPerson, invite } from "../organizations/testing/test-organization.ts";
import { listTables } from "../testing/list-tables.ts";
import { runCommand } from "../testing/run-command.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite, openTestDatabase, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { type Authority, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { backUp } from "./backup.ts";
import { openBackupFile } from "./backup-file.ts";
import { restore } from "./restore.ts";
import { backUpTo, keepSecret, restoreTo, settings } from "./testing/back-up.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const allowLoopback = { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };

test("every setting of a form comes out of a backup as it went in", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, deliveries: silentWebhooks });
  const account = await service.signUp();
  const given = Object.fromEntries(settingNames.map((name) => [name, formSettings[name].examples[0]]));
  const formId = await createForm(account, given);
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  const restored = createTemporaryFolder(t);
  await restoreTo(t, restored, file, keepSecret(t, await settings(t, folder)));
  const database = openDatabase(parseConfig(await settings(t, restored)));
  closeAtEnd(t, () => database.destroy());
  assert.deepEqual((await createFormStore(database).findPublic(formId))?.form.settings, given);
});

/** With the password of then: a restore ends all sessions. */
async function signInAgain(service: TestService): Promise<string> {
  const body = { email: "owner@example.com", password: "correct horse battery" };
  const { headers } = await service.request("POST", "/api/auth/sign-in/email", { body });
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  assert.equal(issued.status, 200);
  return issued.body.token;
}

/** An instance with three submissions, its backup in a file, and its secret in another. */
async function createBackup(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp("owner@example.com");
  const form = await createForm(account, { encryption: false });
  for (let count = 0; count < 3; count++) await postPlain(service, form);
  const backups = createTemporaryFolder(t);
  const { file } = await backUpTo(t, folder, backups);
  return { folder, account, form, backups, file, secretFile: keepSecret(t, await settings(t, folder)) };
}

test("a backup taken under load is of one moment: the restored instance serves and delivers a prefix of what was accepted", async (t) => {
  const folder = createTemporaryFolder(t);
  const delivered = new Set<string>();
  const progress = new EventTarget();
  let secret = "";
  let phase: "holding" | "refusing" | "taking" = "holding";
  const held: ServerResponse[] = [];
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: async ({ body, headers }, response) => {
      // Until the backup is made nothing is delivered, and what is being sent is not known to have arrived.
      if (phase === "holding") return void held.push(response);
      response.writeHead(phase === "taking" ? 204 : 503).end();
      const signature = String(headers["x-service-signature"]);
      if (phase !== "taking" || !(await verifyService([secret], Uint8Array.from(body), signature))) return;
      delivered.add(JSON.parse(body.toString()).submission.id);
      progress.dispatchEvent(new Event("delivered"));
    },
  });
  const options = { environment: allowLoopback, deliveries: { ca: authority.ca } };
  const service = await createTestService(t, { ...options, folder });
  const account = await service.signUp("owner@example.com");
  const form = await createForm(account, { encryption: false, webhookUrl: receiver.url });
  secret = (await account.request("GET", `/api/forms/${form}/webhook-secret`)).body.secret;

  const accepted: string[][] = [[], [], [], []];
  const all = () => accepted.flat();
  let isOver = false;
  const load = accepted.map(async (ids) => {
    while (!isOver) ids.push(await postPlain(service, form, { number: String(ids.length) }));
  });
  const acceptedMore = async (more: number) => {
    const wanted = all().length + more;
    while (all().length < wanted) await service.request("GET", "/health/live");
  };
  await acceptedMore(20);
  const acceptedBefore = all();
  const file = join(createTemporaryFolder(t), "one.backup");
  const made = await runCommand(["backup", "--to", file], await settings(t, folder));
  assert.equal(made.code, 0, made.stderr);
  await acceptedMore(20);
  isOver = true;
  await Promise.all(load);
  assert.ok(held.length > 0, "the backup was made while deliveries were in flight");
  phase = "refusing";
  for (const response of held) response.writeHead(503).end();
  await service.stop();

  const secretFile = keepSecret(t, await settings(t, folder));
  const target = createTemporaryFolder(t);
  const restored = await runCommand(
    ["restore", "--from", file, "--secret-file", secretFile],
    await settings(t, target),
  );
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^Restored and compared [0-9]+ rows, as they were at 20/);
  assert.equal(restored.stderr, "", "no progress where there is no terminal");
  phase = "taking";
  const again = await createTestService(t, { ...options, folder: target });
  const token = await signInAgain(again);
  const lines = (await again.request("GET", `/api/forms/${form}/submissions/export`, { token })).body as string;
  const there = new Set(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id as string),
  );
  assert.deepEqual(
    acceptedBefore.filter((id) => !there.has(id)),
    [],
    "what was accepted before the backup began",
  );
  assert.ok(there.size < all().length, "and not what came after it");
  for (const ids of accepted) {
    const until = ids.findIndex((id) => !there.has(id));
    const missing = until === -1 ? [] : ids.slice(until);
    assert.ok(!missing.some((id) => there.has(id)), "nothing is there whose predecessor is not");
  }
  there.add(await postPlain(again, form));
  while ([...there].some((id) => !delivered.has(id)))
    await new Promise((resolve) => progress.addEventListener("delivered", resolve, { once: true }));
});

test("only its owner can read a backup, it leaves no other files, and it holds no secret", async (t) => {
  const { folder, file, backups, secretFile } = await createBackup(t);
  assert.match(file, /\/sealpost-[0-9]{8}T[0-9]{6}Z\.backup$/);
  assert.deepEqual(readdirSync(backups), [basename(file)]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const bytes = readFileSync(file);
  const secret = readFileSync(secretFile, "utf8").trim();
  assert.ok(bytes.includes("owner@example.com"), "a control: what is in it is found");
  assert.equal(bytes.includes(secret), false);
  assert.equal(bytes.includes(Buffer.from(secret, "base64")), false);
  await assert.rejects(backUpTo(t, folder, file), /exists already: a backup is never written over another file/);
  assert.deepEqual(readFileSync(file), bytes);
});

test("a restored instance has its accounts and numbers, files only its owner can read, and is never restored over", async (t) => {
  const { form, file, secretFile } = await createBackup(t);
  const folder = createTemporaryFolder(t);
  await restoreTo(t, folder, file, secretFile);
  if (testDatabaseKind === "sqlite") {
    assert.deepEqual(readdirSync(folder).sort(), ["sealpost.sqlite", "secret", "secret.lock", "serving.lock"]);
    for (const name of ["sealpost.sqlite", "secret"])
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
  const again = await createTestService(t, { folder });
  const list = async () =>
    (await again.request("GET", `/api/forms/${form}/submissions`, { token: await signInAgain(again) })).body.total;
  assert.equal(await list(), 3);
  await postPlain(again, form);
  await assert.rejects(restoreTo(t, folder, file, secretFile), /is in use|The target has this instance already/);
  assert.equal(await list(), 4);
  await again.stop();
  await assert.rejects(
    restoreTo(t, folder, file, secretFile),
    /nothing is restored over it|The target has this instance already/,
  );
});

test("a backup is restored to the other database as well", { skip: testDatabaseKind === "sqlite" }, async (t) => {
  const { form, backups, file, secretFile } = await createBackup(t);
  const dataFolder = createTemporaryFolder(t);
  const config = { dataFolder, databaseUrl: undefined, secrets: undefined };
  await restore({ config, from: file, secretFile, now: Date.now(), onProgress: () => {} });
  const second = join(backups, "second");
  await backUp({ config, to: second, now: Date.now(), onProgress: () => {} });
  const target = createTemporaryFolder(t);
  await restoreTo(t, target, second, secretFile);
  const service = await createTestService(t, { folder: target });
  const { body } = await service.request("GET", `/api/forms/${form}/submissions`, {
    token: await signInAgain(service),
  });
  assert.equal(body.total, 3);
});

/** Swaps the first two entries of a small index: two bytes each, after the eight of a leaf's header. */
function swapInIndex(path: string, index: string): void {
  const database = new DatabaseSync(path);
  const page = database.prepare("select rootpage from sqlite_master where name = ?").get(index)?.rootpage;
  const size = database.prepare("pragma page_size").get()?.page_size;
  database.close();
  const bytes = readFileSync(path);
  const leaf = bytes.subarray((Number(page) - 1) * Number(size));
  assert.equal(leaf[0], 10, "a leaf of an index");
  leaf.set(Uint8Array.of(leaf[10] ?? 0, leaf[11] ?? 0, leaf[8] ?? 0, leaf[9] ?? 0), 8);
  writeFileSync(path, bytes);
}

test("a damaged, altered or foreign file, and a wrong or absent secret, restore nothing", onSqlite, async (t) => {
  const { file, secretFile } = await createBackup(t);
  const [folder, copies] = [createTemporaryFolder(t), createTemporaryFolder(t)];
  const refused = async (from: string, secret: string | undefined, message: RegExp) => {
    await assert.rejects(restoreTo(t, folder, from, secret), message);
    assert.deepEqual(readdirSync(folder), ["serving.lock"]);
  };
  const altered = join(copies, "altered");
  copyFileSync(file, altered);
  const database = new DatabaseSync(altered);
  database.exec("update submission set received_at = received_at + 1");
  database.close();
  await refused(altered, secretFile, /The table submission is not what was written: 3 rows were, 3 are there/);
  const cut = join(copies, "cut");
  copyFileSync(file, cut);
  truncateSync(cut, statSync(cut).size - 20_000);
  await refused(cut, secretFile, /The file is not a backup of Sealpost, or it is damaged/);
  // Every row is there, but a submission would not be found by its id.
  const unsorted = join(copies, "unsorted");
  copyFileSync(file, unsorted);
  swapInIndex(unsorted, "submission_id");
  await refused(unsorted, secretFile, /The file is not a backup of Sealpost, or it is damaged/);
  const text = join(copies, "text");
  writeFileSync(text, "not a database, but as long as the header of one would have to be for that: ".repeat(20));
  await refused(text, secretFile, /The file is not a backup of Sealpost, or it is damaged/);
  const other = join(copies, "secret");
  writeFileSync(other, Buffer.alloc(32, 9).toString("base64"));
  await refused(file, other, /is not the one that this database was made with/);
  await refused(file, undefined, /A backup does not hold the secret of its instance: name its file by --secret-file/);
  await restoreTo(t, folder, file, secretFile);
});

/** A backup as the very first version would have made it: its tables, and rows of an instance. */
async function createOldBackup(t: TestContext, secret: Uint8Array): Promise<string> {
  const folder = createTemporaryFolder(t);
  const database = openSqlite(folder);
  const [first = ""] = Object.keys(migrations);
  const { error } = await new Migrator({
    db: database,
    provider: { getMigrations: async () => migrations },
  }).migrateTo(first);
  assert.equal(error, undefined);
  const rows = [
    { key: "id", value: "sealpost:old" },
    {
      key: "secret_key/0001",
      value: JSON.stringify({ number: 1, check: keyCheckOf(secret), state: "active", since: 0 }),
    },
  ];
  await database.insertInto("instance").values(rows).execute();
  const names = await listTables(database);
  await database.destroy();
  const path = join(folder, "sealpost.sqlite");
  const file = openBackupFile(path);
  const digests = Object.fromEntries(names.map((name) => [name, file.digest(name)]));
  const instance = { version: "0.0.1", migration: first, instance: "sealpost:old", createdAt: Date.now() };
  file.writeManifest({ format: 1, ...instance, tables: digests });
  file.close();
  return path;
}

test("a backup of an older version is brought up to date, one of a newer version is refused", async (t) => {
  const secretFile = join(createTemporaryFolder(t), "secret");
  const folder = createTemporaryFolder(t);
  const { SEALPOST_SECRET: given = Buffer.alloc(32, 3).toString("base64") } = await settings(t, folder);
  writeFileSync(secretFile, given);
  const old = await createOldBackup(t, Buffer.from(given, "base64"));
  await restoreTo(t, folder, old, secretFile);
  const service = await createTestService(t, { folder });
  await postPlain(service, await createForm(await service.signUp(), { encryption: false }));

  const database = new DatabaseSync(old);
  database.exec(`update backup set manifest = replace(manifest, '"0001-', '"9999-')`);
  database.close();
  await assert.rejects(
    restoreTo(t, createTemporaryFolder(t), old, secretFile),
    /made by version 0\.0\.1: restore it with that version or a newer one/,
  );
});

test("a database of another version is not backed up, and not touched", async (t) => {
  const { folder, backups } = await createBackup(t);
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(database);
  const before = readdirSync(backups);
  await assert.rejects(
    backUpTo(t, folder, join(backups, "other")),
    /belongs to another version \(9999-from-the-future\): make the backup with the version that serves it/,
  );
  assert.deepEqual(readdirSync(backups), before);
});

test("a restore ends every session and emailed link, names the API keys that it brings back, and revokes them on request", async (t) => {
  const beginning = Date.now();
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp("owner@example.com");
  const { key, id: keyId } = (await account.request("POST", "/api/api-keys", { name: "Old" })).body.key;
  const states = createAccountStateStore(service.database);
  const accountId = account.id as AccountId; // as the service answered it
  const link = await service.database
    .transaction()
    .execute((transaction) => states.createVerification(transaction, accountId, Date.now()));
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  const backedUpBefore = Date.now() + 1;
  await account.request("DELETE", `/api/api-keys/${keyId}`);
  await service.stop();
  const secretFile = keepSecret(t, await settings(t, folder));
  for (const revoking of [[], ["--revoke-keys"]]) {
    const target = createTemporaryFolder(t);
    const parameters = ["restore", "--from", file, "--secret-file", secretFile, ...revoking];
    const restored = await runCommand(parameters, await settings(t, target));
    assert.equal(restored.code, 0, restored.stderr);
    const lines = restored.stdout.trim().split("\n").slice(1);
    assert.match(lines[0] ?? "", /^Sessions, mailed links and invitations have ended/);
    if (revoking.length > 0) assert.equal(lines[1], "API keys revoked: 1");
    else assert.equal(lines[2], `  ${key.slice(0, 10)}…  owner@example.com  "Old"`);
    const again = await createTestService(t, { folder: target });
    const read = async (token: string) => (await again.request("GET", "/api/forms", { token })).status;
    assert.deepEqual([await read(account.token), await read(key)], [401, revoking.length > 0 ? 401 : 200]);
    const { useVerification } = createAccountStateStore(again.database);
    const found = await again.database
      .transaction()
      .execute((transaction) => useVerification(transaction, link, accountId, Date.now()));
    assert.equal(found, "unknown");
    const token = await signInAgain(again);
    assert.equal(await read(token), 200);
    // Its owner can see it, and when it was: not at the backup's time, after which old entries would end with the others.
    const { entries } = (await again.request("GET", "/api/audit-log?action=account.restored", { token })).body;
    assert.equal(entries.length, 1);
    const [{ actor, timestamp, details }] = entries;
    const counts = revoking.length > 0 ? { sessions: 1, keysRevoked: 1 } : { sessions: 1, keysRestored: 1 };
    assert.deepEqual([actor, details.counts], [{ type: "operator" }, counts]);
    assert.ok(beginning <= details.backupAt && details.backupAt < backedUpBefore && backedUpBefore <= timestamp);
    const revoked = (await again.request("GET", "/api/audit-log?action=api_key.revoked", { token })).body.entries;
    assert.deepEqual(
      revoked.map(({ actor: { type }, target }: { actor: { type: string }; target: object }) => [type, target]),
      revoking.length > 0 ? [["operator", { type: "api_key", id: keyId, name: "Old" }]] : [],
    );
    await again.stop();
  }
});

test("a restore makes no invitation valid again, and names the members that it brings back", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const owner = await service.signUp("owner@example.com");
  const alone = await service.signUp("alone@example.com");
  const { body: ending } = await alone.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
  const member = await addPerson(service, owner, "member@example.com", { role: "auditor" });
  const token = await invite(owner, "guest@example.com", { role: "owner" });
  await service.database.insertInto("admission").values(openAdmission(owner.id)).execute();
  await service.database.insertInto("device_request").values(openRequest(member.id)).execute();
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  const [{ id }] = (await owner.request("GET", "/api/invitations")).body.invitations;
  assert.equal((await owner.request("DELETE", `/api/invitations/${id}`)).status, 200);
  assert.equal((await owner.request("DELETE", `/api/members/${member.id}`)).status, 200);
  await service.stop();
  const secretFile = keepSecret(t, await settings(t, folder));
  const target = createTemporaryFolder(t);
  const parameters = ["restore", "--from", file, "--secret-file", secretFile];
  const restored = await runCommand(parameters, await settings(t, target));
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(restored.stdout.trim().split("\n").slice(2), [
    "Members of organizations, also if they were removed or had another role since:",
    `  ${owner.id}  "owner@example.com"  owner`,
    `  ${owner.id}  "member@example.com"  auditor`,
    "All accounts are enabled, also if they were disabled since",
    "Deletions that had been asked for, and are called off: ask for them again",
    `  organization  ${alone.id}  "Person"  was to be deleted on ${new Date(ending.deletedAt).toISOString()}`,
    "Nothing is deleted for its age for 7 days after the start: legal holds and retention of since the backup are gone",
    "Works again as it was then, also if it was taken back or replaced since:",
    "  3 passwords, as they were then",
  ]);
  const again = await createTestService(t, { folder: target });
  const guest = await again.signUp("guest@example.com");
  const accepted = await guest.request("POST", "/api/invitations/accept", { token });
  assert.deepEqual([accepted.status, accepted.body.code], [400, "invitation_unknown"]);
  const admissions = await again.database.selectFrom("admission").select("ended_at").execute();
  assert.deepEqual([admissions.length, admissions[0]?.ended_at === null], [1, false]);
  assert.deepEqual(await again.database.selectFrom("device_request").selectAll().execute(), []);
});

const openAdmission = (organizationId: string) => ({
  id: "adm_01m8dm4ddhfz88akzkdvx78n9x",
  organization_id: organizationId,
  email: "guest@example.com",
  made_by: organizationId,
  terms: "{}",
  created_at: Date.now(),
  ends_at: Date.now() + 86_400_000,
});

const openRequest = (personId: string) => ({
  id: "dev_01m8dm4ddhfz88akzkdvx78n9x",
  person_id: personId,
  session_id: "session",
  commitment: "commitment",
  expires_at: Date.now() + 600_000,
});
