import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createMadeUpEnvelope } from "../../../../tests/support/made-up-envelope.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { leadsTo } from "../database/table-records.ts";
import { changeFormHold, createRemindOfHolds } from "../forms/form-hold-store.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { hideBinned, moveToBin } from "../submissions/bin-rows-store.ts";
import { findPlaces, hideSubmissions, removeSubmissions } from "../submissions/submission-deletion-store.ts";
import { visibleRows } from "../submissions/visible-rows-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { createPurgeStore } from "./purge-store.ts";
import { purge } from "./testing/purge.ts";

const kept = ["form", "form_key", "form_count", "envelope", "submission", "submission_bin"] as const;

async function countKept({ database }: TestService, formId: string) {
  const counts: Record<string, number> = {};
  for (const table of kept) {
    const { count } = await database
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as("count"))
      .where(table === "form" ? "id" : "form_id", "=", formId)
      .executeTakeFirstOrThrow();
    counts[table] = Number(count);
  }
  return counts;
}

/** Each way to delete something of a form, with its answer while nothing holds it. */
const deletions = (form: string, ids: readonly [string, string, string]) =>
  [
    ["DELETE", `${form}/submissions/${ids[0]}`],
    ["POST", `${form}/submissions/delete`, { ids: [ids[1]] }],
    ["POST", `${form}/submissions/bin`, { ids: [ids[2]] }],
    ["POST", `${form}/submissions/bin`, { before: 8.64e15 }],
    ["DELETE", `${form}/submissions/bin?confirm=EMPTY_BIN`],
    ["DELETE", `${form}/submissions?confirm=DELETE_SUBMISSIONS`],
    ["DELETE", `${form}?confirm=DELETE_FORM`],
  ] as const;

async function setUp(t: Parameters<typeof createTestService>[0]) {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 12));
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const owner = await service.signUp();
  const formId = await createForm(owner, { encryption: false, binDays: 1 });
  return { clock, service, owner, formId, form: `/api/forms/${formId}` };
}

test("while a legal hold lasts nothing of its form is deleted, by no credential and by no age; each attempt names the hold", async (t) => {
  const { clock, service, owner, formId, form } = await setUp(t);
  const later = createFakeClock(clock.now() + 10 * day);
  const [first, second, third] = [
    await postPlain(service, formId),
    await postPlain(service, formId),
    await postPlain(service, formId),
  ];
  const binned = await postPlain(service, formId);
  await owner.request("POST", `${form}/submissions/bin`, { ids: [binned] });
  assert.equal((await owner.request("PUT", `${form}/retention`, { days: 1 })).status, 200);
  const put = { token: owner.token, body: { envelope: createMadeUpEnvelope() }, headers: { "if-none-match": "*" } };
  assert.equal((await service.request("PUT", `${form}/envelopes/1`, put)).status, 200);
  const permissions = ["forms:write", "submissions:delete"];
  const { body: key } = await owner.request("POST", "/api/api-keys", { name: "k", permissions });
  const { body: held } = await owner.request("PUT", `${form}/hold`, { reason: " Case 7 " });
  assert.deepEqual(held.hold, {
    since: clock.now(),
    setBy: { id: owner.id, name: "Person" },
    reason: "Case 7",
    until: null,
  });
  const before = await countKept(service, formId);
  assert.deepEqual(Object.values(before), [1, 1, 1, 1, 3, 1]);
  const refused = {
    error: "conflict",
    message:
      "This form has been under legal hold since 2026-11-23: nothing of it can be deleted until an owner of the organization lifts the hold",
    code: "form_held",
  };
  for (const token of [owner.token, key.key.key])
    for (const [method, path, body] of deletions(form, [first, second, third])) {
      const answer = await service.request(method, path, { token, body });
      assert.deepEqual([answer.status, answer.body], [409, refused], `${method} ${path}`);
    }
  assert.equal((await owner.request("PATCH", form, { settings: { binDays: 0 } })).status, 200);
  await purge(service, later);
  assert.deepEqual(await countKept(service, formId), before);
  // A deletion just before the hold, whose rows wait for the purge, waits as long as the hold lasts.
  await service.database
    .updateTable("form_count")
    .set({ visible_from: later.now() })
    .where("form_id", "=", formId)
    .execute();
  const job = { form_id: formId, received_before: later.now(), requested_at: clock.now() };
  await service.database.insertInto("submission_purge").values(job).execute();
  assert.equal(await createPurgeStore(service.database).purgeSubmissions(), false);
  assert.deepEqual(await countKept(service, formId), before);
  await service.database.deleteFrom("submission_purge").execute();
  await service.database.updateTable("form_count").set({ visible_from: 0 }).where("form_id", "=", formId).execute();
  // Restoring deletes nothing, and submissions come in as ever.
  assert.equal((await owner.request("POST", `${form}/submissions/bin/restore`, { ids: [binned] })).status, 200);
  await postPlain(service, formId);
  assert.deepEqual(Object.values(await countKept(service, formId)), [1, 1, 1, 1, 5, 0]);

  assert.deepEqual((await owner.request("DELETE", `${form}/hold`)).body, { hold: null });
  await purge(service, later);
  assert.deepEqual(
    Object.values(await countKept(service, formId)),
    [1, 1, 1, 1, 0, 0],
    "what is too old goes as always",
  );
  assert.equal((await owner.request("DELETE", `${form}?confirm=DELETE_FORM`)).status, 200);
  await purge(service, later);
  assert.deepEqual(Object.values(await countKept(service, formId)), [0, 0, 0, 0, 0, 0]);
});

