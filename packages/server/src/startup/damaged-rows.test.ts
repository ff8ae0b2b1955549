import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { type Insertable, sql } from "kysely";
import { byTimer, timers } from "../../../../tests/growth/timers.ts";
import { createAuditChainStore } from "../audit-log/audit-chain-store.ts";
import { createReport } from "../database/failed-rows.ts";
import { kindOf } from "../database/kind.ts";
import type { Tables } from "../database/schema.ts";
import type { TableName } from "../database/table-record.ts";
import { createDeliveryRetention } from "../deliveries/delivery-retention.ts";
import { createDeliveryRetentionStore } from "../deliveries/delivery-retention-store.ts";
import { createRemindOfHolds } from "../forms/form-hold-store.ts";
import { silentWebhooks } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox, sealedPrefix } from "../instance/secret-box.ts";
import type { NoticeKind } from "../mail/mail.ts";
import { createMailStore } from "../mail/mail-store.ts";
import { createMailWorker, type MailWorkerDependencies } from "../mail/mail-worker.ts";
import { createNoticeStore } from "../mail/notice-store.ts";
import { createQuotaNoticeStore } from "../mail/quota-notice-store.ts";
import { passSealedValues } from "../operators/sealed-value-store.ts";
import { createRateLimitStore } from "../rate-limits/rate-limit-store.ts";
import { createPurgeSteps, purgeAll } from "../retention/purge-worker.ts";
import { isCluster, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import type { createEndedRows, createShortRows } from "./ended-rows.ts";
import { cases as calledBack, found, later, type Scene } from "./testing/called-back-cases.ts";
import { createScene, createStepDependencies } from "./testing/purge-later.ts";

/** Something that is due. */
interface Due {
  /** Its name in the log where it fails; the id of its form where omitted. */
  readonly name?: string;
  /** Makes it impossible to read it, or to write it. */
  damage(): Promise<unknown>;
  isThere(): Promise<boolean>;
}

interface DamagedCase {
  /** Nothing of the damaged one is left to wait. */
  readonly isEnded?: true;
  /** The damaged ones are counted, not named. */
  readonly isCounted?: true;
  due(scene: Scene): Promise<Due>;
  /** Only this database has the table. */
  readonly on?: "postgres";
  /** All steps of the purge where nothing is said. */
  readonly work?: (service: TestService, report: (line: unknown) => void) => () => Promise<void>;
}

/** Refuses to change or remove these rows, as a database does where a row is damaged. */
async function refuse({ database }: TestService, table: TableName, column: string, value: string): Promise<void> {
  const [name, condition] = [sql.ref(`damaged_${table}`), sql`old.${sql.ref(column)} = ${sql.lit(value)}`];
  const [on, of] = [sql.table(table), kindOf(database)];
  if (of === "sqlite")
    for (const act of ["update", "delete"] as const)
      await sql`create trigger ${sql.ref(`damaged_${table}_${act}`)} before ${sql.raw(act)} on ${on} when ${condition}
        begin select raise(abort, 'damaged'); end`.execute(database);
  else {
    await sql`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'damaged'; end $$`.execute(
      database,
    );
    await sql`create trigger ${name} before update or delete on ${on} for each row when (${condition}) execute function ${name}()`.execute(
      database,
    );
  }
}

/** The first case of a step that something can be called back of: it is due. */
const asCalledBack =
  (step: keyof typeof calledBack, title: string, table: TableName, column: "form_id" | "person_id" | "id") =>
  async (scene: Scene): Promise<Due> => {
    const of = calledBack[step];
    const one = typeof of === "string" ? undefined : of[title];
    assert.ok(one, title);
    const { isThere } = await one.prepare(scene);
    const value = column === "form_id" ? scene.formId : scene.owner.id;
    return { name: value, damage: () => refuse(scene.service, table, column, value), isThere };
  };

const isFound =
  ({ database }: TestService, table: TableName, column: string, value: string) =>
  () =>
    found(database.selectFrom(table).selectAll().where(database.dynamic.ref(column), "=", value).execute());

/** Writes text that the column can't hold. */
const setText = ({ service, formId }: Scene, table: TableName, column: string, by: string, text = "{") =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text} where ${sql.ref(by)} = ${formId}`.execute(
    service.database,
  );

/** All steps of the purge. */
function purgeAtLater({ database }: TestService, report: (line: unknown) => void) {
  const remind = createRemindOfHolds(database, async () => {});
  const steps = createPurgeSteps({ ...createStepDependencies({ database }), remind });
  const reportFailure = createReport({ error: report }, "purge");
  return () =>
    purgeAll({ steps, now: later, isTrusted: true, wakeDeliveries: () => {}, isStopped: () => false }).catch(
      reportFailure,
    );
}

const chain = ({ service, owner }: Scene) => createAuditChainStore(service.database).chain(owner.id as AccountId); // the service made it

/** A notice that is due, and can't be queued: its organization can't be locked. */
const notice = (kind: NoticeKind, fill: (scene: Scene) => Promise<unknown>): DamagedCase => ({
  async due(scene) {
    const { service, owner, formId } = scene;
    await fill(scene);
    const notices = () =>
      service.database
        .selectFrom("mail")
        .select("id")
        .where("account_id", "=", owner.id)
        .where("kind", "=", kind)
        .execute();
    return {
      name: kind === "account_quota" ? owner.id : formId,
      damage: () => refuse(service, "organization", "id", owner.id),
      isThere: async () => !(await found(notices())),
    };
  },
  work: sendEmails,
});

/** A row that ends by its time, and that the database does not remove. */
function ended<Table extends TableName>(
  table: Table,
  column: keyof Tables[Table] & string,
  fill: (scene: Scene, value: string) => Insertable<Tables[Table]>,
  { value: idOf = ({ formId }: Scene) => `0${formId}`, name, ...others }: EndedOptions = {},
): Readonly<Record<string, DamagedCase>> {
  const title = `a row of ${table} that can't be removed`;
  return {
    [title]: {
      ...others,
      async due(scene) {
        const { service } = scene;
        const value = idOf(scene);
        await service.database
          .insertInto<TableName>(table)
          .values(fill(scene, value) as never) // the row of just this table
          .execute();
        return {
          name: name?.(scene) ?? value,
          damage: () => refuse(service, table, column, value),
          isThere: isFound(service, table, column, value),
        };
      },
    },
  };
}

