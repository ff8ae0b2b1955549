import assert from "node:assert/strict";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { before, type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { sql } from "kysely";
import { parseConfig } from "../config/config.ts";
import { createForm, postPlain, sealSubmission } from "../forms/testing/test-form.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { noneCalledOff } from "../retention/held-back.ts";
import { beginHeldBack, holdBack } from "../retention/held-back-store.ts";
import { runCommand } from "../testing/run-command.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import {
  createTestDatabase,
  onPostgres,
  onSqlite,
  openTestDatabase,
  testDatabaseKind,
} from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { type Authority, type Certificate, createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";
import { weighAddresses } from "./check-webhook.ts";
import { examine } from "./doctor.ts";
import { type Finding, ok, problem } from "./finding.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
  setDefaultCACertificates([...getCACertificates(), authority.ca]);
});

type More = { readonly environment?: Record<string, string>; readonly clock?: Clock; readonly webhook?: string };

/** Without it each report on PostgreSQL has a warning more. */
const storageMax: Record<string, string> = testDatabaseKind === "postgres" ? { SEALPOST_STORAGE_MAX: "1TiB" } : {};

/** The doctor's findings at the instance in a folder. */
async function look(t: TestContext, folder: string, { environment, clock = systemClock, webhook }: More = {}) {
  const config = parseConfig({
    ...(await createTestDatabase(t, folder)),
    ...storageMax,
    ...{ SEALPOST_DATA: folder, SEALPOST_PORT: "0", ...environment },
  });
  return examine({ config, clock, webhook });
}

/** The messages of what is not well, each with its remedy. */
function bad(findings: readonly Finding[], level: "warning" | "problem" = "problem"): readonly string[] {
  return findings.flatMap((finding) => {
    if (finding.level === "ok") return [];
    assert.ok(finding.remedy.length > 10, finding.message);
    return finding.level === level ? [`${finding.check}: ${finding.message} → ${finding.remedy}`] : [];
  });
}

function assertOnly(found: readonly string[], ...expected: readonly RegExp[]): void {
  assert.equal(found.length, expected.length, found.join("\n"));
  for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? "", pattern);
}

async function createInstance(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp();
  const form = await createForm(account, { encryption: false });
  await postPlain(service, form);
  return { folder, service, port: new URL(service.url).port };
}

