import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { CompiledQuery } from "kysely";
import { createForm, listEvents, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { purge } from "../retention/testing/purge.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createBinStore } from "./bin-store.ts";
import { visibleNamedRows } from "./visible-rows-store.ts";

const day = 86_400_000;

async function list(account: TestAccount, formId: string, path = "submissions") {
  const { status, body } = await account.request("GET", `/api/forms/${formId}/${path}?limit=100`);
  assert.equal(status, 200, JSON.stringify(body));
  return { ids: body.submissions.map(({ id }: { id: string }) => id) as string[], total: body.total as number };
}

/** A reader's view of a form: its submissions, its bin, and what is counted of either. */
async function look(account: TestAccount, formId: string) {
  const [stored, bin] = [await list(account, formId), await list(account, formId, "submissions/bin")];
  const { submissionCount } = (await account.request("GET", `/api/forms/${formId}`)).body.form;
  assert.deepEqual([stored.total, submissionCount, bin.total], [stored.ids.length, stored.ids.length, bin.ids.length]);
  return { stored: stored.ids, bin: bin.ids };
}

async function postMany(service: TestService, formId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await postPlain(service, formId, { number: index }));
  return ids;
}

/** An account that asks by an API key: a session ends when the clock advances. */
async function signUp(service: TestService): Promise<TestAccount> {
  const account = await service.signUp();
  const { key: token } = (await account.request("POST", "/api/api-keys", { name: "All" })).body.key;
  return { ...account, token, request: (method, path, body) => service.request(method, path, { token, body }) };
}

