import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { type SmtpServerOptions, startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { systemClock } from "../time/clock.ts";
import { createAuthority } from "../webhooks/testing/receiver.ts";
import { checkMail } from "./check-mail.ts";
import { examine } from "./doctor.ts";

const login = { user: "canary-user", password: "canary-password" };

async function ask(url: string) {
  const environment = { SEALPOST_SMTP_URL: url, SEALPOST_MAIL_FROM: "forms@example.com" };
  const [finding] = await checkMail(parseConfig(environment));
  return finding ?? assert.fail();
}

async function start(t: TestContext, options: SmtpServerOptions = {}) {
  const smtp = await startSmtpServer(t, options);
  return { smtp, place: `127.0.0.1:${smtp.port}` };
}

test("a mail server that takes us is well, and gets no mail", async (t) => {
  const { smtp, place } = await start(t, { login });
  const { level, message } = await ask(`smtp://canary-user:canary-password@${place}?tls=off`);
  assert.deepEqual([level, message], ["ok", `The mail server at 127.0.0.1 port ${smtp.port} takes our emails`]);
  assert.deepEqual([smtp.connections(), smtp.emails], [1, []]);
  assert.deepEqual(await checkMail(parseConfig({})), [], "an instance without email");
});

test("a wrong password, a missing or unknown TLS and a server that is away get different messages, and no password is shown", async (t) => {
  const { place } = await start(t, { login });
  const untrusted = await start(t, { tls: "implicit", certificate: (await createAuthority()).good });
  const urls: readonly [string, RegExp][] = [
    [`smtp://canary-user:canary-wrong@${place}?tls=off`, /it refuses user or password.*SEALPOST_SMTP_URL/],
    [`smtp://canary-user:canary-password@${place}`, /does not offer STARTTLS.*587/],
    [`smtps://${untrusted.place}`, /certificate.*NODE_EXTRA_CA_CERTS/],
    ["smtp://127.0.0.1:1?tls=off", /ECONNREFUSED.*whether the server runs/],
  ];
  for (const [url, expected] of urls) {
    const finding = await ask(url);
    const text = JSON.stringify(finding);
    assert.equal(finding.level, "problem", text);
    assert.match(text, expected);
    assert.doesNotMatch(text, /canary/);
  }
});

test("emails that have waited for long are a warning, where emails are sent", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const now = Date.now();
  const mail = { id: "1", kind: "keys_rotated", account_id: (await service.signUp()).id, details: "{}", attempts: 1 };
  await service.database
    .insertInto("mail")
    .values({ ...mail, created_at: now - 1_200_000, due_at: now + 60_000, expires_at: now + 120_000 })
    .execute();
  const { place } = await start(t);
  const look = async (environment = {}) => {
    const settings = { ...(await createTestDatabase(t, folder)), SEALPOST_DATA: folder, SEALPOST_PORT: "0" };
    const config = parseConfig({ ...settings, ...environment });
    const findings = await examine({ config, clock: systemClock, webhook: undefined });
    return findings.filter(({ check }) => check === "mail").map(({ level, message }) => `${level}: ${message}`);
  };
  assert.deepEqual(await look(), []);
  const [waiting, server, ...more] = await look({
    SEALPOST_SMTP_URL: `smtp://${place}?tls=off`,
    SEALPOST_MAIL_FROM: "forms@example.com",
  });
  assert.equal(waiting, "warning: Emails that wait: 1, the oldest for 20 minutes");
  assert.match(server ?? "", /^ok: The mail server at /);
  assert.deepEqual(more, []);
});
