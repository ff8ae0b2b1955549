import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import Fastify from "fastify";
import { installSchemas } from "../api-document/openapi-options.ts";
import { createCountedActions } from "../audit-log/counted-actions.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createPageTurns } from "../rate-limits/page-turns.ts";
import { createRetentionStore } from "../retention/retention-store.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds, systemClock } from "../time/clock.ts";
import { createSubmissionDeletionStore } from "./submission-deletion-store.ts";
import { createSubmissionExportRoutes } from "./submission-export-routes.ts";
import { createSubmissionStore, type SubmissionStore } from "./submission-store.ts";

async function exportLines(account: TestAccount, formId: string, query = "") {
  const { status, body, headers } = await account.request("GET", `/api/forms/${formId}/submissions/export${query}`);
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "application/x-ndjson");
  assert.ok(body === "" || body.endsWith("\n"));
  return body
    .split("\n")
    .slice(0, -1)
    .map((line: string) => JSON.parse(line));
}

/** Rows written without HTTP, `bytes` of fields each. */
async function insertRows(service: TestService, formId: `form_${string}`, count: number, bytes: number) {
  const text = "x".repeat(bytes);
  for (let start = 0; start < count; start += 100) {
    const batch = Array.from({ length: Math.min(100, count - start) }, (_, index) => ({
      formId,
      id: createId("submission"),
      keyVersion: 1,
      payload: { version: "plain1" as const, fields: { text } },
      timestamp: 0,
      receivedAt: Math.floor((start + index) / 7),
    }));
    await insertSubmissions(service.database, batch);
  }
}

test("an export has every submission once, oldest first, as the list shows it", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const other = await createForm(account, { encryption: false });
  assert.deepEqual(await exportLines(account, formId), []);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) {
    ids.push(await postPlain(service, formId, { line: "a\nb\u2028c" }));
    await postPlain(service, other);
  }
  const lines = await exportLines(account, formId);
  assert.deepEqual(
    lines.map(({ id }: { id: string }) => id),
    ids,
  );
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.deepEqual(lines.toReversed(), list.body.submissions);
});

test("an export resumes after the last line that a client has, also when that one was deleted", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await insertRows(service, formId, 700, 10);
  const all = await exportLines(account, formId);
  assert.equal(all.length, 700);
  const ids = all.map(({ id }: { id: string }) => id);
  for (const index of [0, 255, 256, 511, 698, 699]) {
    const rest = await exportLines(account, formId, `?after=${ids[index]}`);
    assert.deepEqual(rest, all.slice(index + 1), String(index));
  }
  await account.request("DELETE", `/api/forms/${formId}/submissions/${ids[300]}`);
  assert.deepEqual(await exportLines(account, formId, `?after=${ids[300]}`), all.slice(301));
  for (const after of [createId("submission"), "sub_1", "%00"]) {
    const refused = await account.request("GET", `/api/forms/${formId}/submissions/export?after=${after}`);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.details, { after: "Must be the id of a submission of this form" });
  }
});

test("an export and its total keep to from and to, both included", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await insertRows(service, formId, 700, 10);
  const all = await exportLines(account, formId);
  for (const [from, to] of [
    [0, 99],
    [10, 20],
    [37, 37],
    [99, 1000],
    [50, 40],
    [1000, 2000],
  ] as const) {
    const expected = all.filter(({ receivedAt }: { receivedAt: number }) => receivedAt >= from && receivedAt <= to);
    assert.deepEqual(await exportLines(account, formId, `?from=${from}&to=${to}`), expected, `${from} to ${to}`);
    const path = `/api/forms/${formId}/submissions?from=${from}&to=${to}&limit=100`;
    const listed: object[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { body: { submissions: object[]; total: number; nextCursor: string | null } } = await account.request(
        "GET",
        `${path}${cursor && `&cursor=${cursor}`}`,
      );
      assert.equal(page.body.total, expected.length, "of all pages");
      listed.push(...page.body.submissions);
      cursor = page.body.nextCursor;
    }
    assert.deepEqual(listed.toReversed(), expected);
    const middle = all[350];
    const rest = expected.filter((line: object) => all.indexOf(line) > 350);
    assert.deepEqual(await exportLines(account, formId, `?from=${from}&to=${to}&after=${middle.id}`), rest);
  }
});

/** Whatever takes submissions away, while their rows may wait for the purge. */
const takenAway: Readonly<Record<string, (scene: Taken) => Promise<unknown>>> = {
  "nothing is": async () => {},
  "the newest is deleted": ({ account, path, ids }) => account.request("DELETE", `${path}/${ids.at(-1)}`),
  "the newest is in the bin": ({ account, path, ids }) =>
    account.request("POST", `${path}/bin`, { ids: ids.slice(-1) }),
  "all are in the bin": ({ account, path, ids }) => account.request("POST", `${path}/bin`, { ids }),
  "all are deleted": ({ service, account, formId }) =>
    createSubmissionDeletionStore(service.database).deleteBefore(
      account.id as AccountId,
      formId,
      undefined,
      Date.now(),
    ),
  "all are deleted, but for one that came later": async (scene) => {
    await takenAway["all are deleted"]?.(scene);
    await postPlain(scene.service, scene.formId);
  },
  "all are too old": ({ service, formId }) =>
    createRetentionStore(service.database).expireOf(formId, Date.now() + 400 * dayMilliseconds),
};

