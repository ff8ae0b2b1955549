import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { createMadeUpEnvelope } from "../../../../tests/support/made-up-envelope.ts";
import { operationRoles, type RoleOperation } from "../access/roles.ts";
import type { TableName } from "../database/table-record.ts";
import { recordOf, tableNames } from "../database/table-records.ts";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createInvitationStore } from "../organizations/invitation-store.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { type Code, sentences } from "../problems/codes.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";

/**
 * The total that a code refuses to exceed, and an owner's way to act after a manager, or an API key, has used it up:
 *
 * - `own`: it counts for each person, or its maker, so a manager uses up nothing of an owner's.
 * - `reserved`: the last part of it is for owners.
 * - `freedBy`: an owner's operation makes room.
 * - `ends`: it is over by itself, or bounds nothing that stays.
 */
type Total =
  | { readonly own: string }
  | { readonly reserved: string }
  | { readonly freedBy: RoleOperation }
  | { readonly ends: string };

const totals = {
  too_many_requests: { own: "by credential and address" },
  too_many_changes: { own: "an owner's changes are their own" },
  too_many_exports: { own: "the person's data" },
  too_many_forms: { freedBy: "deleteForm" },
  too_many_key_versions: { reserved: "100 versions" },
  too_many_key_versions_today: { reserved: "8 a day" },
  too_many_key_log_entries_today: { reserved: "150 a day" },
  too_many_reservations: { own: "20 for each person" },
  too_many_envelope_removals: { own: "owners alone remove envelopes" },
  too_many_envelopes: { reserved: "8 envelopes" },
  too_many_envelope_revisions: { reserved: "1,024 revisions" },
  too_many_envelope_revisions_today: { own: "of one person" },
  hourly_limit_reached: { ends: "an hour, and any member who changes the form sets another number" },
  quota_reached: { freedBy: "deleteSubmissions" },
  organization_full: { reserved: "a quarter of the plan's bytes, and an eighth more to rotate keys" },
  storage_full: { ends: "the operator's disk, whose last part is for what ends something" },
  too_many_resends: { reserved: "20 deliveries of an event" },
  too_many_webhook_secrets: { freedBy: "rotateWebhookSecret" },
  too_many_api_key_forms: { own: "of one key" },
  too_many_api_keys: { reserved: "one key" },
  too_many_passkeys: { own: "of one person" },
  too_many_names: { own: "of one person" },
  too_many_personal_keys: { own: "of one person" },
  too_many_key_copies: { own: "of one person" },
  too_many_key_copies_today: { own: "of one person" },
  too_many_emails: { own: "of one account" },
  too_many_organizations: { own: "of one person" },
  too_many_members: { freedBy: "removeMember" },
  too_many_member_changes: { reserved: "1,000 a day for all owners, and 50 for each" },
  too_many_invitations: { freedBy: "revokeInvitation" },
  too_many_invitations_today: { own: "an owner's own invitations count" },
  too_many_admissions: { freedBy: "revokeAdmission" },
  too_many_list_entries_today: { own: "of one manager" },
  too_many_own_list_entries: { own: "readers and auditors alone" },
  member_list_full: { reserved: "4,096 entries, the last 64 of them for removals" },
} as const satisfies Partial<Record<Code, Total>>;

test("each total that the service refuses to exceed leaves an owner a way when others have used it up", () => {
  const codes = Object.keys(sentences).filter((code) => /^too_many_|_full$|_reached$/.test(code));
  assert.deepEqual(
    codes.filter((code) => code !== "password_queue_full").toSorted(),
    Object.keys(totals).toSorted(),
    "say in `totals` how an owner acts after somebody has used it up",
  );
  for (const [code, total] of Object.entries(totals))
    if ("freedBy" in total) {
      const allowed: readonly string[] = operationRoles[total.freedBy];
      assert.ok(allowed.includes("owner"), `${code}: no owner may ${total.freedBy}`);
    }
});

interface Scene {
  readonly service: TestService;
  readonly owner: TestAccount;
  readonly form: FormId;
  /** The code of a refused request, or its status. */
  readonly ask: Ask;
}
type Ask = (
  by: TestAccount,
  method: string,
  path: string,
  more?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
) => Promise<string>;