test("owners set, change and lift a legal hold, with a fresh sign-in; all who see the form see it; each change is recorded", async (t) => {
  const { clock, service, owner, formId, form } = await setUp(t);
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const stranger = await service.signUp();
  assert.ok(!("hold" in (await owner.request("GET", form)).body.form), "a form without one answers as before");
  for (const [who, status] of [
    [manager, 403],
    [stranger, 404],
  ] as const)
    for (const method of ["PUT", "DELETE"])
      assert.equal((await who.request(method, `${form}/hold`, method === "PUT" ? {} : undefined)).status, status);
  for (const [body, field] of [
    [{ until: clock.now() }, "until"],
    // Beyond what a date can be.
    [{ until: Number.MAX_SAFE_INTEGER }, "until"],
    [{ reason: "a\nb" }, "reason"],
    [{ reason: "a".repeat(501) }, "reason"],
  ] as const) {
    const { status, body: answer } = await owner.request("PUT", `${form}/hold`, body);
    assert.deepEqual([status, Object.keys(answer.details)], [400, [field]]);
  }
  const until = clock.now() + day;
  // Entries of one millisecond have no order.
  for (const body of [{ reason: "Case 7" }, { reason: "Case 7" }, { reason: "Case 8", until }]) {
    clock.advance(1);
    assert.equal((await owner.request("PUT", `${form}/hold`, body)).status, 200);
  }
  const seen = await manager.request("GET", form);
  assert.deepEqual([seen.body.form.hold.reason, seen.body.form.hold.until], ["Case 8", until]);
  assert.equal((await manager.request("GET", "/api/forms")).body.forms[0].held, true);
  assert.equal((await manager.request("DELETE", `${form}?confirm=DELETE_FORM`)).body.code, "form_held");

  const reminded: unknown[] = [];
  const remind = createRemindOfHolds(service.database, async (_transaction, { formId: of, until: at }) => {
    reminded.push([of, at]);
  });
  assert.deepEqual([await remind(until - 1), await remind(until), await remind(until)], [false, true, false]);
  assert.deepEqual(reminded, [[formId, until]], "once");
  clock.advance(1);
  await owner.request("DELETE", `${form}/hold`);
  const { body: log } = await owner.request("GET", "/api/audit-log");
  const entries = log.entries.filter(({ action }: { action: string }) => action.startsWith("form.hold"));
  assert.deepEqual(
    entries.map(({ action, details }: { action: string; details: { changes: { setting: string; to: unknown }[] } }) => [
      action,
      details.changes.map(({ setting, to }) => [setting, to]),
    ]),
    [
      [
        "form.hold_lifted",
        [
          ["holdSince", null],
          ["holdReason", null],
          ["holdUntil", null],
        ],
      ],
      [
        "form.hold_set",
        [
          ["holdReason", "Case 8"],
          ["holdUntil", new Date(until).toISOString()],
        ],
      ],
      [
        "form.hold_set",
        [
          ["holdSince", new Date(clock.now() - 3).toISOString()],
          ["holdReason", "Case 7"],
        ],
      ],
    ],
  );
  await owner.request("PUT", `${form}/hold`, {});
  clock.advance(61 * 60_000);
  // The token is too old as well by then; the cookie is not.
  const headers = { cookie: owner.cookie, origin: service.url };
  const stale = await service.request("DELETE", `${form}/hold`, { headers });
  assert.deepEqual([stale.status, stale.body.code], [403, "session_stale"]);
});