test("forms that receive although nobody has proved their key are counted, and nothing of them is named", async (t) => {
  const { folder, service } = await createInstance(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const receive = async () =>
    service.request("POST", `/api/forms/${formId}/submissions`, { body: await sealSubmission(formId) });
  const keys = async () => (await look(t, folder)).filter(({ check }) => check === "keys");
  assertOnly(bad(await keys(), "warning"));
  assert.equal((await receive()).status, 201);
  assertOnly(bad(await keys(), "warning"), /^keys: 1 form receives sealed submissions, and nobody has shown/);
  await account.request("POST", `/api/forms/${formId}/keys/1/proved`);
  assertOnly(bad(await keys(), "warning"));
});

test("accounts whose quota or whose form's is nearly used up are named by their ids, and nothing else of them", async (t) => {
  const { folder, service } = await createInstance(t);
  const quotas = async (environment: Record<string, string>) =>
    (await look(t, folder, { environment })).filter(({ check }) => check === "quotas");
  const on = { SEALPOST_QUOTAS: "on" };
  assert.deepEqual(
    (await quotas(on)).map(({ level }) => level),
    ["ok"],
  );
  const account = await service.signUp("canary@example.com");
  const formId = await createForm(account, { encryption: false }, "CanaryName");
  const fill = (bytes: number) =>
    service.database.updateTable("form_count").set({ bytes }).where("form_id", "=", formId).execute();
  await fill(430 * 1_048_576);
  const form = `${account.id}, its form ${formId} \\(84 %\\)`;
  const [near] = bad(await quotas(on), "warning");
  assert.match(
    near ?? "",
    new RegExp(`^quotas: 1 account stores four fifths or more of a quota, 0 all of it: ${form} →`),
  );
  await fill(1_073_741_824);
  const [full] = bad(await quotas(on), "warning");
  assert.match(full ?? "", new RegExp(`, 1 all of it: ${account.id} \\(100 %\\), its form ${formId} \\(200 %\\) →`));
  assert.doesNotMatch(full ?? "", /canary/i);
  assert.deepEqual(await quotas({ SEALPOST_QUOTAS: "off" }), []);
});

test("with a healthy running service the doctor finds nothing wrong and exits with 0", async (t) => {
  const { folder, port } = await createInstance(t);
  const environment = {
    ...(await createTestDatabase(t, folder)),
    ...storageMax,
    ...{ SEALPOST_DATA: folder, SEALPOST_PORT: port },
  };
  const { code, stdout, stderr } = await runCommand(["doctor"], environment);
  assert.deepEqual([code, stderr], [0, ""], stdout);
  assert.match(stdout, /^ok {7}service: A service is ready at /m);
  assert.match(stdout, /^ok {7}database: (SQLite [0-9.]+ opens the file|PostgreSQL [0-9.]+.* answers)$/m);
  assert.match(
    stdout,
    /^ok {7}sign-up: Nobody else may sign up but members whom an organization invites \(1 account\)$/m,
  );
  assert.match(stdout, /\nProblems: 0, warnings: 0\n$/);
});

test("a problem exits with 1, settings that are wrong with 2, and --json is for programs", async (t) => {
  const { folder, port } = await createInstance(t);
  const environment = { ...(await createTestDatabase(t, folder)), SEALPOST_DATA: folder, SEALPOST_PORT: port };
  const unreachable = await runCommand(["doctor", "--json", "--webhook", "http://example.com"], environment);
  assert.equal(unreachable.code, 1);
  const findings = JSON.parse(unreachable.stdout) as readonly Finding[]; // finding.ts
  assertOnly(
    bad(findings),
    /^webhook: "http:\/\/example\.com": Must be a valid HTTPS URL: one that begins with https:.* →/,
  );
  const misconfigured = await runCommand(["doctor"], { ...environment, SEALPOST_PORT: "high", SEALPOST_COLOR: "red" });
  assert.deepEqual([misconfigured.code, misconfigured.stdout], [2, ""]);
  assert.match(misconfigured.stderr, /has 2 errors:\n {2}SEALPOST_PORT is "high"/);
});

test("nothing is made by looking", onSqlite, async (t) => {
  const folder = join(createTemporaryFolder(t), "data");
  const findings = await look(t, folder);
  assert.deepEqual(bad(findings), []);
  assertOnly(bad(findings, "warning"), /^folder: There is no data folder/, /^database: There is no database/);
});

test("files that others may open are named, with the command that closes them", onSqlite, async (t) => {
  const { folder } = await createInstance(t);
  chmodSync(folder, 0o755);
  for (const name of ["secret", "sealpost.sqlite", "sealpost.sqlite-wal"]) chmodSync(join(folder, name), 0o644);
  const found = bad(await look(t, folder));
  assert.equal(found.length, 4, found.join("\n"));
  assert.match(found[0] ?? "", /\(mode 755\) → chmod 700 /);
  assert.match(found[1] ?? "", /secret \(mode 644\) → chmod 600 .*\/secret$/);
  chmodSync(folder, 0o700);
  for (const name of ["secret", "sealpost.sqlite", "sealpost.sqlite-wal"]) chmodSync(join(folder, name), 0o600);
  assert.deepEqual(bad(await look(t, folder)), []);
});

test("a secret that is missing, or another one, is a problem", async (t) => {
  const { folder, service } = await createInstance(t);
  await service.stop();
  const other = { SEALPOST_SECRET: Buffer.alloc(32, 7).toString("base64") };
  assertOnly(bad(await look(t, folder, { environment: other })), /^database: The secret .* is not the one/);
  if (testDatabaseKind === "sqlite") {
    rmSync(join(folder, "secret"));
    assertOnly(bad(await look(t, folder)), /^database: The secret of this instance is missing/);
  }
});

test("a database that is no database is a problem", onSqlite, async (t) => {
  const folder = createTemporaryFolder(t);
  writeFileSync(join(folder, "sealpost.sqlite"), "this is not a database, whatever its name says ".repeat(50), {
    mode: 0o600,
  });
  assertOnly(bad(await look(t, folder)), /^database: The database cannot be used: file is not a database → .* restore/);
});

test("a PostgreSQL that does not answer is a problem, and its password is not shown", onPostgres, async (t) => {
  const environment = { SEALPOST_DATABASE_URL: "postgres://me:canary-password@127.0.0.1:1/none" };
  const found = bad(await look(t, createTemporaryFolder(t), { environment }));
  assertOnly(found, /^database: The database cannot be used: .*ECONNREFUSED.* → Look whether PostgreSQL runs/);
  assert.ok(!found.join().includes("canary-password"));
});

test("a PostgreSQL that answers before a commit is on its disk is named, with what to set", onPostgres, async (t) => {
  const { folder, service } = await createInstance(t);
  assert.doesNotMatch(bad(await look(t, folder), "warning").join("\n"), /before a commit/);
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.database);
  await sql`alter database ${sql.id(rows[0]?.name ?? "")} set synchronous_commit = off`.execute(service.database);
  const warnings = bad(await look(t, folder), "warning").join("\n");
  assert.match(warnings, /^database: PostgreSQL answers before a commit .*alter role … set synch/m);
});

