import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { addAccountRows } from "../../../../tests/contract/grown-rows.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { measureWork } from "../testing/measured-work.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { startSmtpServer } from "./testing/smtp-server.ts";

/** On SQLite the worker of emails runs on the thread that serves everybody (docs/decisions/0063-bounded-lists.md). */

const takeWork = measureWork();
const forms = 3000;

/** Requests for emails that anybody may send; a share of each is refused. */
const asked: Readonly<Record<string, (service: TestService, stranger: TestAccount) => Promise<unknown>>> = {
  "the email with the link to verify": (_service, stranger) =>
    stranger.request("POST", "/api/auth/verification/send", {}),
  "the email with the link to reset": (service) =>
    createTestBrowser(service).post("/api/auth/request-password-reset", { email: "owner@example.com" }),
  "an invitation": (_service, stranger) =>
    stranger.request("POST", "/api/invitations", { email: "invited@example.com", role: "auditor" }),
  "a move to another address": (_service, stranger) =>
    stranger.request("POST", "/api/account/address", { email: "moved@example.com" }),
};

test("no request for an email starts a look through the forms of the instance", onSqlite, async (t) => {
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    environment: {
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    },
  });
  const owner = await service.signUp("owner@example.com");
  const formId = await createForm(owner);
  await addAccountRows(service.database, { accountId: owner.id, formId }, 1, forms);
  const stranger = await service.signUp("stranger@example.com");
  // The worker's first look.
  await wait(500);
  for (const [name, ask] of Object.entries(asked)) {
    takeWork();
    for (let count = 0; count < 6; count++) await ask(service, stranger);
    await wait(200);
    const looks = takeWork().filter(({ text, steps }) => steps > forms || text.includes(`"form_notice"`));
    assert.deepEqual(looks, [], name);
  }
});
