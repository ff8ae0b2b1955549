import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { createForm, postPlain, sealSubmission } from "../forms/testing/test-form.ts";
import { elsewhere, wideNetworks } from "../rate-limits/testing/wide-networks.ts";
import { purge } from "../retention/testing/purge.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createHourlyMeter } from "./hourly-meter.ts";
import { createUsageMeter } from "./usage-meter.ts";
import { createUsageStore } from "./usage-store.ts";

const mebibyte = 1_048_576;
const gibibyte = 1024 * mebibyte;
const day = 86_400_000;
const plain = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };

/** The bytes of each form's rows, determined differently from the statement that counts. */
async function addUp(database: Database): Promise<Record<string, number>> {
  const tables = ["submission", "submission_bin"] as const;
  const found = await Promise.all(tables.map((table) => database.selectFrom(table).selectAll().execute()));
  const rows = found.flat();
  const sums: Record<string, number> = {};
  for (const { form_id, data, key, iv, fields } of rows) {
    const parts = [data, key, iv, Buffer.from(fields ?? "")].map((part) => part?.length ?? 0);
    sums[form_id] = parts.reduce((sum, length) => sum + length, (sums[form_id] ?? 0) + 512);
  }
  return sums;
}

async function assertCounted(database: Database): Promise<void> {
  const rows = await database.selectFrom("form_count").select(["form_id", "bytes"]).execute();
  const actual = await addUp(database);
  assert.deepEqual(
    Object.fromEntries(rows.map(({ form_id, bytes }) => [form_id, bytes])),
    Object.fromEntries(rows.map(({ form_id }) => [form_id, actual[form_id] ?? 0])),
  );
}

test("the bytes that are counted are those that are stored, whatever came and went", async (t) => {
  const clock = createFakeClock();
  // The session has to last for as long as the submissions need to grow old.
  const environment = { SEALPOST_SESSION_IDLE_MINUTES: "525600", SEALPOST_SESSION_MAX_HOURS: "0" };
  const service = await createTestService(t, { clock, environment });
  const account = await service.signUp();
  const open = await createForm(account, plain);
  const sealed = await createForm(account);
  const path = (form: string) => `/api/forms/${form}/submissions`;
  const first = await postPlain(service, open, {
    text: "näme ".repeat(2000),
    "\u0000": "\ud83d",
    list: [1, { a: null }],
  });
  const body = await sealSubmission(sealed);
  for (const status of [201, 200]) assert.equal((await service.request("POST", path(sealed), { body })).status, status);
  const conflict = { ...body, payload: { ...body.payload, iv: Buffer.alloc(12).toString("base64") } };
  assert.equal((await service.request("POST", path(sealed), { body: conflict })).status, 409);
  await Promise.all(
    Array.from({ length: 40 }, (_value, index) => postPlain(service, open, { index, text: "x".repeat(index) })),
  );
  await assertCounted(service.database);
  const all = await addUp(service.database);
  assert.ok((all[open] ?? 0) > 12_000 + 41 * 512 && (all[sealed] ?? 0) > 512 + 384, JSON.stringify(all));

  assert.equal((await account.request("DELETE", `${path(open)}/${first}`)).status, 200);
  await assertCounted(service.database);
  const listed = (await account.request("GET", `${path(open)}?limit=7`)).body.submissions.map(
    ({ id }: { id: string }) => id,
  );
  assert.equal((await account.request("POST", `${path(open)}/delete`, { ids: listed })).status, 200);
  await assertCounted(service.database);
  const [binned, restored] = (await account.request("GET", `${path(open)}?limit=2`)).body.submissions;
  const ids = [binned.id, restored.id];
  assert.equal((await account.request("POST", `${path(open)}/bin`, { ids })).status, 200);
  await assertCounted(service.database);
  assert.equal((await account.request("POST", `${path(open)}/bin/restore`, { ids: [restored.id] })).status, 200);
  await assertCounted(service.database);
  clock.advance(40 * day);
  await postPlain(service, open, { text: "young" });
  await account.request("PUT", `/api/forms/${sealed}/retention`, { days: 30 });
  await account.request("DELETE", `${path(open)}?confirm=DELETE_SUBMISSIONS&before=${clock.now() - day}`);
  await purge(service, clock);
  await assertCounted(service.database);
  assert.deepEqual(Object.keys(await addUp(service.database)), [open], "a control: the others are gone");
  await account.request("DELETE", `/api/forms/${open}?confirm=DELETE_FORM`);
  await purge(service, clock);
  await assertCounted(service.database);
});