test("a database of a newer version, and a clock that is earlier than its submissions, are problems", async (t) => {
  const { folder, service } = await createInstance(t);
  const earlyClock = { now: () => Date.now() - 3_600_000 };
  const late = bad(await look(t, folder, { clock: earlyClock }));
  assert.match(late.join("\n"), /^clock: The newest submission came (59|60) minutes in the future/m);
  if (testDatabaseKind === "postgres")
    assert.match(late.join("\n"), /clock and the database's are 3[56]\d\d seconds apart/);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(
    service.database,
  );
  assertOnly(bad(await look(t, folder)), /^database: A newer version of Sealpost .*9999-from-the-future/);
});

test("each line that is well says only what was looked at: not all times, not all pages, not who signs in", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp();
  const well = async () =>
    (await look(t, folder)).flatMap(({ level, check, message }) => (level === "ok" ? [`${check}: ${message}`] : []));
  assert.match((await well()).join("\n"), /^clock: .*there is no submission to compare it with$/m);
  const form = await createForm(account, { encryption: false });
  await postPlain(service, form);
  await service.database
    .updateTable("submission")
    .set({ received_at: Date.now() + 3_600_000 })
    .execute();
  await postPlain(service, form);
  const lines = (await well()).join("\n");
  assert.match(lines, /^clock: It is \S+ here; of submissions, the last one stored is no later$/m);
  assert.doesNotMatch(lines, /no submission is from later|can sign in/);
  assert.match(
    lines,
    testDatabaseKind === "sqlite" ? /^database: SQLite \S+ opens the file$/m : /^database: PostgreSQL .* answers$/m,
  );
  const disabled = { disabled_at: Date.now() };
  await service.database.updateTable("person").set(disabled).where("id", "=", account.id).execute();
  assert.match(
    bad(await look(t, folder), "warning").join("\n"),
    /^organizations: An organization has no owner whose account is not disabled/m,
  );
});

test("a clock that jumped ahead is reported while nothing is deleted for its age", async (t) => {
  const { folder, service } = await createInstance(t);
  const [before, since] = [Date.UTC(2026, 0, 1), Date.UTC(2036, 0, 1)];
  const value = `${before} ${since} ${since + 60_000}`;
  await service.database.deleteFrom("instance").where("key", "=", "purge_clock").execute();
  await service.database.insertInto("instance").values({ key: "purge_clock", value }).execute();
  assert.match(
    bad(await look(t, folder), "warning").join("\n"),
    /^clock: The clock went from 2026-01-01T00:00:00.000Z to 2036-01-01T00:00:00.000Z: .* before 2036-01-02T00:00:00.000Z → .* NTP/m,
  );
});

test("after a restore the doctor says until when nothing is deleted for its age", async (t) => {
  const { folder, service } = await createInstance(t);
  const [since, now] = [Date.UTC(2026, 0, 1), Date.now()];
  await holdBack(service.database, { since, days: 7, calledOff: noneCalledOff });
  const report = async () => bad(await look(t, folder), "warning").join("\n");
  assert.match(
    await report(),
    /^restore: .* set back to 2026-01-01T00:00:00.000Z: .* before 7 days after the service starts → /m,
  );
  const held = await beginHeldBack(service.database, now, async () => {});
  assert.ok(held?.until !== undefined);
  assert.ok((await report()).includes(`before ${new Date(held.until).toISOString()} → `));
});

