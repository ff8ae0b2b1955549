import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import {
  isByOthers,
  isPersonalEvent,
  membersWithBounds,
  type NoticeKind,
  noticeKinds,
  noticesPerDay,
  type OrganizationEvent,
  organizationEvents,
  perDayOf,
  type SecurityEvent,
  securityEmailsPerDay,
  securityEvents,
  securityKinds,
} from "./mail.ts";
import { createSendRefusalNotice } from "./refusal-notice-store.ts";
import { byNobody, createSendSecurityMail } from "./security-mail-store.ts";
import { accountIdOf, createMailBench, type MailBench } from "./testing/mail-bench.ts";

/** More than all kinds together have in a day. */
const formsFull = 31;

/** How a notice of each kind comes about for a form: a kind that is missing does not compile. */
const causes: Readonly<Record<NoticeKind, (bench: MailBench, formId: string) => Promise<unknown>>> = {
  submissions: ({ service }, formId) => postPlain(service, formId),
  webhook_failing: ({ service, clock }, formId) =>
    service.database
      .updateTable("webhook")
      .set({ failing_since: clock.now() - dayMilliseconds })
      .where("form_id", "=", formId)
      .execute(),
  async key_unproved({ service, account, clock }, formId) {
    await account.request("PATCH", `/api/forms/${formId}`, { settings: { encryption: true } });
    await service.database.updateTable("form_count").set({ stored: 1 }).where("form_id", "=", formId).execute();
    await service.database
      .updateTable("form_key")
      .set({ created_at: clock.now() - dayMilliseconds })
      .where("form_id", "=", formId)
      .execute();
  },
  refusal({ service, account, clock }, formId) {
    const send = createSendRefusalNotice(createSecretBox(createSingleRing(randomBytes(32))), true);
    const notice = { accountId: accountIdOf(account), formId: formId as FormId, cause: "origin" } as const; // the same
    return service.database
      .transaction()
      .execute((transaction) => send(transaction, { ...notice, since: clock.now() }));
  },
  // Half of the account's storage.
  quota: ({ service }, formId) =>
    service.database.updateTable("form_count").set({ bytes: 600_000_000 }).where("form_id", "=", formId).execute(),
  /** The audit log, which is emptied and filled. */
  async account_quota({ service, account, run }) {
    const owner_id = `log ${account.id}`;
    for (const bytes of [0, 600_000_000]) {
      await service.database.deleteFrom("counted_bytes").where("owner_id", "=", owner_id).execute();
      await service.database.insertInto("counted_bytes").values({ owner_id, bytes }).execute();
      await run();
    }
  },
};

for (const kind of noticeKinds)
  test(`notices of one kind take nothing from the others: ${kind}`, async (t) => {
    const bench = await createMailBench(t);
    const { service, account, run } = bench;
    const make = (name: string) => createForm(account, { encryption: false, webhookUrl }, name);
    const count = async (of: NoticeKind) => {
      const rows = await service.database.selectFrom("mail").select("id").where("kind", "=", of).execute();
      return rows.length;
    };
    for (let index = 0; index < formsFull; index++) await causes[kind](bench, await make(`Form ${index}`));
    await run();
    assert.equal(await count(kind), noticesPerDay[kind]);
    for (const other of noticeKinds) {
      if (other === kind) continue;
      const before = await count(other);
      await causes[other](bench, await make(`Another ${other}`));
      await run();
      assert.ok((await count(other)) > before, `${other} after ${kind}`);
    }
  });

for (const event of securityEvents.filter(isByOthers))
  test(`security emails that others cause delay none that they don't: ${event}`, async (t) => {
    const { service, account, clock, smtp, run } = await createMailBench(t);
    const send = createSendSecurityMail({ hasMail: true });
    const tell = (one: Exclude<SecurityEvent, "keys_rotated">) =>
      send(service.database, { accountId: accountIdOf(account), event: one, by: byNobody, occurredAt: clock.now() });
    const rest = securityEvents
      .filter((one) => one !== "keys_rotated")
      .filter((one) => !isByOthers(one) && isPersonalEvent(one) === isPersonalEvent(event));
    // There are more events than emails that a day has room for.
    for (let from = 0; from < rest.length; from += securityEmailsPerDay) {
      clock.advance(2 * dayMilliseconds);
      await run();
      const before = smtp.emails.length;
      for (let times = 0; times < 2 * securityEmailsPerDay; times++) if (event !== "keys_rotated") await tell(event);
      await run();
      assert.equal(smtp.emails.length, before + perDayOf(event), "more are combined");
      const some = rest.slice(from, from + securityEmailsPerDay);
      for (const one of some) await tell(one);
      await run();
      assert.equal(smtp.emails.length, before + perDayOf(event) + some.length, "each at once");
    }
  });

