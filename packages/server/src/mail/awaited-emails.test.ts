import { test } from "node:test";
import { sql } from "kysely";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { createOperator } from "../operators/testing/test-operator.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { type AwaitedKind, awaitedKinds } from "./mail.ts";
import { startSmtpServer } from "./testing/smtp-server.ts";

/** Far less than the half minute within which the worker looks by itself, and far more than an email takes on a busy machine. */
const waitMilliseconds = 15_000;

/** An act that has each email sent. */
const acts: Readonly<Record<AwaitedKind, (service: TestService, owner: TestAccount) => Promise<unknown>>> = {
  verify_email: (service) => service.signUp("newcomer@example.com"),
  password_reset: (service) =>
    createTestBrowser(service).post("/api/auth/request-password-reset", { email: "owner@example.com" }),
  invitation: (_service, owner) =>
    owner.request("POST", "/api/invitations", { email: "invited@example.com", role: "auditor" }),
  instance_invitation: (_service, owner) =>
    owner.request("POST", "/api/instance/invitations", { email: "other@example.com" }),
  address: (_service, owner) => owner.request("POST", "/api/account/address", { email: "moved@example.com" }),
};

const recipients: Readonly<Record<AwaitedKind, string>> = {
  verify_email: "newcomer@example.com",
  password_reset: "owner@example.com",
  invitation: "invited@example.com",
  instance_invitation: "other@example.com",
  address: "moved@example.com",
};

for (const kind of awaitedKinds)
  test(`an email that somebody waits for is sent at once: ${kind}`, async (t) => {
    const smtp = await startSmtpServer(t, { waitMilliseconds });
    const service = await createTestService(t, {
      environment: {
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      },
    });
    const owner = await createOperator(service, "owner@example.com");
    await owner.request("GET", "/api/organizations");
    await service.database
      .updateTable("person")
      .set({ verification: "trusted", email_verified: sql<boolean>`(1 = 1)` })
      .execute();
    await acts[kind](service, owner);
    for (let to: readonly string[] = []; !to.includes(recipients[kind]); ) to = (await smtp.next(kind)).to;
  });