test("the doctor reports who may sign up", async (t) => {
  const { folder, service } = await createInstance(t);
  const open = await look(t, folder, { environment: { SEALPOST_SIGNUP: "open" } });
  assertOnly(bad(open, "warning"), /^sign-up: Everybody may sign up \(1 account\)/);
  const invitation = { email: "one@example.com", invitedBy: undefined, isMailed: false };
  const store = createInstanceInvitationStore(service.database);
  await service.database.transaction().execute((transaction) => store.create(transaction, invitation, Date.now()));
  const oidc = {
    SEALPOST_OIDC_ISSUER: "https://127.0.0.1:9",
    SEALPOST_OIDC_CLIENT_ID: "a",
    SEALPOST_OIDC_CLIENT_SECRET: "b",
  };
  const environment = { ...oidc, SEALPOST_BASE_URL: "https://forms.example.com" };
  const message = (await look(t, folder, { environment })).find(({ check }) => check === "sign-up")?.message ?? "";
  assert.match(message, /those whom the identity provider signs in; those who have one of 1 open invitations/);
  const fresh = createTemporaryFolder(t);
  await createTestService(t, { folder: fresh });
  assertOnly(bad(await look(t, fresh), "warning"), /^sign-up: There is no account yet → Open the set-up address/);
  const closed = await look(t, fresh, { environment: { SEALPOST_SIGNUP: "closed" } });
  assertOnly(bad(closed, "warning"), /^sign-up: There is no account yet, and sign-up is closed/);
});

test("deliveries that nobody sends are reported", async (t) => {
  const { folder, service } = await createInstance(t);
  await service.stop();
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  const { id } = await database.selectFrom("form").select("id").executeTakeFirstOrThrow();
  const row = {
    delivery_id: "dlv_1",
    form_id: id,
    destination: "acc host:443",
    attempt: 1,
    claims: 0,
    due_at: Date.now() - 900_000,
  };
  await database.insertInto("delivery_queue").values(row).execute();
  assertOnly(
    bad(await look(t, folder), "warning"),
    /^deliveries: Deliveries that are due: 1, the oldest for 15 minutes/,
  );
});

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAtEnd(t, () => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port; // it listens on TCP
}

test("another program at the service's port is a problem, and no more of its answer is read than ours have", async (t) => {
  const { folder } = await createInstance(t);
  for (const answer of [(response: ServerResponse) => response.end("hello"), writeWithoutEnd]) {
    const port = await listen(
      t,
      createServer((_request, response) => answer(response)),
    );
    const found = bad(await look(t, folder, { environment: { SEALPOST_PORT: String(port) } }));
    assertOnly(found, /^service: Something else answers at http:\/\/127\.0\.0\.1:[0-9]+ →/);
  }
});

/** Ends with the connection, which the doctor closes: one that read on would find that nothing answers in its time. */
function writeWithoutEnd(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(1024)));
    if (!response.destroyed) response.once("drain", write);
  };
  write();
}

/** A reverse proxy with a certificate, before a service that knows its public URL. */
async function startProxied(t: TestContext, certificate: Certificate, { bodyMax = 2_000_000, hides = "" } = {}) {
  const folder = createTemporaryFolder(t);
  let target = "";
  const server = createHttpsServer(certificate, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding is set
    const body = Buffer.concat(chunks);
    if (body.length > bodyMax) return void response.writeHead(413, { connection: "close" }).end("<html>too large");
    const { method, headers, url } = incoming;
    httpRequest(`${target}${url}`, { method, headers, agent: false }, (answer) => {
      const { [hides]: _hidden, ...others } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, others);
      answer.pipe(response);
    })
      .on("error", () => response.writeHead(502).end())
      .end(body);
  });
  const port = await listen(t, server);
  const environment = {
    SEALPOST_BASE_URL: `https://localhost:${port}`,
    SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32",
    SEALPOST_SIGNUP: "closed",
  };
  const service = await createTestService(t, { folder, environment });
  target = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`; // it listens on TCP
  return { folder, environment, service };
}

test("a public URL behind a proxy that works is ok", async (t) => {
  const { folder, environment } = await startProxied(t, authority.good);
  const findings = await look(t, folder, { environment });
  assert.deepEqual(bad(findings), []);
  const messages = findings.map(({ message }) => message).join("\n");
  assert.match(messages, /^https:\/\/localhost:[0-9]+ leads to a service$/m);
  assert.match(messages, /^The longest submission passes$/m);
  assert.match(bad(findings, "warning").join("\n"), /The certificate is valid for (0|1) days/);
});

test("a proxy that cuts long submissions, or takes headers away, is a problem", async (t) => {
  const cut = await startProxied(t, authority.good, { bodyMax: 1_000_000 });
  const found = bad(await look(t, cut.folder, { environment: cut.environment }));
  assertOnly(
    found,
    /^proxy: The proxy does not let long submissions through \(status 413\) → .*client_max_body_size 2m/,
  );
  const hiding = await startProxied(t, authority.good, { hides: "strict-transport-security" });
  const warned = bad(await look(t, hiding.folder, { environment: hiding.environment }), "warning");
  assert.match(warned.join("\n"), /^public URL: Answers come without Strict-Transport-Security/m);
});

test("a certificate that has expired or is for another name, and a URL that leads nowhere, are problems", async (t) => {
  const expired = await startProxied(t, authority.expired);
  assertOnly(
    bad(await look(t, expired.folder, { environment: expired.environment })),
    /^public URL: .* does not answer: its certificate has expired → Give the proxy a valid certificate/,
  );
  const otherName = await startProxied(t, authority.otherName);
  assertOnly(
    bad(await look(t, otherName.folder, { environment: otherName.environment })),
    /its certificate is for another name/,
  );
  const port = await listen(
    t,
    createServer((_request, response) => response.end("hello")),
  );
  const foreign = { ...expired.environment, SEALPOST_BASE_URL: `http://localhost:${port}` };
  assertOnly(
    bad(await look(t, expired.folder, { environment: foreign })),
    /answers, but not as this service \(status 200\)/,
  );
  const nowhere = { ...expired.environment, SEALPOST_BASE_URL: "https://localhost:1" };
  assertOnly(
    bad(await look(t, expired.folder, { environment: nowhere })),
    /the connection is refused → Start the reverse/,
  );
});