/** A member by their id, as an audit entry names them. */
const memberOf = (personId: string) => ({ type: "session", id: "session", personId: personId as AccountId }) as const; // an id

for (const event of organizationEvents.filter((one) => !isByOthers(one) && one !== "keys_rotated"))
  test(`what one member does delays no email about what others do: ${event}`, async (t) => {
    const { service, account, clock } = await createMailBench(t);
    const send = createSendSecurityMail({ hasMail: true });
    const tell = (one: OrganizationEvent, by: AuditActor) => {
      const common = { accountId: accountIdOf(account), occurredAt: clock.now(), by };
      const rotation = { formId: createId("form"), keyVersion: 2 };
      return send(
        service.database,
        one === "keys_rotated" ? { ...common, ...rotation, event: one } : { ...common, event: one },
      );
    };
    const countSingle = async () =>
      (await service.database.selectFrom("mail").select("id").where("kind", "in", securityKinds).execute()).length;
    const flood = async (personId: string) => {
      for (let times = 0; times < 2 * securityEmailsPerDay; times++) await tell(event, memberOf(personId));
    };
    await flood("acc_developer");
    assert.equal(await countSingle(), securityEmailsPerDay, "the rest is combined");
    let expected = securityEmailsPerDay;
    const rest = organizationEvents.filter((one) => !isByOthers(one)).slice(0, securityEmailsPerDay);
    for (const by of [memberOf(account.id), memberOf("acc_manager"), byNobody])
      for (const one of rest) {
        await tell(one, by);
        expected += 1;
        assert.equal(await countSingle(), expected, `${one} by ${JSON.stringify(by)}`);
      }
    // Members who are as many as it takes put off others like them, and never an owner.
    clock.advance(2 * dayMilliseconds);
    for (let index = 0; index < membersWithBounds; index++) await flood(`acc_made_${index}`);
    expected += membersWithBounds * securityEmailsPerDay;
    await tell(event, memberOf("acc_another"));
    assert.equal(await countSingle(), expected);
    await tell(event, memberOf(account.id));
    assert.equal(await countSingle(), expected + 1);
  });

test("an owner hears at once of new keys after a developer has changed an address all day, with API keys too", async (t) => {
  // Their addresses need no proof: they were there before the mail server was.
  const folder = createTemporaryFolder(t);
  const silent = await createTestService(t, { folder });
  const owner = await silent.signUp();
  const form = await createForm(owner, { webhookUrl });
  const developer = await addPerson(silent, owner, "developer@example.com", { role: "developer", forms: [form] });
  const { key } = (await developer.request("POST", "/api/api-keys", { name: "K", permissions: ["forms:write"] })).body
    .key;
  await silent.stop();
  const environment = { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9", SEALPOST_MAIL_FROM: "forms@example.com" };
  const service = await createTestService(t, { folder, environment, deliveries: silentWebhooks });
  for (let times = 0; times <= securityEmailsPerDay; times++) {
    const body = { settings: { webhookUrl: `https://example.com/${times}` } };
    const by = times % 2 === 0 ? developer.token : key;
    const { status } = await service.request("PATCH", `/api/forms/${form}`, { token: by, body });
    assert.equal(status, 200);
  }
  const single = () => service.database.selectFrom("mail").select("kind").where("kind", "in", securityKinds).execute();
  const before = (await single()).length;
  const { publicKey } = takeKeyPair();
  assert.equal(
    (await service.request("POST", `/api/forms/${form}/rotate-keys`, { token: owner.token, body: { publicKey } }))
      .status,
    200,
  );
  const kinds = (await single()).map(({ kind }) => kind);
  assert.deepEqual([kinds.length, kinds.includes("keys_rotated")], [before + 1, true]);
  const gathered = await service.database.selectFrom("mail_gathered").select(["event"]).execute();
  assert.deepEqual(
    gathered.map(({ event }) => event),
    ["webhook_url_changed"],
  );
});