interface EndedOptions extends Pick<DamagedCase, "on" | "work"> {
  /** In the log; the value where omitted. */
  readonly name?: (scene: Scene) => string;
  readonly value?: (scene: Scene) => string;
}

/** Over at `later`, and not now. */
const soon = Date.now() + hourMilliseconds;
const ofOwner = ({ owner }: Scene) => owner.id;

const secretBox = createSecretBox(createSingleRing(randomBytes(32)));

function sendEmails({ database }: TestService, report: (line: unknown) => void) {
  const log = { error: report, warn: () => {} };
  const dependencies: MailWorkerDependencies = {
    emails: createMailStore(database, secretBox),
    notices: [createNoticeStore(database, secretBox), createQuotaNoticeStore(database, secretBox, "free")],
    client: { send: async () => ({ result: "sent", reached: 1 }), greet: async () => {} },
    clock: { now: () => Date.now() },
    isClockTrusted: async () => true,
    mayOpen: () => true,
    log,
  };
  const worker = createMailWorker(dependencies);
  const reportFailure = createReport(log, "mail");
  return () => worker.run().catch(reportFailure);
}

type Steps = ReturnType<typeof createPurgeSteps>;
type PurgeStep =
  | Exclude<keyof Steps["byClock"], "tidy">
  | Exclude<keyof Steps["byAge"], "ended">
  | keyof Steps["atAnyTime"]
  | keyof ReturnType<typeof createEndedRows>
  | keyof ReturnType<typeof createShortRows>;