/** An account whose forms store so many bytes, and a service that believes what a proxy says of addresses. */
async function createScene(t: TestContext, formBytes: readonly number[], environment: Record<string, string> = {}) {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const account = await before.signUp();
  const forms: string[] = [];
  for (const bytes of formBytes) {
    const form = await createForm(account, plain);
    await before.database.updateTable("form_count").set({ bytes }).where("form_id", "=", form).execute();
    forms.push(form);
  }
  await before.stop();
  const service = await createTestService(t, {
    folder,
    environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128", ...environment },
  });
  const post = (form: string | undefined, address: string, { characters = 10, id = createId("submission") } = {}) =>
    service.request("POST", `/api/forms/${form}/submissions`, {
      body: { id, payload: { encrypted: false, version: "plain1", fields: { message: "x".repeat(characters) } } },
      headers: { "x-forwarded-for": address },
    });
  return { service, account, forms, post };
}

const quotaReached = {
  error: "unavailable",
  message: "This form is full: it takes no more submissions at the moment",
  code: "quota_reached",
  full: true,
  retryAfter: 3600,
};

test("a full form refuses with 503 and quota_reached; the account's other forms, and what is stored already, do not", async (t) => {
  const { service, post, forms } = await createScene(t, [gibibyte / 2 - 2048, 0]);
  const [full, other] = forms;
  const id = createId("submission");
  assert.equal((await post(full, "203.0.113.1", { id, characters: 1500 })).status, 201);
  const refused = await post(full, "203.0.113.2", { characters: 1500 });
  assert.deepEqual([refused.status, refused.headers.get("retry-after"), refused.body], [503, "3600", quotaReached]);
  assert.equal(
    (await post(full, "203.0.113.2", { id, characters: 1500 })).status,
    200,
    "it is stored, and answered so",
  );
  const page = await fetch(`${service.url}/f/${full}`, {
    method: "POST",
    body: new URLSearchParams({ name: "x".repeat(3000) }),
  });
  assert.deepEqual([page.status, page.headers.get("retry-after")], [503, "3600"]);
  assert.match(await page.text(), /this form is full.*Back button: your answers should still be there/s);
  assert.equal((await post(other, "203.0.113.2")).status, 201);
});

test("the last fifth of an account takes only small bodies, of addresses that sent fewer than ten in the hour", async (t) => {
  const { post, forms } = await createScene(t, [420 * mebibyte, 420 * mebibyte, 0]);
  const empty = forms[2];
  assert.deepEqual((await post(empty, "203.0.113.1", { characters: 70_000 })).body, quotaReached);
  for (let count = 2; count <= 10; count++) assert.equal((await post(empty, "203.0.113.1")).status, 201);
  assert.deepEqual((await post(empty, "203.0.113.1")).body, quotaReached);
  assert.equal((await post(empty, "203.0.113.2")).status, 201);
});

for (const { name, of, share } of wideNetworks)
  test(`the last fifth of a form takes no more from an ${name} than from ${share} addresses, however many it has`, async (t) => {
    const { post, forms } = await createScene(t, [420 * mebibyte, 420 * mebibyte, 0]);
    const empty = forms[2];
    const statuses: number[] = [];
    for (let number = 0; number <= 10 * share; number++) statuses.push((await post(empty, of(number))).status);
    assert.deepEqual(statuses, [...Array(10 * share).fill(201), 503]);
    assert.equal((await post(empty, elsewhere)).status, 201);
  });

test("quotas bind nobody where the operator switches them off, nor a plan that has none", async (t) => {
  const off = await createScene(t, [900 * gibibyte], { SEALPOST_QUOTAS: "off" });
  assert.equal((await off.post(off.forms[0], "203.0.113.1")).status, 201);
  const closed = await createScene(t, [900 * gibibyte], { SEALPOST_SIGNUP: "closed" });
  assert.equal((await closed.post(closed.forms[0], "203.0.113.1")).status, 201);
  const { service, post, forms } = await createScene(t, [900 * gibibyte]);
  await service.database.updateTable("organization").set({ plan: "enterprise" }).execute();
  assert.equal((await post(forms[0], "203.0.113.1")).status, 201);
});