interface Case {
  /** As a manager would leave it. */
  useUp(scene: Scene): Promise<unknown>;
  /** The request that a manager is refused then. */
  act(by: TestAccount, scene: Scene): Promise<string>;
  /** By an owner, before the same request. */
  free?(scene: Scene): Promise<string>;
  /** The answer to the owner, 200 when omitted: refused for another reason where a valid request needs keys. */
  readonly answer?: string;
}

const file = createMadeUpEnvelope();
const insertEnvelopes = ({ service, form }: Scene, column: "lowest_version" | "revision", count: number) =>
  sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
    insert into envelope (form_id, lowest_version, revision, hash, bytes, file, writer_id, created_at)
    select ${form}, ${column === "lowest_version" ? sql`number` : sql`1`}, ${column === "revision" ? sql`number` : sql`1`},
      'hash', 1, ${Buffer.from("x")}, 'somebody', 1 from numbers`.execute(service.database);

const findDelivery = ({ database }: TestService, form: FormId) =>
  database
    .selectFrom("delivery")
    .selectAll()
    .where("form_id", "=", form)
    .orderBy("created_at")
    .executeTakeFirstOrThrow();

const cases = {
  too_many_forms: {
    useUp: ({ service }) => service.database.updateTable("account_count").set({ forms: 10_000 }).execute(),
    free: async ({ ask, owner, form }) => ask(owner, "DELETE", `/api/forms/${form}?confirm=DELETE_FORM`),
    act: (by, { ask }) =>
      ask(by, "POST", "/api/forms", { body: { name: createId("form"), settings: { encryption: false } } }),
  },
  too_many_key_log_entries_today: {
    useUp: ({ service, form }) => {
      const entry = { form_id: form, hash: "hash", entry: "entry", added_at: Date.now() };
      const numbers = Array.from({ length: 150 }, (_, index) => 751 + index);
      return service.database
        .insertInto("key_log_entry")
        .values(numbers.map((number) => ({ ...entry, number })))
        .execute();
    },
    act: (by, { ask, form }) =>
      ask(by, "POST", `/api/forms/${form}/keys/log`, {
        body: { entry: "made-up" },
        headers: { "if-match": '"900-hash"' },
      }),
    answer: "key_log_entry_refused",
  },
  too_many_envelopes: {
    async useUp(scene) {
      const { service, form } = scene;
      await service.database.updateTable("form").set({ key_version: 999 }).where("id", "=", form).execute();
      await service.database.updateTable("form_key").set({ version: 999 }).where("form_id", "=", form).execute();
      await insertEnvelopes(scene, "lowest_version", 24);
    },
    act: (by, { ask, form }) =>
      ask(by, "PUT", `/api/forms/${form}/envelopes/993`, {
        body: { envelope: file },
        headers: { "if-none-match": "*" },
      }),
  },
  too_many_envelope_revisions: {
    async useUp(scene) {
      await scene.owner.request("PUT", `/api/forms/${scene.form}/hold`, { reason: "Case 7" });
      await insertEnvelopes(scene, "revision", 7168);
    },
    act: (by, { ask, form }) =>
      ask(by, "PUT", `/api/forms/${form}/envelopes/1`, {
        body: { envelope: file },
        headers: { "if-match": '"7168-hash"' },
      }),
  },
  too_many_webhook_secrets: {
    async useUp({ ask, owner, form }) {
      for (let rotation = 1; rotation < 5; rotation++)
        assert.equal(await ask(owner, "POST", `/api/forms/${form}/webhook-secret/rotate`), "200");
    },
    free: ({ ask, owner, form }) =>
      ask(owner, "POST", `/api/forms/${form}/webhook-secret/rotate`, { body: { revokePrevious: true } }),
    act: (by, { ask, form }) => ask(by, "POST", `/api/forms/${form}/webhook-secret/rotate`),
  },
  too_many_resends: {
    async useUp({ service, owner, form }) {
      await owner.request("PATCH", `/api/forms/${form}`, { settings: { webhookUrl } });
      await postPlain(service, form);
      const first = await findDelivery(service, form);
      const row = {
        ...{ event_id: first.event_id, form_id: form, is_test: 0, attempts: 6 },
        created_at: 1,
        finished_at: 1,
      };
      const copies = Array.from({ length: 79 }, () => ({ id: createId("delivery"), ...row, state: "failed" as const }));
      await service.database.insertInto("delivery").values(copies).execute();
    },
    act: async (by, { ask, service, form }) =>
      ask(by, "POST", `/api/forms/${form}/webhook/logs/${(await findDelivery(service, form)).id}/resend`),
    answer: "202",
  },
  too_many_invitations: {
    async useUp({ service, owner }) {
      const invitations = createInvitationStore(service.database);
      const [organizationId, invitedBy] = [owner.id as AccountId, owner.id as AccountId];
      for (let number = 0; number < 50; number++)
        await service.database.transaction().execute((transaction) =>
          invitations.create(
            transaction,
            {
              organizationId,
              invitedBy,
              email: `${number}@example.com`,
              role: "reader",
              formIds: [],
              isMailed: false,
            },
            Date.now() - 2 * 86_400_000,
          ),
        );
    },
    async free({ ask, owner }) {
      const { invitations } = (await owner.request("GET", "/api/invitations")).body;
      return ask(owner, "DELETE", `/api/invitations/${invitations[0].id}`);
    },
    act: (by, { ask }) =>
      ask(by, "POST", "/api/invitations", { body: { email: "more@example.com", role: "reader", forms: [] } }),
  },
} satisfies Partial<Record<keyof typeof totals, Case>>;

/** A test: its file, and a part of its title. */
type ShownBy = readonly [file: string, title: string];

const organizations = "packages/server/src/organizations";
/** Tables out of which no request takes a single row, so that nobody makes room there: tests of why no member fills them for the owners, or when the rows go. */
const onlyGrowing: Partial<Record<TableName, readonly ShownBy[] | string>> = {
  form_key: [
    ["packages/server/src/forms/used-up.test.ts", "managers and API keys, an owner's too, use up no key version"],
  ],
  list_entry: [
    [`${organizations}/list-entry-bounds.test.ts`, "a manager signs 64 entries within a day"],
    [`${organizations}/own-list-entries.test.ts`, "ten entries within a day"],
    [`${organizations}/member-list.test.ts`, "no member spoils the list"],
  ],
  audit_entry: [
    ["tests/rights/log-bounds.check.ts", "every operation, by each role and by however many sessions and API key"],
  ],
  form: "an owner deletes forms, and the purge removes their rows",
  admission:
    "fifty are open at once, taking one back makes room, and the purge removes the rows of those that have ended",
  invitation: "revoking one makes room, and the purge removes the rows of those that have ended",
  member_change:
    "owners and managers alone make them, and the purge removes them once no move of an address can be undone",
  event: "some days after its last delivery has ended",
};

test("no member fills a table for the owners out of which no request takes a row", () => {
  const root = `${import.meta.dirname}/../../../..`;
  // Where rows go for another reason than that somebody makes room.
  const others = /retention|purge|restored-access|removal-store|copy-store/;
  const stores = globSync("packages/server/src/**/*-store.ts", { cwd: root }).filter((file) => !others.test(file));
  const written = stores.map((file) => readFileSync(`${root}/${file}`, "utf8")).join("");
  const isShared = (table: TableName) => {
    const { bytes, belongsTo } = recordOf(table);
    return bytes.kind === "rows" && belongsTo.some(({ to }) => to === "organization" || to === "form");
  };
  const growing = tableNames.filter((table) => isShared(table) && !written.includes(`deleteFrom("${table}")`));
  assert.deepEqual(growing.toSorted(), Object.keys(onlyGrowing).toSorted(), "say in `onlyGrowing` what bounds it");
  for (const shown of Object.values(onlyGrowing))
    for (const [file, title] of typeof shown === "string" ? [] : shown)
      assert.ok(readFileSync(`${root}/${file}`, "utf8").includes(title), `${file} has no test “${title} …”`);
});

test("an owner acts after a manager has used up the forms, secrets or invitations, a form's envelopes and their revisions, its key log, or the deliveries of an event", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const ask: Ask = async (by, method, path, more) => {
    const { status, body } = await service.request(method, path, { token: by.token, ...more });
    return body.code ?? String(status);
  };
  for (const [code, { useUp, act, free, answer = "200" }] of Object.entries<Case>(cases)) {
    const owner = await service.signUp(`owner-${code}@example.com`);
    const manager = await addPerson(service, owner, `manager-${code}@example.com`, { role: "manager" });
    const form = await createForm(owner, { encryption: false });
    const scene = { service, owner, form, ask };
    await useUp(scene);
    assert.equal(await act(manager, scene), code);
    if (free !== undefined) assert.equal(await free(scene), "200", code);
    assert.equal(await act(owner, scene), answer, code);
  }
});
