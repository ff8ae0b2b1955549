import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { AccountId, FormId } from "@sealpost/wire";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { noteBackup } from "../backup/backup-store.ts";
import { createFailedRows } from "../database/failed-rows.ts";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { insertEmails } from "../mail/insert-emails-store.ts";
import { createNoticeStore } from "../mail/notice-store.ts";
import { createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createOperator } from "../operators/testing/test-operator.ts";
import { isClockTrusted } from "../retention/clock-guard-store.ts";
import { heldBackDays, noneCalledOff } from "../retention/held-back.ts";
import { beginHeldBack, holdBack } from "../retention/held-back-store.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { comparedTexts, uncomparedTexts } from "./testing/time-columns.ts";
import { findTimesInTexts } from "./testing/times-in-texts.ts";

/** Everything that writes a time into a text. */
async function writeTimes(service: TestService): Promise<void> {
  const { database } = service;
  const now = Date.now();
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  await postPlain(service, formId);
  for (const [method, path, body] of [
    ["POST", "webhook-secret/rotate", undefined],
    ["PUT", "hold", { until: now + day }],
    ["PUT", "hold", {}],
    ["PUT", "hold", { until: now + day }],
  ] as const) {
    const { status, body: answer } = await account.request(method, `/api/forms/${formId}/${path}`, body);
    assert.equal(status, 200, JSON.stringify(answer));
  }
  await noteBackup(database, now);
  await isClockTrusted(database, now);
  await holdBack(database, { since: now, days: heldBackDays, calledOff: noneCalledOff });
  await beginHeldBack(database, now, async () => {});
  const secretBox = createSecretBox(createSingleRing(randomBytes(32)));
  await createNoticeStore(database, secretBox).look("", now, createFailedRows());
  const accountId = account.id as AccountId; // as the service answered it
  const send = createSendSecurityMail({ hasMail: true });
  await send(database, { accountId, event: "password_changed", occurredAt: now });
  await database.transaction().execute(async (transaction) => {
    const failing = { kind: "webhook_failing", formId: formId as FormId, since: now } as const;
    await insertEmails(transaction, accountId, [failing], now, secretBox);
    const entry = { accountId, actor: { type: "operator" }, occurredAt: now, target: undefined } as const;
    await recordAction(transaction, { ...entry, action: "account.restored", details: { backupAt: now, since: now } });
  });
}

test("every time inside a text has a row that says what a clock that is a year ahead does with it", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  await writeTimes(service);
  const known = [...comparedTexts.flatMap(({ texts }) => texts), ...uncomparedTexts];
  assert.deepEqual(await findTimesInTexts(service.database), known.toSorted());
});

test("each row of a time inside a text that is compared with now names a test", () => {
  for (const { does, shownBy } of comparedTexts) {
    const source = readFileSync(`${import.meta.dirname}/../${shownBy.file}`, "utf8");
    assert.ok(source.includes(shownBy.title), `${does}: ${shownBy.file} has no test “${shownBy.title} …”`);
  }
});

test("a backup that was made while the clock was ahead is no reason to make none: the doctor says that the clock was wrong", async (t) => {
  const service = await createTestService(t);
  const operator = await createOperator(service);
  await noteBackup(service.database, Date.now() + 365 * day);
  const { checks } = (await operator.request("GET", "/api/instance")).body;
  const found = checks.find(({ check }: { readonly check: string }) => check === "backup");
  assert.equal(found.level, "warning");
  assert.match(found.message, /yet to come: the clock was wrong then, or is now$/);
});
