import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createAuditChainStore } from "../audit-log/audit-chain-store.ts";
import { createAuditRetentionStore } from "../audit-log/audit-retention-store.ts";
import type { TableName } from "../database/table-record.ts";
import { leadsTo } from "../database/table-records.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { isCluster } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { type Case, cases, found, later, type Scene, take } from "./testing/called-back-cases.ts";
import { createScene, purgeLater } from "./testing/purge-later.ts";

/** More than any step looks at: the largest looks at 200. */
const blockedRows = 205;
/** Before every id that the service makes, so that each look meets them first. */
const idsOf = (prefix: string) => Array.from({ length: blockedRows }, (_, index) => `${prefix}_${1000 + index}`);

async function listRows({ database }: TestService, table: TableName, column: string, value: string) {
  const rows = await database.selectFrom(table).selectAll().where(database.dynamic.ref(column), "=", value).execute();
  return rows as readonly Record<string, unknown>[];
}

async function insertRows({ database }: TestService, table: TableName, rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += 50)
    await database
      .insertInto(table)
      .values(rows.slice(start, start + 50) as never)
      .execute();
}

/** The organization and its form, with all rows of it, for each of these ids. */
async function copyHeld({ service, owner, formId }: Scene, ids: readonly string[]): Promise<void> {
  const organizations = await listRows(service, "organization", "id", owner.id);
  await insertRows(
    service,
    "organization",
    ids.flatMap((id) => organizations.map((row) => ({ ...row, id }))),
  );
  const forms = await listRows(service, "form", "id", formId);
  await insertRows(
    service,
    "form",
    ids.flatMap((id) => forms.map((row) => ({ ...row, id: `form_${id}`, account_id: id }))),
  );
  for (const { table, by } of leadsTo("form")) {
    const rows = await listRows(service, table, by, formId);
    const copies = ids.flatMap((id, index) =>
      rows.map(({ sequence, ...row }) => ({
        ...row,
        // The rows of `submission` are given one.
        ...(sequence !== undefined && table !== "submission" && { sequence: Number(sequence) + 1000 * (index + 1) }),
        ...("id" in row && { id: `${String(row.id)}_${id}` }),
        [by]: `form_${id}`,
      })),
    );
    await insertRows(service, table, copies);
  }
}

/** Persons whose accounts are due, and who each own an organization that keeps them. */
async function copyLeaver({ service, owner }: Scene, ids: readonly string[], ownedBy: (id: string) => string) {
  const persons = await listRows(service, "person", "id", owner.id);
  await insertRows(
    service,
    "person",
    ids.flatMap((id) =>
      persons.map((row) => ({ ...row, id, email: `${id}@example.com`, sign_up_slot: null, leaves_at: 1 })),
    ),
  );
  const members = await listRows(service, "member", "organization_id", owner.id);
  const own = members.filter(({ person_id }) => person_id === owner.id);
  await insertRows(
    service,
    "member",
    ids.flatMap((id) => own.map((row) => ({ ...row, organization_id: ownedBy(id), person_id: id }))),
  );
}

const leave = async (service: TestService) => {
  const scene = await createScene(service);
  await take(scene.owner.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT"));
  const isThere = () =>
    found(service.database.selectFrom("person").select("id").where("id", "=", scene.owner.id).execute());
  return { isThere };
};

/** More rows than a look takes, of which none can be done; then one that can. */
interface BlockedCase {
  block(service: TestService): Promise<unknown>;
  due(service: TestService): Promise<{ readonly isThere: () => Promise<boolean> }>;
  /** The work of the task; all steps of the purge where nothing is said. */
  work?(service: TestService): Promise<unknown>;
}

/** For everything that a hold keeps. */
const byHold = ({ prepare }: Case): BlockedCase => ({
  async block(service) {
    const scene = await createScene(service);
    const { callBack } = await prepare(scene);
    await take(callBack());
    await copyHeld(scene, idsOf("0"));
  },
  due: async (service) => prepare(await createScene(service)),
});

/** Until two rounds did nothing more; a step that fails is asked again, as by the next run. */
async function repeat(step: () => Promise<boolean>): Promise<void> {
  for (let runs = 0; runs < 6; runs++) {
    const more = await step().catch(() => false);
    if (more) runs = Math.max(0, runs - 1);
  }
}

const blocked: Readonly<Record<string, BlockedCase>> = {
  ...Object.fromEntries(
    Object.values(cases).flatMap((of) =>
      typeof of === "string"
        ? []
        : Object.entries(of).flatMap(([title, one]) => (one.isHeld ? [[title, byHold(one)] as const] : [])),
    ),
  ),
  "persons whose organizations are held": {
    async block(service) {
      const scene = await createScene(service);
      await take(scene.owner.request("PUT", `${scene.form}/hold`, {}));
      await copyHeld(scene, idsOf("0"));
      await copyLeaver(scene, idsOf("1"), (id) => id.replace("1_", "0_"));
    },
    due: leave,
  },
  "persons whose organization needs an owner": {
    async block(service) {
      const scene = await createScene(service);
      await addPerson(service, scene.owner, "remains@example.com", { role: "manager" });
      await copyLeaver(scene, idsOf("0"), () => scene.owner.id);
      await service.database.updateTable("person").set({ leaves_at: 1 }).where("id", "=", scene.owner.id).execute();
    },
    due: leave,
  },
  "entries of audit logs that a newer one keeps": {
    async block(service) {
      const { owner } = await createScene(service);
      const [entry] = await listRows(service, "audit_entry", "account_id", owner.id);
      const rows = idsOf("0").flatMap((id) => [
        { ...entry, account_id: id, id: `${id}_1`, sequence: 1, hash: `${id}_1`, occurred_at: later - 1 },
        { ...entry, account_id: id, id: `${id}_2`, sequence: 2, hash: `${id}_2`, occurred_at: 1 },
      ]);
      await insertRows(service, "audit_entry", rows);
    },
    async due(service) {
      const { owner } = await createScene(service);
      const { database } = service;
      await createAuditChainStore(database).chain(owner.id as AccountId); // the service made it
      const entries = database.selectFrom("audit_entry").select("id").where("account_id", "=", owner.id);
      return { isThere: () => found(entries.execute()) };
    },
    async work({ database }) {
      const { removeBefore } = createAuditRetentionStore(database);
      await repeat(() => removeBefore(later - 10, later));
    },
  },
  "audit logs that somebody has broken": {
    async block(service) {
      const { owner } = await createScene(service);
      const [entry] = await listRows(service, "audit_entry", "account_id", owner.id);
      const rows = idsOf("0").flatMap((id) => [
        { ...entry, account_id: id, id: `${id}_1`, sequence: 1, hash: "by hand" },
        { ...entry, account_id: id, id: `${id}_2`, sequence: null, hash: null },
      ]);
      await insertRows(service, "audit_entry", rows);
    },
    async due(service) {
      const { owner } = await createScene(service);
      const unchained = service.database
        .selectFrom("audit_entry")
        .select("id")
        .where("account_id", "=", owner.id)
        .where("sequence", "is", null);
      return { isThere: () => found(unchained.execute()) };
    },
    async work({ database }) {
      const { chainSome } = createAuditChainStore(database);
      await repeat(chainSome);
    },
  },
};

for (const [title, { block, due, work = purgeLater }] of Object.entries(blocked))
  test(`what can't be done keeps nothing else waiting: ${title}`, {
    skip: isCluster && "copies rows by hand",
  }, async (t) => {
    const service = await createTestService(t);
    await block(service);
    const { isThere } = await due(service);
    assert.ok(await isThere());
    await work(service);
    assert.equal(await isThere(), false);
  });