test("sixteen processes that know nothing of each other go at most 64 MiB beyond a quota, and what is deleted is free again", async () => {
  let bytes = gibibyte - 100 * mebibyte;
  let time = 0;
  const shared = () => ({ bytes, otherBytes: 0, logBytes: 0 });
  const usage = {
    findAccount: async () => ({ ...shared(), shared: shared(), bytesMax: gibibyte }),
    findFormBytes: async () => 0,
  };
  const meters = Array.from({ length: 16 }, () =>
    createUsageMeter({ usage, hasLeftMany: async () => false, now: () => time }),
  );
  const take = (meter = 0) => meters[meter]?.take("acc_1", createId("form"), 65_536, true);
  for (let round = 0; round < 1000; round++)
    for (let meter = 0; meter < meters.length; meter++) if (await take(meter)) bytes += 65_536;
  assert.ok(bytes > gibibyte - 65_536 && bytes <= gibibyte + 64 * mebibyte, String(bytes - gibibyte));
  bytes = 0;
  assert.equal(await take(), false, "remembered for some seconds");
  time += 10_000;
  assert.equal(await take(), true);
});

test("a form takes no body beyond its own limit, and no more submissions within any hour than it says", async (t) => {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const form = await createForm(account, { ...plain, submissionBytesMax: 2048, submissionsPerHour: 2 });
  const post = (characters: number) =>
    service.request("POST", `/api/forms/${form}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: { message: "x".repeat(characters) } } },
    });
  const long = await post(2048);
  const tooLarge = {
    error: "payload_too_large",
    message: "This form takes submissions of at most 2048 bytes",
    code: "submission_too_large",
  };
  assert.deepEqual([long.status, long.body], [413, tooLarge]);
  assert.equal((await post(1900)).status, 201);
  clock.advance(600_000);
  assert.equal((await post(1)).status, 201);
  clock.advance(600_000);
  const third = await post(1);
  assert.deepEqual(
    [third.status, third.headers.get("retry-after"), third.body],
    [
      429,
      "2400",
      {
        error: "rate_limited",
        message: "This form takes no more submissions within this hour",
        code: "hourly_limit_reached",
        full: true,
        retryAfter: 2400,
      },
    ],
  );
  assert.equal(
    (await account.request("PATCH", `/api/forms/${form}`, { settings: { submissionsPerHour: 3 } })).status,
    200,
  );
  assert.equal((await post(1)).status, 201);
  assert.equal((await post(1)).status, 429);
});

test("a multipart form counts as what is stored of it: bytes that JSON writes as six are no way round a form's limit", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account, { ...plain, submissionBytesMax: 2048 });
  const post = (value: string) => {
    const body = `--b\r\ncontent-disposition: form-data; name="message"\r\n\r\n${value}\r\n--b--\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=b", accept: "application/json" };
    return fetch(`${service.url}/f/${form}`, { method: "POST", headers, body });
  };
  assert.equal((await post("\u0001".repeat(400))).status, 413);
  assert.equal((await post("\u0001".repeat(300))).status, 201);
  assert.equal((await post("x".repeat(1900))).status, 201);
});

test("a plain submission counts as what is stored of it: numbers that JSON writes with more digits are no way round a form's limit", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account, { ...plain, submissionBytesMax: 2048 });
  const path = `/api/forms/${form}/submissions`;
  const post = async (numbers: number) => {
    const body = `{"payload":{"encrypted":false,"version":"plain1","fields":{"n":[${Array(numbers).fill("1e20")}]}}}`;
    assert.ok(body.length < 1200);
    return (await service.request("POST", path, { body, headers: { "content-type": "application/json" } })).status;
  };
  assert.equal(await post(200), 413);
  assert.equal(await post(90), 201);
  const text = await (
    await fetch(service.url + path, { headers: { authorization: `Bearer ${account.token}` } })
  ).text();
  assert.ok(text.includes(`"fields":{"n":[${Array(90).fill("100000000000000000000")}]}`), text);
  await assertCounted(service.database);
});