test("a statement that deletes submissions deletes none of a held form, even where nobody asked before", async (t) => {
  const { clock, service, owner, formId, form } = await setUp(t);
  const [id = "", binned = ""] = [await postPlain(service, formId), await postPlain(service, formId)];
  await owner.request("POST", `${form}/submissions/bin`, { ids: [binned] });
  const later = clock.now() + day;
  const attempts: Record<string, (transaction: DatabaseTransaction) => Promise<unknown>> = {
    delete: (transaction) => remove(transaction, "submission"),
    deleteBinned: (transaction) => remove(transaction, "submission_bin"),
    bin: async (transaction) => moveToBin(transaction, formId, await findSequences(transaction, "submission"), later),
    hide: (transaction) => hideSubmissions(transaction, formId, later, later),
    hideBinned: (transaction) => hideBinned(transaction, formId, later),
  };
  async function findSequences(transaction: DatabaseTransaction, table: "submission" | "submission_bin") {
    const rows = await transaction.selectFrom(table).select("sequence").where("form_id", "=", formId).execute();
    return rows.map(({ sequence }) => sequence);
  }
  async function remove(transaction: DatabaseTransaction, from: "submission" | "submission_bin") {
    const places = await findPlaces(transaction, formId, from, [id, binned]);
    await removeSubmissions(transaction, { formId, formName: "F", places, deletedAt: later, from });
  }
  async function look(transaction: DatabaseTransaction) {
    const seen = [];
    for (const table of ["submission", "submission_bin"] as const)
      seen.push((await visibleRows(transaction, formId, table).select("id").execute()).map((row) => row.id));
    return seen;
  }
  for (const [name, attempt] of Object.entries(attempts))
    for (const isHeld of [true, false]) {
      let seen: unknown;
      const rolledBack = service.database.transaction().execute(async (transaction) => {
        if (isHeld) await changeFormHold(transaction, owner.id as AccountId, formId, async () => hold); // ids of accounts look like this
        await attempt(transaction);
        seen = await look(transaction);
        throw new Error("roll back");
      });
      await assert.rejects(rolledBack, /roll back/);
      // A row that a statement alone would have moved to the bin is in both places: none is lost.
      const isKept = JSON.stringify(seen).includes(id) && JSON.stringify(seen).includes(binned);
      const staysInInbox = (seen as string[][])[0]?.includes(id) === true;
      assert.equal(isKept && staysInInbox, isHeld, `${name}, ${isHeld ? "held" : "not held"}`);
    }
});

const hold = { since: 1, setBy: undefined, reason: undefined, until: undefined, isReminded: false };

/** Statements that delete rows of a form without asking for a hold, and why that loses nothing. */
const unasked: readonly (readonly [place: string, reason: string])[] = [
  ["accounts/address-move-store.ts table", "a person's ways to sign in"],
  [
    "database/remove-rows.ts table",
    "remains of a form that is deleted: one that is held never is; or of an account without forms",
  ],
  ["personal-keys/former-key-store.ts table", "former keys of a person that end, and copies that only they had"],
  ["forms/form-removal-store.ts form", "the statement before it took the form's counts, which a hold keeps"],
  ["forms/form-removal-store.ts webhook", "the same"],
  ["submissions/bin-rows-store.ts submission_bin", "the statement before it wrote the rows back to where they were"],
  ["submissions/bin-rows-store.ts form_bin", "the counts of a bin with nothing in it"],
  ["retention/purge-store.ts submission_purge", "a job whose rows are gone; none of a held form is begun"],
  ["retention/retention-store.ts form_retention", "a setting, which its owner changes"],
  ["mail/mail-switch-store.ts email_opt_out", "a setting, which its owner changes"],
  ["mail/quota-notice-store.ts quota_notice", "there is room again"],
];

test("every statement of the service that deletes rows that a legal hold keeps, or hides them, asks for it", () => {
  const root = join(import.meta.dirname, "..");
  const held = leadsTo("form").filter((lead) => lead.to === "form" && lead.held === "kept");
  const protectedTables = new Set<string>(["form", ...held.map(({ table }) => table)]);
  const found: { place: string; asks: boolean }[] = [];
  for (const file of globSync("**/*.ts", { cwd: root }).sort()) {
    if (/\.test\.ts$|(^|\/)testing\//.test(file)) continue;
    const text = readFileSync(join(root, file), "utf8");
    for (const match of text.matchAll(/\.deleteFrom\((.+?)\)|\bvisible_from: end\b|\bdelete from (\S+)/g)) {
      const table = (match[1] ?? match[2] ?? "visible_from").replaceAll('"', "");
      const isName = match[1]?.startsWith('"') === true || match[2] !== undefined;
      if (isName && !protectedTables.has(table)) continue;
      const statement = text.slice(match.index).split(/\.execute|;/)[0] ?? "";
      found.push({ place: `${file} ${table}`, asks: /isNotHeld\(formId\)|"hold", "is", null/.test(statement) });
    }
  }
  assert.ok(found.length >= 9, JSON.stringify(found));
  assert.deepEqual(
    [...new Set(found.filter(({ asks }) => !asks).map(({ place }) => place))].toSorted(),
    unasked.map(([place]) => place).toSorted(),
  );
});