/** Requests to the bin of one form. Each must be answered 200. */
function createBin(account: TestAccount, formId: string) {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await account.request(method, `/api/forms/${formId}/submissions${path}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    move: async (input: object) => (await call("POST", "/bin", input)).binned,
    restore: async (input: object) => (await call("POST", "/bin/restore", input)).restored,
    empty: async () => (await call("DELETE", "/bin?confirm=EMPTY_BIN")).deleted.submissionsDeleted,
    call,
  };
}

test("a submission in the bin is gone from lists, exports and counts, and comes back to its place", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const [one = "", two = "", three = ""] = await postMany(service, formId, 3);
  const path = `/api/forms/${formId}/submissions`;
  const before = (await account.request("GET", path)).body;
  const bin = createBin(account, formId);

  const stranger = createId("submission");
  const moved = await bin.move({ ids: [two, two, stranger] });
  assert.deepEqual(moved, { submissionsBinned: 1, submissionsDeleted: 0, hasMore: false });
  assert.equal((await bin.move({ ids: [two] })).submissionsBinned, 0, "it is there already");
  assert.deepEqual(await look(account, formId), { stored: [three, one], bin: [two] });
  assert.equal((await account.request("GET", `${path}/${two}`)).status, 404);
  const exported = await fetch(`${service.url}${path}/export?after=${two}`, {
    headers: { authorization: `Bearer ${account.token}` },
  });
  assert.deepEqual(
    (await exported.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id),
    [three],
    "an export resumes after it",
  );
  const listed = (await account.request("GET", `${path}/bin`)).body.submissions[0];
  const { binnedAt, purgeAt, ...content } = listed;
  assert.deepEqual(content, before.submissions[1]);
  assert.equal(purgeAt - binnedAt, 30 * day);
  const { stats } = (await account.request("GET", `/api/forms/${formId}/stats?period=day`)).body;
  assert.equal(stats.totalSubmissions, 3, "what was received is not counted again");

  assert.deepEqual(await bin.restore({ ids: [two, one, stranger] }), { submissionsRestored: 1, hasMore: false });
  assert.deepEqual((await account.request("GET", path)).body, before);
  assert.deepEqual(await look(account, formId), { stored: [three, two, one], bin: [] });
  assert.deepEqual(await listEvents(service, formId, "submission.deleted"), []);
  const bodies = await listEvents(service, formId, "submission.created");
  assert.equal(bodies.filter(Boolean).length, 3, "what is due is still delivered");
});

test("a retry of a post whose submission is in the bin is answered like the first, and brings nothing back", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await signUp(service);
  const formId = await createForm(account, { encryption: false });
  const id = createId("submission");
  const post = (message: string) =>
    service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { id, keyVersion: 1, payload: { encrypted: false, version: "plain1", fields: { message } } },
    });
  const first = await post("once");
  const bin = createBin(account, formId);
  await bin.move({ ids: [id] });
  clock.advance(29 * day);
  await purge(service, clock);
  const again = await post("once");
  assert.deepEqual([again.status, again.body.submission.receivedAt], [200, first.body.submission.receivedAt]);
  assert.equal((await post("other")).status, 409);
  assert.deepEqual(await look(account, formId), { stored: [], bin: [id] });
  clock.advance(day + 1);
  await purge(service, clock);
  assert.deepEqual((await post("once")).body.message, "The submission with this id was deleted");
  assert.deepEqual(await look(account, formId), { stored: [], bin: [] });
});

test("what was in the bin for the form's days is deleted for good with its event, and what was restored is not", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await signUp(service);
  const formId = await createForm(account, { encryption: false, webhookUrl, binDays: 7 });
  const [one = "", two = "", three = ""] = await postMany(service, formId, 3);
  const bin = createBin(account, formId);
  await bin.move({ ids: [one, two] });
  clock.advance(3 * day);
  await bin.move({ ids: [three] });
  await bin.restore({ ids: [two] });
  clock.advance(4 * day - 1);
  await purge(service, clock);
  assert.deepEqual(await look(account, formId), { stored: [two], bin: [three, one] });
  clock.advance(2);
  await purge(service, clock);
  assert.deepEqual(await look(account, formId), { stored: [two], bin: [three] });
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(
    events.map(({ submission, timestamp }) => [submission.id, timestamp]),
    [[one, clock.now()]],
  );
  clock.advance(365 * day);
  await purge(service, clock);
  assert.deepEqual(await look(account, formId), { stored: [two], bin: [] });
  const rows = await service.database.selectFrom("form_bin").selectAll().execute();
  assert.deepEqual(rows, [], "an empty bin leaves nothing");
});

test("what is emptied or deleted for good does not come back, and what is moved to the bin meanwhile stays", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const ids = await postMany(service, formId, 6);
  const [one = "", two = "", three = "", four = "", five = "", six = ""] = ids;
  const bin = createBin(account, formId);
  await bin.move({ ids: [one, two, three, four] });
  assert.deepEqual((await bin.call("DELETE", `/${one}`)).deleted, { submissionId: one });
  assert.equal((await bin.call("POST", "/delete", { ids: [two, five] })).deleted.submissionsDeleted, 2);
  assert.deepEqual(await look(account, formId), { stored: [six], bin: [four, three] });
  assert.equal(await bin.empty(), 2);
  assert.equal(await bin.empty(), 0);
  await bin.move({ ids: [six] });
  assert.deepEqual(await look(account, formId), { stored: [], bin: [six] });
  assert.equal((await bin.restore({ ids })).submissionsRestored, 1);
  await bin.move({ ids: [six] });
  await purge(service);
  assert.deepEqual(await look(account, formId), { stored: [], bin: [six] });
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), [one, two, three, four, five].toSorted());
  const wiped = await service.database.selectFrom("event").select("submission_id").where("wipe", "=", 1).execute();
  assert.equal(wiped.length, 5, "their bodies are wiped when their deliveries end");
});

test("deleting all submissions, and retention, reach what is in the bin", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await signUp(service);
  const formId = await createForm(account, { encryption: false, webhookUrl, binDays: 365 });
  const bin = createBin(account, formId);
  const [old = ""] = await postMany(service, formId, 1);
  clock.advance(day);
  const [binned = "", kept = ""] = await postMany(service, formId, 2);
  await bin.move({ ids: [old, binned] });
  await account.request("PUT", `/api/forms/${formId}/retention`, { days: 10 });
  const { submissions } = (await account.request("GET", `/api/forms/${formId}/submissions/bin`)).body;
  assert.equal(submissions[0].purgeAt, submissions[0].receivedAt + 10 * day, "retention ends it first");
  clock.advance(9 * day + 1);
  await purge(service, clock);
  assert.deepEqual(await look(account, formId), { stored: [kept], bin: [binned] });
  const deleted = await bin.call("DELETE", "?confirm=DELETE_SUBMISSIONS");
  assert.equal(deleted.deleted.submissionsDeleted, 2);
  assert.deepEqual(await look(account, formId), { stored: [], bin: [] });
  assert.equal((await bin.restore({ all: true })).submissionsRestored, 0);
  await purge(service, clock);
  const rows = await service.database.selectFrom("submission_bin").select("id").execute();
  assert.deepEqual(rows, []);
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), [old, binned, kept].toSorted());
});

test("with binDays 0 nothing is kept, and fewer days need the permission to delete", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const [one = "", two = "", three = ""] = await postMany(service, formId, 3);
  const bin = createBin(account, formId);
  await bin.move({ ids: [one] });
  const created = await account.request("POST", "/api/api-keys", { name: "Forms", permissions: ["forms:write"] });
  const patch = (binDays: number, token: string) =>
    service.request("PATCH", `/api/forms/${formId}`, { token, body: { settings: { binDays } } });
  assert.equal((await patch(40, created.body.key.key)).status, 200);
  const refused = await patch(0, created.body.key.key);
  assert.deepEqual(
    [refused.status, refused.body.message],
    [403, "This API key does not have the permission submissions:delete"],
  );
  assert.deepEqual(await look(account, formId), { stored: [three, two], bin: [one] });
  assert.equal((await patch(0, account.token)).status, 200);
  await purge(service);
  assert.deepEqual(await bin.move({ ids: [two] }), { submissionsBinned: 0, submissionsDeleted: 1, hasMore: false });
  assert.deepEqual(await look(account, formId), { stored: [three], bin: [] });
  const events = await listEvents(service, formId, "submission.deleted");
  assert.deepEqual(events.map(({ submission }) => submission.id).toSorted(), [one, two].toSorted());
});

test("all that was received before a moment is moved in requests that say whether there is more, and back", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const receivedAt = Date.now() - day;
  const rows = Array.from({ length: 5_200 }, () => ({
    formId,
    id: createId("submission"),
    keyVersion: 1,
    payload: { version: "plain1" as const, fields: {} },
    timestamp: receivedAt,
    receivedAt,
  }));
  await insertSubmissions(service.database, rows);
  const late = await postPlain(service, formId);
  const bin = createBin(account, formId);
  const input = { before: Date.now() - 1000 };
  assert.deepEqual(await bin.move(input), { submissionsBinned: 5_000, submissionsDeleted: 0, hasMore: true });
  assert.deepEqual(await bin.move(input), { submissionsBinned: 200, submissionsDeleted: 0, hasMore: false });
  const path = `/api/forms/${formId}/submissions`;
  const [stored, inBin] = [await list(account, formId), await list(account, formId, "submissions/bin")];
  assert.deepEqual([stored.ids, stored.total, inBin.total], [[late], 1, 5_200]);
  const seen = new Set<string>();
  for (let cursor = ""; ; ) {
    const { submissions, nextCursor } = (await account.request("GET", `${path}/bin?limit=100${cursor}`)).body;
    for (const { id } of submissions) seen.add(id);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  assert.equal(seen.size, 5_200, "page after page, each once");
  assert.deepEqual(await bin.restore({ all: true }), { submissionsRestored: 5_000, hasMore: true });
  assert.deepEqual(await bin.restore({ all: true }), { submissionsRestored: 200, hasMore: false });
  assert.equal((await list(account, formId)).total, 5_201);
});

test("large submissions are moved in parts that each hold the database for a moment, and take their room all the while", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const ids = Array.from({ length: 5 }, () => createId("submission"));
  const [key, iv] = [new Uint8Array(384), new Uint8Array(12)];
  const payload = { version: "sp1" as const, data: new Uint8Array(5 * 1_048_576), key, iv };
  for (const id of ids)
    await insertSubmissions(service.database, [{ formId, id, keyVersion: 1, payload, timestamp: 1, receivedAt: 1 }]);
  const countBytes = async () => {
    const row = service.database.selectFrom("form_count").select("bytes").where("form_id", "=", formId);
    return Number((await row.executeTakeFirstOrThrow()).bytes);
  };
  const bytes = await countBytes();
  assert.ok(bytes > 25 * 1_048_576);
  const bin = createBin(account, formId);
  assert.equal((await bin.move({ ids })).submissionsBinned, 5);
  assert.equal((await bin.restore({ all: true })).submissionsRestored, 5);
  assert.equal((await bin.move({ before: 2 })).submissionsBinned, 5);
  const query = { limit: 100, bytesMax: 1_048_576, after: undefined };
  const page = await createBinStore(service.database).list(formId, query);
  assert.deepEqual([page.items.length, page.next], [1, page.items[0]?.cursor], "a page of them ends at a megabyte");
  assert.equal(await countBytes(), bytes, "what is in the bin counts");
  await bin.empty();
  await purge(service);
  assert.equal(await countBytes(), 0);
  const { counts } = await countAudited(account);
  const expected = { "submissions.binned": 10, "submissions.restored": 5, "submissions.bin_emptied": 5 };
  assert.deepEqual(counts, expected, "the log says who did it");
});

async function countAudited(account: TestAccount) {
  const { entries } = (await account.request("GET", "/api/audit-log")).body;
  const counts: Record<string, number> = {};
  for (const { action, count } of entries)
    if (action.startsWith("submissions.")) counts[action] = (counts[action] ?? 0) + count;
  return { counts };
}

test("a move names either ids or a moment, a restore either ids or all", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const id = createId("submission");
  for (const [path, body] of [
    ["bin", {}],
    ["bin", { ids: [] }],
    ["bin", { ids: [id], before: 1 }],
    ["bin", { before: "1" }],
    ["bin/restore", {}],
    ["bin/restore", { ids: [id], all: true }],
    ["bin/restore", { all: false }],
  ] as const) {
    const answer = await account.request("POST", `/api/forms/${formId}/submissions/${path}`, body);
    assert.deepEqual([answer.status, answer.body.error], [400, "bad_request"], JSON.stringify(body));
  }
  const unsure = await account.request("DELETE", `/api/forms/${formId}/submissions/bin`);
  assert.match(unsure.body.message, /\?confirm=EMPTY_BIN/);
});

test("the bin has every column of a submission", async (t) => {
  const service = await createTestService(t);
  const tables = await service.database.introspection.getTables();
  const columnsOf = (name: string) => tables.find((table) => table.name === name)?.columns.map((column) => column.name);
  const [stored = [], binned = []] = [columnsOf("submission"), columnsOf("submission_bin")];
  assert.deepEqual([...stored, "binned_at"].toSorted(), binned.toSorted());
});

test("submissions that are named are looked up by their ids, however many the form has", onSqlite, async (t) => {
  const service = await createTestService(t);
  const ids = [createId("submission"), createId("submission")];
  for (const table of ["submission", "submission_bin"] as const) {
    const query = visibleNamedRows(service.database, createId("form"), table).select("sequence").where("id", "in", ids);
    const compiled = query.compile();
    const explained = CompiledQuery.raw(`explain query plan ${compiled.sql}`, [...compiled.parameters]);
    const plan = JSON.stringify((await service.database.executeQuery(explained)).rows);
    assert.match(plan, new RegExp(`INDEX ${table}_id \\(form_id=\\? AND id=\\?\\)`));
  }
});

test("what is deleted from a list of the bin is what that list had and the bin still has: nothing restored or moved there since", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const account = await signUp(service);
  const stranger = createId("submission");
  for (const way of ["some", "all"] as const) {
    const formId = await createForm(account, { encryption: false });
    const bin = createBin(account, formId);
    const [stays = "", restored = "", gone = "", later = ""] = await postMany(service, formId, 4);
    await bin.move({ ids: [stays, restored, gone] });
    const listed = await bin.call("GET", "/bin");
    clock.advance(1000);
    await bin.restore({ ids: [restored] });
    await bin.call("POST", "/delete", { ids: [gone] });
    await bin.move({ ids: [later] });
    const ids = [...listed.submissions.map(({ id }: { id: string }) => id), stranger];
    const { deleted } =
      way === "some"
        ? await bin.call("POST", "/delete", { ids, onlyInBin: true })
        : await bin.call("DELETE", `/bin?confirm=EMPTY_BIN&before=${listed.submissions[0].binnedAt + 1}`);
    assert.deepEqual(deleted, { submissionsDeleted: 1, ...(way === "some" && { submissionsLeft: 1 }) });
    assert.deepEqual(await look(account, formId), { stored: [restored], bin: [later] }, way);
    await purge(service, clock);
    assert.deepEqual(await look(account, formId), { stored: [restored], bin: [later] }, `${way}, after the purge`);
  }
});

test("what has to be restorable goes to the bin or stays: with the bin turned off meanwhile nothing is deleted", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const ids = await postMany(service, formId, 2);
  const path = `/api/forms/${formId}/submissions`;
  const move = (body: object) => account.request("POST", `${path}/bin?restorable=true`, body);
  assert.equal((await account.request("PATCH", `/api/forms/${formId}`, { settings: { binDays: 0 } })).status, 200);
  for (const body of [{ ids }, { before: Date.now() + day }]) {
    const { status, body: answer } = await move(body);
    assert.deepEqual([status, answer.code], [409, "bin_off"]);
  }
  assert.equal((await account.request("GET", path)).body.total, 2);
  await account.request("PATCH", `/api/forms/${formId}`, { settings: { binDays: 1 } });
  assert.equal((await move({ ids })).body.binned.submissionsBinned, 2);
});

test("what is moved to the bin comes after all that a list of the bin has shown, whatever the clock says", async (t) => {
  for (const step of [0, -5000]) {
    const clock = createFakeClock(Date.now());
    const service = await createTestService(t, { deliveries: silentWebhooks, clock });
    const account = await service.signUp();
    const formId = await createForm(account, { encryption: false });
    const [one = "", ...others] = await postMany(service, formId, 3);
    const bin = createBin(account, formId);
    const path = `/api/forms/${formId}/submissions/bin`;
    await bin.move({ ids: [one] });
    const { submissions } = (await account.request("GET", path)).body;
    clock.advance(step);
    await bin.move({ ids: others });
    const before = submissions[0].binnedAt + 1;
    const { body } = await account.request("DELETE", `${path}?confirm=EMPTY_BIN&before=${before}`);
    assert.equal(body.deleted.submissionsDeleted, 1, `${step} ms`);
    assert.equal((await account.request("GET", path)).body.total, 2);
  }
});

test("a list of the bin is bounded by the time of receipt, with its total", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const ids: string[] = [];
  for (let index = 0; index < 4; index++) {
    clock.advance(1000);
    ids.push(await postPlain(service, formId));
  }
  const path = `/api/forms/${formId}/submissions/bin`;
  assert.equal((await account.request("POST", path, { ids })).status, 200);
  const look = async (query: string) => {
    const { total, submissions, nextCursor } = (await account.request("GET", `${path}?${query}`)).body;
    return { total, ids: submissions.map(({ id }: { id: string }) => id), nextCursor };
  };
  const [from, to] = [clock.now() - 2000, clock.now() - 1000];
  const { nextCursor, ...first } = await look(`from=${from}&to=${to}&limit=1`);
  assert.deepEqual(first, { total: 2, ids: [ids[2]] });
  const rest = await look(`from=${from}&to=${to}&limit=1&cursor=${nextCursor}`);
  assert.deepEqual(rest, { total: 2, ids: [ids[1]], nextCursor: null });
  assert.equal((await look("limit=1")).total, 4);
});