test("a submission counts for its hour also after it was moved to the bin, deleted or purged", async (t) => {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const all = `before=${clock.now() + day}`;
  const ways: Readonly<Record<string, (path: string, id: string) => Promise<unknown>>> = {
    "moved to the bin": (path, id) => account.request("POST", `${path}/bin`, { ids: [id] }),
    deleted: (path, id) => account.request("DELETE", `${path}/${id}`),
    purged: async (path) => {
      await account.request("DELETE", `${path}?confirm=DELETE_SUBMISSIONS&${all}`);
      await purge(service, clock);
    },
    "moved to the bin and back": async (path, id) => {
      await account.request("POST", `${path}/bin`, { ids: [id] });
      await account.request("POST", `${path}/bin/restore`, { ids: [id] });
    },
  };
  const cases: [way: string, form: string][] = [];
  for (const way of Object.keys(ways))
    cases.push([way, await createForm(account, { ...plain, submissionsPerHour: 2 })]);
  for (const [way, form] of cases) {
    const path = `/api/forms/${form}/submissions`;
    const post = async () => {
      const body = { payload: { encrypted: false, version: "plain1", fields: {} } };
      const { status, headers } = await service.request("POST", path, { body });
      return [status, headers.get("retry-after")];
    };
    const ids = [await postPlain(service, form)];
    clock.advance(600_000);
    ids.push(await postPlain(service, form));
    for (const id of ids) await ways[way]?.(path, id);
    assert.deepEqual(await post(), [429, "3000"], way);
    clock.advance(3_000_001);
    const roomier = { settings: { submissionsPerHour: 3 } };
    assert.equal((await account.request("PATCH", `/api/forms/${form}`, roomier)).status, 200);
    for (const status of [201, 201, 429]) assert.equal((await post())[0], status, `${way}, an hour after the first`);
  }
});

test("submissions that a clock dated into the future refuse nobody once it is right", async (t) => {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const form = await createForm(await service.signUp(), { ...plain, submissionsPerHour: 2 });
  clock.jump(5 * 3_600_000);
  for (let nth = 0; nth < 2; nth++) await postPlain(service, form);
  clock.jump(-5 * 3_600_000);
  const meter = createHourlyMeter({ usage: createUsageStore(service.database), clock });
  assert.equal(await meter.take(form, 2), undefined);
});

test("of fifty submissions at once a form takes as many as it takes in an hour, also while they are stripped", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  for (const [settings, fields] of [
    [{ ...plain, submissionsPerHour: 5 }, { message: "x" }],
    [{ ...plain, piiStrip: true, submissionsPerHour: 2 }, { message: "hello ".repeat(2000) }],
  ] as const) {
    const form = await createForm(account, settings);
    const body = { payload: { encrypted: false, version: "plain1", fields } };
    const post = () => service.request("POST", `/api/forms/${form}/submissions`, { body });
    // As a flood comes: some later than others.
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        for (let turn = 0; turn < index; turn++) await setImmediate();
        return post();
      }),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, settings.submissionsPerHour);
    assert.ok(answers.every(({ status }) => status === 201 || status === 429));
    const { body: list } = await account.request("GET", `/api/forms/${form}/submissions`);
    assert.equal(list.submissions.length, settings.submissionsPerHour);
  }
});

test("two processes take no more submissions within an hour than a form says", onPostgres, async (t) => {
  const folder = createTemporaryFolder(t);
  const one = await createTestService(t, { folder });
  const account = await one.signUp();
  const form = await createForm(account, { ...plain, submissionsPerHour: 5 });
  const two = await createTestService(t, { folder });
  const statuses: number[] = [];
  for (const service of [one, two, one, two, one, two, one, two]) {
    const { status } = await service.request("POST", `/api/forms/${form}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: {} } },
    });
    statuses.push(status);
  }
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429, 429]);
});

test("an account's usage names its fullest forms first, without limits where none hold", async (t) => {
  const { service, account, forms } = await createScene(t, [1000, 3000, 0], { SEALPOST_QUOTAS: "off" });
  const { status, body } = await service.request("GET", "/api/usage", { token: account.token });
  assert.equal(status, 200);
  const { bytes, bytesMax, formBytesMax } = body.usage;
  assert.deepEqual([bytes, bytesMax, formBytesMax], [4000, null, null]);
  assert.deepEqual(
    body.usage.forms.map((form: { id: string; bytes: number }) => [form.id, form.bytes]),
    [
      [forms[1], 3000],
      [forms[0], 1000],
      [forms[2], 0],
    ],
  );
});
