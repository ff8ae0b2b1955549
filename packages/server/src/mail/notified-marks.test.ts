import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, type FormId } from "@sealpost/wire";
import { sampleEvery } from "../../../../tests/support/sample.ts";

import { remindOfKeys } from "../api-keys/remind-of-keys.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createAnnounceRefusal } from "../forms/announce-refusal.ts";
import { createFormStore } from "../forms/form-store.ts";
import type { RefusalCause } from "../forms/refusal-causes.ts";
import { createRefusedVisitors } from "../forms/refused-visitors.ts";
import { createForm, webhookUrl } from "../forms/testing/test-form.ts";
import { handOver } from "../organizations/hand-over-store.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createMailSwitchStore } from "./mail-switch-store.ts";
import { createSendRefusalNotice } from "./refusal-notice-store.ts";
import { createSendSecurityMail } from "./security-mail-store.ts";
import { createMailBench } from "./testing/mail-bench.ts";
import { insertOwned } from "./testing/owners.ts";

/** Every column that means that owners know of something, and those next to it that say when they hear again. */
const marks = {
  submissions: ["form_notice.received", "form_notice.form_id", "form_notice.next_at"],
  webhook_failing: ["form_notice.failing_since"],
  key_unproved: ["form_notice.unproved_version"],
  quota: ["quota_notice.id", "quota_notice.room", "quota_notice.level"],
  account_quota: ["quota_notice.level"],
  refusal: ["form_refusal.is_announced", "form_refusal.announce_from"],
  visitors_refused: ["form_refusal.is_announced", "form_refusal.announce_from"],
  api_key_ends: ["api_key.expiry_notified_at"],
} as const;
type Subject = keyof typeof marks;
const subjects = Object.keys(marks) as readonly Subject[]; // they are its keys

test("each column that means that owners were notified is tried", async (t) => {
  const database = await openMigratedDatabase(t);
  const tables = await database.introspection.getTables();
  const found = tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => /_notice$/.test(name) || /notif|announc|remind|warned|informed/.test(column.name))
      .map((column) => `${name}.${column.name}`),
  );
  assert.ok(found.length > 8, "a control");
  assert.deepEqual(found.toSorted(), [...new Set(Object.values(marks).flat())].toSorted());
});

