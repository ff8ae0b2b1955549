import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createId } from "@sealpost/wire";
import { type Authority, createAuthority } from "../webhooks/testing/receiver.ts";
import type { Mail } from "./mail.ts";
import { createMailClient, type MailClientOptions } from "./mail-client.ts";
import { baseUrl, from } from "./testing/mail-bench.ts";
import { startSmtpServer, type TestSmtpServer } from "./testing/smtp-server.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const mail: Mail = {
  id: "0123456789abcdef",
  accountId: createId("account"),
  createdAt: Date.UTC(2026, 0, 15),
  expiresAt: Date.UTC(2026, 0, 17),
  attempts: 1,
  subject: { kind: "submissions", formId: createId("form"), count: 2 },
};
const login = { user: "forms", password: "correct horse" };

function send(
  { port }: TestSmtpServer,
  target: Partial<MailClientOptions["target"]>,
  ca: string | undefined = authority.ca,
  address = "owner@example.com",
) {
  return createMailClient({
    unsubscribeUrl: ({ formId }) => `https://forms.example.com/unsubscribe/${formId}`,
    target: { host: "127.0.0.1", port, tls: "starttls", login: undefined, ...target },
    from,
    baseUrl: () => baseUrl,
    ca,
  }).send(mail, [address], new Map([[address, mail.accountId]]));
}

for (const tls of ["starttls", "implicit"] as const) {
  test(`emails go over ${tls} TLS, with a login`, async (t) => {
    const smtp = await startSmtpServer(t, { tls, certificate: authority.good, login });
    assert.deepEqual(await send(smtp, { tls, login }), { result: "sent", reached: 1 });
    const [received] = smtp.emails;
    assert.deepEqual([received?.isEncrypted, received?.user], [true, "forms"]);
    assert.equal(received?.headers.get("from"), "Forms <forms@example.com>");
    assert.equal(received?.headers.get("message-id"), "<0123456789abcdef@forms.example.com>");
  });

  test(`a server that can't prove its name over ${tls} TLS gets no mail and no password`, async (t) => {
    for (const certificate of [authority.otherName, authority.expired]) {
      const smtp = await startSmtpServer(t, { tls, certificate, login });
      const { result } = await send(smtp, { tls, login });
      assert.deepEqual([result, smtp.emails.length], ["failed", 0]);
    }
    const smtp = await startSmtpServer(t, { tls, certificate: authority.good, login });
    const { ca } = await createAuthority();
    assert.equal((await send(smtp, { tls, login }, ca)).result, "failed");
    assert.equal(smtp.emails.length, 0);
  });
}

test("where STARTTLS was taken out of the conversation, nothing is sent", async (t) => {
  const smtp = await startSmtpServer(t, { tls: "off" });
  assert.equal((await send(smtp, { tls: "starttls" })).result, "failed");
  assert.deepEqual([smtp.emails.length, smtp.connections()], [0, 1]);
  assert.equal((await send(smtp, { tls: "off" })).result, "sent", "only when the operator says so");
  assert.equal(smtp.emails[0]?.isEncrypted, false);
});

test("a wrong password, a server that is away or busy may be mended; a refusal is the last word", async (t) => {
  const guarded = await startSmtpServer(t, { tls: "implicit", certificate: authority.good, login });
  const wrong = await send(guarded, { tls: "implicit", login: { user: "forms", password: "wrong" } });
  const to = ["owner@example.com"];
  const login535 = "The mail server refuses user or password: look at SEALPOST_SMTP_URL";
  const because = (sentence: string, refused: readonly string[] = []) => ({
    ...{ failure: { to, refused, sentence }, reached: 0 },
  });
  assert.deepEqual(wrong, { result: "failed", reason: "EAUTH 535", ...because(login535) });
  const refusing = await startSmtpServer(t, { refusals: [451, 550] });
  assert.deepEqual(await send(refusing, { tls: "off" }), {
    result: "failed",
    reason: "EMESSAGE 451",
    ...because("451 refused"),
  });
  assert.deepEqual(await send(refusing, { tls: "off" }), {
    result: "refused",
    reason: "EMESSAGE 550",
    ...because("550 refused", to),
  });
  // Nothing listens on the discard port.
  assert.deepEqual(await send(refusing, { tls: "off", port: 9 }), {
    result: "failed",
    reason: "ESOCKET",
    ...because("The connection to the mail server failed"),
  });
});

test("an address that holds another one, or a line, is one recipient or none", async (t) => {
  const smtp = await startSmtpServer(t);
  for (const address of [
    "owner@example.com, evil@example.com",
    "owner@example.com\r\nBcc: evil@example.com",
    "<evil@example.com>",
  ])
    await send(smtp, { tls: "off" }, undefined, address);
  for (const { to, headers } of smtp.emails) {
    assert.ok(to.length <= 1, to.join(" and "));
    assert.ok(!headers.has("bcc"));
  }
});