interface Taken {
  readonly service: TestService;
  readonly account: TestAccount;
  readonly formId: `form_${string}`;
  readonly path: string;
  readonly ids: readonly string[];
}

const kept = { go: false, "are kept by a hold": true };

for (const [fate, isHeld] of Object.entries(kept))
  for (const [name, take] of Object.entries(takenAway))
    test(`an export names the last line that comes, and nothing where none comes: ${name}, and rows ${fate}`, async (t) => {
      const service = await createTestService(t);
      const account = await service.signUp();
      const formId = await createForm(account, { encryption: false, binDays: 7 });
      const form = `/api/forms/${formId}`;
      await account.request("PUT", `${form}/retention`, { days: 300 });
      const ids: string[] = [];
      for (let count = 0; count < 3; count++) ids.push(await postPlain(service, formId));
      const path = `${form}/submissions`;
      await take({ service, account, formId, path, ids });
      if (isHeld) assert.equal((await account.request("PUT", `${form}/hold`, {})).status, 200);
      const later = Date.now() + 60_000;
      for (const query of ["", `?after=${ids[0]}`, `?after=${ids[2]}`, `?from=${later}`, "?to=1"]) {
        const { status, body, headers } = await account.request("GET", `${path}/export${query}`);
        assert.equal(status, 200, JSON.stringify(body));
        const last: string | undefined = body === "" ? undefined : JSON.parse(body.split("\n").at(-2)).id;
        assert.equal(headers.get("sealpost-last-submission") ?? undefined, last, query);
      }
    });

test("a batch is bounded by bytes, and is one submission when that is larger", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await insertRows(service, formId, 30, 100_000);
  const store = createSubmissionStore(service.database);
  const until = await store.findNewest(formId);
  assert.ok(until !== undefined);
  const count = async (bytesMax: number) =>
    (await store.listOldest(formId, { after: { receivedAt: 0, sequence: 0 }, until, bytesMax })).length;
  assert.deepEqual([await count(1_048_576), await count(1)], [10, 1]);
});

test("an export reads no more than its client takes, and stops when the client goes", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await insertRows(service, formId, 10, 100_000);
  // The real rows over and over: an export without an end.
  const real = createSubmissionStore(service.database);
  const until = await real.findNewest(formId);
  let batches = 0;
  const endless: SubmissionStore = {
    ...real,
    async listOldest(id, query) {
      batches += 1;
      const start = { receivedAt: 0, sequence: 0 };
      return real.listOldest(id, { ...query, after: start, until: until ?? start });
    },
  };
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest("principal", undefined);
  app.decorateRequest("endsWithRight", () => {});
  app.addHook("onRequest", async (request) => {
    request.principal = {
      kind: "session",
      personId: account.id as AccountId,
      role: "owner",
      formIds: undefined,
      accountId: account.id as AccountId,
      sessionId: "one",
      authenticatedAt: 0,
      isVerified: true,
      awaitsProof: false,
      secondFactor: undefined,
      lacksSecondFactor: false,
      isOperator: false,
    }; // the answer of the sign-up
  });
  installSchemas(app);
  await app.register(
    createSubmissionExportRoutes({
      recordReading: async () => true,
      forms: createFormStore(service.database),
      submissions: endless,
      clock: systemClock,
      pageTurns: createPageTurns(),
      countedActions: createCountedActions({
        record: async () => {},
        recordRepeated: async () => true,
        clock: systemClock,
        report: assert.ifError,
      }),
    }),
  );
  const url = await app.listen({ port: 0 });

  const response: IncomingMessage = await new Promise((resolve, reject) => {
    get(`${url}/api/forms/${formId}/submissions/export`, resolve).on("error", reject);
  });
  let bytes = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > 20_000_000) break;
  }
  // Whatever would continue by itself does so while others are answered. Data in transit first fills the buffers of the
  // connection, which differ from system to system, so the guarantee is that the count comes to stand: an export that reads
  // on would never let it.
  const settle = async () => {
    for (let round = 0; round < 20; round++) {
      const before = batches;
      for (let index = 0; index < 20; index++) await account.request("GET", `/api/forms/${formId}/submissions?limit=1`);
      if (batches === before) return batches;
    }
    return Number.POSITIVE_INFINITY;
  };
  const paused = await settle();
  assert.ok(paused >= 20 && paused < Number.POSITIVE_INFINITY, `${paused} batches of 1 MB for 20 MB that were taken`);
  response.destroy();
  await once(response, "close");
  const gone = await settle();
  assert.ok(gone <= paused + 1, `${gone} batches, ${paused} before the client went`);
});

test("a shutdown does not wait for a client that takes its export slowly", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  await insertRows(service, formId, 400, 100_000);
  const request = get(`${service.url}/api/forms/${formId}/submissions/export`, {
    headers: { authorization: `Bearer ${account.token}` },
  });
  const [response] = await once(request, "response");
  const broken = once(response, "error");
  await service.stop();
  response.resume();
  const [error] = await broken;
  assert.equal(error.code, "ECONNRESET", "the client can tell that the answer broke off");
});