/** Every step of the purge, by its name: a case for each way of damage, or why no row keeps others waiting. */
const ofPurge: Readonly<Record<PurgeStep, string | Readonly<Record<string, DamagedCase>>>> = {
  accounts: {
    "an organization that can't be removed": {
      due: asCalledBack("accounts", "an organization without forms that is kept", "organization", "id"),
    },
  },
  retention: {
    "a form whose counts can't be changed": {
      due: asCalledBack("retention", "submissions whose form keeps them without end", "form_count", "form_id"),
    },
  },
  binExpiry: {
    "a form whose settings can't be read": {
      async due(scene) {
        const { isThere } = await asCalledBack("binExpiry", "a submission that is restored", "form", "id")(scene);
        const damage = () => setText(scene, "form", "settings", "id");
        return {
          damage,
          isThere: async () => (await scene.owner.request("GET", scene.form)).status !== 200 || isThere(),
        };
      },
    },
  },
  submissions: {
    "submissions that can't be removed": {
      due: asCalledBack(
        "submissions",
        "rows of deleted submissions, on whose form a hold is set",
        "submission",
        "form_id",
      ),
    },
  },
  bin: {
    "submissions in the bin that can't be removed": {
      due: asCalledBack("bin", "rows of an emptied bin, on whose form a hold is set", "submission_bin", "form_id"),
    },
  },
  form: {
    "a deleted form whose job can't be removed": {
      async due({ service, formId }) {
        const id = formId.replace("form_", "form_0");
        await service.database.insertInto("form_purge").values({ form_id: id, requested_at: 1 }).execute();
        return {
          name: id,
          damage: () => refuse(service, "form_purge", "form_id", id),
          isThere: isFound(service, "form_purge", "form_id", id),
        };
      },
    },
  },
  deliveries: {
    "a webhook that can't be changed": {
      async due({ service, formId }) {
        const { database } = service;
        await database.updateTable("webhook").set({ ends_after: "" }).where("form_id", "=", formId).execute();
        const ending = database.selectFrom("webhook").select("form_id").where("ends_after", "is not", null);
        return {
          damage: () => refuse(service, "webhook", "form_id", formId),
          isThere: () => found(ending.where("form_id", "=", formId).execute()),
        };
      },
    },
  },
  envelope: {
    "envelopes that can't be removed": {
      due: asCalledBack("envelope", "removed envelopes that are restored", "envelope", "form_id"),
    },
  },
  former_key: {
    "a former key that can't be removed": {
      due: asCalledBack("former_key", "a personal key that is put back", "former_key", "person_id"),
    },
  },
  counted_bytes: {
    "counts that can't be summed up": {
      async due({ service, owner }) {
        const { database } = service;
        const owner_id = `0 ${owner.id}`;
        const many = Array.from({ length: 200 }, () => ({ owner_id, bytes: 1 }));
        await database.insertInto("counted_bytes").values(many).execute();
        const rows = database.selectFrom("counted_bytes").select("id").where("owner_id", "=", owner_id);
        return {
          name: owner_id,
          damage: () => refuse(service, "counted_bytes", "owner_id", owner_id),
          isThere: async () => (await rows.execute()).length > 1,
        };
      },
    },
  },
  auditLog: {
    "entries that can't be removed": {
      async due(scene) {
        const { service, owner } = scene;
        await chain(scene);
        return {
          name: owner.id,
          damage: () => refuse(service, "audit_entry", "account_id", owner.id),
          isThere: isFound(service, "audit_entry", "account_id", owner.id),
        };
      },
    },
  },
  shortenedLog: {
    "a log that can't be shortened": {
      async due(scene) {
        const { service, owner } = scene;
        const { database } = service;
        await chain(scene);
        const change = { shortened_to: 1, shortened_before: later };
        await database.updateTable("audit_head").set(change).where("account_id", "=", owner.id).execute();
        return {
          name: owner.id,
          damage: () => refuse(service, "audit_entry", "account_id", owner.id),
          isThere: isFound(service, "audit_entry", "account_id", owner.id),
        };
      },
    },
  },
  reminders: {
    "a hold that can't be read": {
      async due(scene) {
        const { service, formId } = scene;
        const hold = JSON.stringify({ since: 1, until: 2 });
        await service.database.updateTable("form_count").set({ hold }).where("form_id", "=", formId).execute();
        const counts = service.database.selectFrom("form_count").select("form_id").where("form_id", "=", formId);
        return {
          damage: () => setText(scene, "form_count", "hold", "form_id"),
          isThere: async () => !(await found(counts.where("hold", "like", "%isReminded%").execute())),
        };
      },
    },
  },
  tombstones: ended("submission_tombstone", "id", ({ formId: form_id }, id) => ({
    ...{ id, form_id, received_at: 1, sequence: 1, deleted_at: soon },
  })),
  invitation: ended("invitation", "id", ({ owner }, id) => ({
    ...{ id, organization_id: owner.id, email: "a@example.com", role: "viewer", form_ids: "[]", token_hash: id },
    ...{ invited_by: owner.id, created_at: 1, expires_at: soon },
  })),
  instance_invitation: ended("instance_invitation", "id", (_scene, id) => ({
    ...{ id, email: "a@example.com", token_hash: id, created_at: 1, expires_at: soon },
  })),
  admission: ended("admission", "id", ({ owner }, id) => ({
    ...{ id, organization_id: owner.id, email: "a@example.com", made_by: owner.id, terms: "{}" },
    ...{ created_at: 1, ends_at: soon },
  })),
  address_move: ended(
    "address_move",
    "person_id",
    (_scene, person_id) => ({
      ...{ person_id, old_email: "a@example.com", new_email: "b@example.com", created_at: 1, expires_at: soon },
    }),
    { value: ofOwner },
  ),
  undone_move: ended("undone_move", "person_id", (_scene, person_id) => ({ person_id, begun_at: 1, undone_at: soon })),
  member_change: ended(
    "member_change",
    "person_id",
    ({ owner }, person_id) => ({
      ...{ organization_id: owner.id, number: 1000, person_id, changed_at: soon },
    }),
    { name: ({ owner }) => `${owner.id} 1000` },
  ),
  form_reservation: ended("form_reservation", "form_id", ({ owner }, form_id) => ({
    ...{ form_id, organization_id: owner.id, principal_id: owner.id, expires_at: soon },
  })),
  key_copy: ended("key_copy", "id", ({ owner }, id) => ({
    ...{ id, person_id: owner.id, way: "sheet", name: "", file: "", created_at: 1, removed_at: soon },
  })),
  device_request: ended("device_request", "id", ({ owner }, id) => ({
    ...{ id, person_id: owner.id, session_id: "session", commitment: "", expires_at: soon },
  })),
};