test("a receiver is reached as deliveries reach it, or the reason is reported", async (t) => {
  const { folder } = await createInstance(t);
  const allowed = { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
  const receiver = await startReceiver(t, { certificate: authority.good });
  const good = await look(t, folder, { webhook: receiver.url, environment: allowed });
  assert.deepEqual(bad(good), []);
  assert.match(good.at(-1)?.message ?? "", /takes connections at 127\.0\.0\.1 port [0-9]+, with a valid certificate/);
  assert.equal(receiver.requests.length, 0, "nothing is sent");
  assertOnly(
    bad(await look(t, folder, { webhook: receiver.url })),
    /^webhook: 127\.0\.0\.1 is at a private, local or reserved address → .*SEALPOST_WEBHOOK_ALLOW_NETWORKS/,
  );
  const expired = await startReceiver(t, { certificate: authority.expired });
  const problems = bad(await look(t, folder, { webhook: expired.url, environment: allowed }));
  assertOnly(problems, /its certificate has expired → Start the receiver/);
  const closed = bad(await look(t, folder, { webhook: "https://127.0.0.1:1/", environment: allowed }));
  assertOnly(closed, /cannot be reached at 127\.0\.0\.1 port 1: the connection is refused/);
});

test("stored webhook addresses that the networks of now forbid are a problem, by the ids of their forms alone", async (t) => {
  const folder = createTemporaryFolder(t);
  const environment = { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" };
  const service = await createTestService(t, { folder, environment });
  const formId = await createForm(await service.signUp(), { webhookUrl: "https://127.0.0.1:8443/secret-path" });
  const webhooks = async (more?: More) => (await look(t, folder, more)).filter(({ check }) => check === "webhook");
  assert.deepEqual(
    (await webhooks({ environment })).map(({ level }) => level),
    ["ok"],
  );
  const found = bad(await webhooks());
  assertOnly(found, new RegExp(`^webhook: .* not allowed .*: ${formId}\\. .* → .*SEALPOST_WEBHOOK_ALLOW_NETWORKS`));
  assert.doesNotMatch(found.join(), /secret-path|:8443/);
});

test("an address of a receiver that cannot be reached is a warning where another one of the same name works", () => {
  const reached = ok("webhook", "reached");
  const away = problem("webhook", "not reached", "Start it");
  assert.deepEqual(
    weighAddresses([away, reached]).map(({ level }) => level),
    ["warning", "ok"],
  );
  assert.deepEqual(
    weighAddresses([away, away]).map(({ level }) => level),
    ["problem", "problem"],
  );
});

test("the doctor names texts that are too long for an index of PostgreSQL, and what to do", onSqlite, async (t) => {
  const service = await createTestService(t);
  const { id } = await service.signUp();
  const found = async () => bad(await look(t, service.folder), "warning").filter((one) => one.includes("longer than"));
  assert.deepEqual(await found(), []);
  await service.database
    .updateTable("person")
    .set({ email: `${"a".repeat(961)}@example.com` })
    .execute();
  assert.match((await found())[0] ?? "", new RegExp(`: person\\.email of ${id} → .*account move --help`));
});