async function openScene(t: TestScope) {
  let reply: number | undefined;
  const bench = await createMailBench(t, { refuse: ({ step }) => (step === "RCPT" ? reply : undefined) });
  const { service, account, clock, smtp, run, secretBox } = bench;
  const { database } = service;
  let hasMail = true;
  const open = () =>
    createRefusedVisitors({
      ...{ database, clock, wakeEmails: () => undefined, tell: () => undefined },
      // As after a start: whether the instance sends emails may change.
      announce: (...refused) =>
        createAnnounceRefusal({
          ...{ hasMail, createSnippet: () => "<script></script>" },
          sendSecurityMail: createSendSecurityMail({ hasMail }),
          sendRefusalNotice: createSendRefusalNotice(secretBox, hasMail),
        })(...refused),
    });
  let index = 0;

  async function begin(what: Subject) {
    index += 1;
    const address = `owner${index}@example.com`;
    const owned = await insertOwned(database, account, [address], clock.now());
    const isSealed = what === "key_unproved";
    const formId = (await createForm(account, { encryption: isSealed, webhookUrl }, `Form ${index}`)) as FormId; // as answered
    await database.updateTable("form").set({ account_id: owned.id }).where("id", "=", formId).execute();
    await run();
    const visitors = open();
    const refuse = async (cause: RefusalCause) => {
      const found = await createFormStore(database).findPublic(formId);
      if (found !== undefined) await visitors.note(found, cause);
    };
    const isOfKey = what === "api_key_ends";
    if (what === "submissions") await setCount({ received: 1 });
    if (what === "webhook_failing")
      await database
        .updateTable("webhook")
        .set({ failing_since: clock.now() - 2 * dayMilliseconds })
        .where("form_id", "=", formId)
        .execute();
    if (what === "key_unproved") {
      await setCount({ stored: 1 });
      const created_at = clock.now() - 2 * dayMilliseconds;
      await database.updateTable("form_key").set({ created_at }).where("form_id", "=", formId).execute();
    }
    // A form may have half of a gibibyte.
    if (what === "quota") await setCount({ bytes: 440_000_000 });
    if (what === "account_quota")
      await database
        .insertInto("counted_bytes")
        .values({ owner_id: `log ${owned.id}`, bytes: 440_000_000 })
        .execute();
    if (isOfKey)
      await database
        .insertInto("api_key")
        .values({
          ...{
            id: createId("apiKey"),
            account_id: owned.id,
            name: "k",
            prefix: "p",
            hash: `h${index}`,
            permissions: "[]",
          },
          ...{
            made_by: owned.people[0] ?? "",
            created_at: clock.now(),
            expires_at: clock.now() + 6.9 * dayMilliseconds,
            form_ids: "[]",
          },
        })
        .execute();
    function setCount(values: { received?: number; stored?: number; bytes?: number }) {
      return database.updateTable("form_count").set(values).where("form_id", "=", formId).execute();
    }
    const step = async (hours: number) => {
      if (what === "refusal") await refuse("origin");
      if (what === "visitors_refused") await refuse("old_key");
      if (isOfKey)
        while (
          await remindOfKeys(database, clock.now(), { hasMail, sendSecurityMail: createSendSecurityMail({ hasMail }) })
        );
      await run();
      clock.advance(hours * hourMilliseconds);
    };
    const pass = async (hours: number, each = 6) => {
      for (let passed = 0; passed < hours; passed += each) await step(each);
    };
    const count = (to = address) => smtp.emails.filter((email) => email.to.includes(to)).length;
    return { address, owned, formId, pass, count };
  }
  return {
    ...{ bench, begin, database, clock, account },
    setReply: (next: number | undefined) => {
      reply = next;
    },
    setMail: (next: boolean) => {
      hasMail = next;
    },
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** How nobody knows of it in the end. Each resolves to the address that has to hear of it, within two days. */
const ends: Readonly<
  Record<
    string,
    {
      readonly not?: readonly Subject[];
      readonly play: (scene: Scene, what: Subject) => Promise<() => Promise<string>>;
    }
  >
> = {
  "the mail server is away for a weekend": {
    async play({ begin, setReply }, what) {
      setReply(451);
      const { pass, count, address } = await begin(what);
      await pass(60);
      setReply(undefined);
      const from = count();
      return async () => {
        await pass(60);
        return count() > from ? address : "";
      };
    },
  },
  "the mail server refuses it once for good": {
    async play({ begin, setReply }, what) {
      setReply(550);
      const { pass, count, address } = await begin(what);
      await pass(1, 1);
      setReply(undefined);
      return async () => {
        await pass(78);
        return count() > 0 ? address : "";
      };
    },
  },
  "emails are off for a time while it waits": {
    // Submissions from before emails are on again are not announced later, and security emails are not switched off.
    not: ["submissions", "visitors_refused", "api_key_ends"],
    async play({ begin, setReply, database, clock }, what) {
      setReply(451);
      const { pass, count, address, owned } = await begin(what);
      await pass(1, 1);
      const switches = createMailSwitchStore(database);
      const by = { accountId: owned.id, actor: { type: "nobody" } as const };
      await switches.setAccountWanted({ ...by, occurredAt: clock.now() }, false);
      setReply(undefined);
      await pass(12);
      assert.equal(count(), 0);
      await switches.setAccountWanted({ ...by, occurredAt: clock.now() }, true);
      return async () => {
        await pass(78);
        return count() > 0 ? address : "";
      };
    },
  },
  "the form is handed over": {
    not: ["submissions", "account_quota", "api_key_ends"],
    async play({ begin, database, clock, account }, what) {
      const { pass, count, owned, formId } = await begin(what);
      await pass(1, 1);
      assert.equal(count(), 1, `a control: ${what}`);
      const next = `next-${owned.addresses[0]}`;
      const other = await insertOwned(database, account, [next], clock.now());
      await database
        .transaction()
        .execute((transaction) => handOver(transaction, formId, { from: owned.id, to: other.id }));
      return async () => {
        await pass(12, 1);
        return count(next) > 0 ? next : "";
      };
    },
  },
  "the owners are replaced": {
    not: ["submissions"],
    async play({ begin, database, clock, account }, what) {
      const { pass, count, owned } = await begin(what);
      await pass(1, 1);
      assert.equal(count(), 1, `a control: ${what}`);
      const next = `next-${owned.addresses[0]}`;
      const other = await insertOwned(database, account, [next], clock.now());
      await database
        .updateTable("member")
        .set({ organization_id: owned.id })
        .where("organization_id", "=", other.id)
        .execute();
      const members = createMemberStore(database);
      await database.transaction().execute(async (transaction) => {
        const before = (await members.list(owned.id, transaction)).find(({ email }) => email === owned.addresses[0]);
        assert.ok(before);
        await members.remove(transaction, owned.id, before, { madeBy: undefined, at: clock.now() });
      });
      return async () => {
        await pass(12, 1);
        return count(next) > 0 ? next : "";
      };
    },
  },
  "the instance sends no emails at first": {
    // All others are found by the worker that sends emails.
    not: subjects.filter((what) => !["refusal", "visitors_refused", "api_key_ends"].includes(what)),
    async play({ begin, setMail }, what) {
      setMail(false);
      const { count, address, pass } = await begin(what);
      await pass(2, 1);
      setMail(true);
      return async () => {
        await pass(12, 1);
        return count() > 0 ? address : "";
      };
    },
  },
  "no owner is active until it has expired": {
    async play({ begin, setReply, database, clock }, what) {
      setReply(451);
      const { pass, count, address, owned } = await begin(what);
      await pass(1, 1);
      const setDisabled = (disabled_at: number | null) =>
        database.updateTable("person").set({ disabled_at }).where("id", "in", owned.people).execute();
      await setDisabled(clock.now());
      setReply(undefined);
      await pass(60);
      assert.equal(count(), 0);
      await setDisabled(null);
      return async () => {
        await pass(60);
        return count() > 0 ? address : "";
      };
    },
  },
  "a stranger caused it months ago": {
    not: subjects.filter((what) => !["refusal", "visitors_refused"].includes(what)),
    async play({ begin, clock }, what) {
      const { pass, count, address } = await begin(what);
      // Once a month, so that it is never quiet for long.
      for (let month = 0; month < 5; month++) {
        await pass(1, 1);
        clock.advance(29 * dayMilliseconds);
      }
      const from = count();
      return async () => {
        await pass(31 * 24, 12);
        return count() > from ? address : "";
      };
    },
  },
};

test("a mail server that refuses a notice for good is asked about it once a day", async (t) => {
  for (const what of subjects) {
    const scene = await openScene(t);
    scene.setReply(550);
    const { pass, owned } = await scene.begin(what);
    await pass(5 * 24, 4);
    const rows = await scene.database
      .selectFrom("mail")
      .select("attempts")
      .where("account_id", "=", owned.id)
      .where("kind", "<>", "security_gathered")
      .execute();
    const tries = rows.reduce((sum, { attempts }) => sum + attempts, 0);
    assert.ok(tries >= 2 && tries <= 6, `${what}: ${tries}`);
  }
});

const cases = Object.entries(ends).flatMap(([end, { not = [], play }]) =>
  subjects.filter((what) => !not.includes(what)).map((what) => ({ end, what, play })),
);

test("whatever becomes of a notice that nobody got, or of those who got it, it is sent again while it holds", async (t) => {
  const failures: string[] = [];
  for (const { end, what, play } of sampleEvery(cases, 3)) {
    const scene = await openScene(t);
    const after = await play(scene, what);
    if ((await after()) === "") failures.push(`${what}: ${end}`);
  }
  assert.deepEqual(failures, []);
});