/** Every file with a timer that goes through rows, other than the purge: the same. */
const ofTimers: Readonly<Record<string, string | Readonly<Record<string, DamagedCase>>>> = {
  "audit-log/counted-actions.ts": "writes what is in memory, each on its own",
  "database/shared-clock.ts": "asks for the time",
  "deliveries/delivery-retention.ts": ended(
    "delivery",
    "id",
    ({ formId: form_id }, id) => ({
      ...{
        form_id,
        id,
        event_id: id,
        is_test: 0,
        state: "delivered" as const,
        attempts: 1,
        created_at: 1,
        finished_at: 1,
      },
    }),
    {
      work({ database }, report) {
        const retention = createDeliveryRetention({
          store: createDeliveryRetentionStore(database),
          retentionMilliseconds: 0,
          mayDeleteOld: async () => true,
          clock: { now: () => later },
          report: () => {},
        });
        const reportFailure = createReport({ error: report }, "deliveries");
        return async () => void (await retention.run().catch(reportFailure));
      },
    },
  ),
  "deliveries/delivery-worker.ts": "delivery-store.test.ts: a claim is not stopped by a row which can't be read",
  "http/unfinished-bodies.ts": "goes through connections",
  "mail/mail-worker.ts": {
    "an email that can't be read": {
      async due({ service, formId, owner }) {
        const id = `0${formId}`;
        const times = { created_at: 1, due_at: 1, expires_at: later };
        const values = {
          id,
          kind: "submissions",
          account_id: owner.id,
          form_id: formId,
          details: `{"count":1}`,
          attempts: 0,
        };
        await service.database
          .insertInto("mail")
          .values({ ...values, ...times })
          .execute();
        const waiting = service.database
          .selectFrom("mail")
          .select("id")
          .where("id", "=", id)
          .where("finished_at", "is", null);
        return {
          name: id,
          damage: () =>
            service.database.updateTable("mail").set({ details: "{", due_at: 0 }).where("id", "=", id).execute(),
          isThere: () => found(waiting.execute()),
        };
      },
      isEnded: true,
      work: sendEmails,
    },
    ...ended(
      "mail",
      "id",
      ({ owner }, id) => ({
        ...{ id, kind: "submissions", account_id: owner.id, details: "{}", attempts: 1 },
        ...{ created_at: 1, due_at: 1, expires_at: 1, finished_at: 1 },
      }),
      { work: sendEmails },
    ),
    "a form whose notice can't be queued": notice("submissions", async () => {}),
    "an account whose notice can't be queued": notice("account_quota", ({ service, formId }) =>
      service.database.updateTable("form_count").set({ bytes: 900_000_000 }).where("form_id", "=", formId).execute(),
    ),
  },
  "operators/secret-watch.ts": {
    "a text with sealed values that can't be read": {
      async due(scene) {
        const { service, formId } = scene;
        const secret = service.database.selectFrom("webhook").select("form_id").where("form_id", "=", formId);
        const earlier_secrets = JSON.stringify([{ secret: `${sealedPrefix(1)}a`, expiresAt: 1 }]);
        await service.database.updateTable("webhook").set({ earlier_secrets }).where("form_id", "=", formId).execute();
        return {
          damage: () => setText(scene, "webhook", "earlier_secrets", "form_id", `[${sealedPrefix(1)}`),
          isThere: () => found(secret.where("earlier_secrets", "like", `%${sealedPrefix(1)}%`).execute()),
        };
      },
      work:
        ({ database }, report) =>
        async () => {
          const { unreadable } = await passSealedValues(database, [1], async () => "sealed again");
          report(`${unreadable} unreadable`);
        },
      isCounted: true,
    },
  },
  "rate-limits/rate-limits.ts": ended("rate_limit", "key", (_scene, key) => ({ key, points: 1, expire: soon }), {
    on: "postgres",
    work({ database }, report) {
      const { removeEnded } = createRateLimitStore(database);
      const reportFailure = createReport({ error: report }, "rate limits");
      return () => removeEnded(later).catch(reportFailure);
    },
  }),
  "startup/accounts.ts": {
    "entries of an audit log that can't be chained": {
      async due({ service, owner }) {
        const { database } = service;
        const unchained = database.selectFrom("audit_entry").select("id").where("account_id", "=", owner.id);
        return {
          name: owner.id,
          damage: () => refuse(service, "audit_entry", "account_id", owner.id),
          isThere: () => found(unchained.where("sequence", "is", null).execute()),
        };
      },
      work({ database }, report) {
        const { chainSome } = createAuditChainStore(database);
        const reportFailure = createReport({ error: report }, "audit log");
        return async () => {
          try {
            while (await chainSome());
          } catch (error) {
            reportFailure(error);
          }
        };
      },
    },
  },
};

test("every timer that goes through rows says how it continues past one that is damaged", () => {
  const files = Object.entries<string>(timers).flatMap(([file, reason]) => (reason === byTimer ? [file] : []));
  const own = [...files, "deliveries/delivery-worker.ts"].filter((file) => file !== "retention/purge-worker.ts");
  assert.deepEqual(Object.keys(ofTimers), own.toSorted());
});

for (const [part, of] of Object.entries({ ...ofPurge, ...ofTimers }))
  for (const [damage, damaged] of typeof of === "string" ? [] : Object.entries(of)) {
    const title = `${part}, ${damage}`;
    test(`a damaged row keeps no other one waiting, and is reported once: ${title}`, {
      skip: isCluster ? "triggers are made by hand" : damaged.on === "postgres" && testDatabaseKind === "sqlite",
    }, async (t) => {
      const service = await createTestService(t, { deliveries: silentWebhooks });
      const lines: string[] = [];
      const { due, work = purgeAtLater, isEnded, isCounted } = damaged;
      const run = work(service, (line) => void lines.push(JSON.stringify(line)));
      await run();
      const start = async () => {
        const scene = await createScene(service);
        return { scene, due: await due(scene) };
      };
      const first = await start();
      await first.due.damage();
      const { due: second } = await start();
      assert.deepEqual([await first.due.isThere(), await second.isThere()], [true, true]);
      for (let times = 0; times < 3; times++) await run();
      assert.deepEqual([await first.due.isThere(), await second.isThere()], [isEnded !== true, false]);
      const name = isCounted ? "1 unreadable" : (first.due.name ?? first.scene.formId);
      const naming = lines.filter((line) => line.includes(name));
      assert.ok(isCounted ? naming.length > 0 : naming.length === 1, lines.join("\n"));
    });
  }
