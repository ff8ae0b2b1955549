import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { createId } from "@sealpost/wire";
import { type Permission, permissions } from "../../packages/server/src/access/permission.ts";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { type Authority, createAuthority, startReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { listDocumentOperations, type Operation } from "./operations.ts";

/**
 * What a stolen key with one permission alone gets at: it calls every operation of the document, with whatever could help,
 * against a form whose submissions are stored in the clear. What the contract gives to `forms:write` is in the threat
 * model: where events go from now on, switching encryption, rotating keys, and deleting the form, which is tried last.
 */
const content = "telltale content";
const day = 86_400_000;
let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

interface Ids {
  readonly form_id: string;
  readonly submission_id: string;
  readonly delivery_id: string;
  readonly binned_id: string;
}

/** The variants of an operation to try: queries and bodies. Of all others, the plain call. */
function attemptsOf(operationId: string, ids: Ids, ownUrl: string): readonly { query?: string; body?: unknown }[] {
  const listed = { ids: [ids.submission_id, ids.binned_id] };
  const attempts: Readonly<Record<string, readonly { query?: string; body?: unknown }[]>> = {
    createForm: [{ body: { name: "Another" } }],
    updateForm: [
      { body: { settings: { webhookUrl: ownUrl } } },
      { body: { settings: { binDays: 0 } } },
      { body: { settings: { submissionBytesMax: 1024, submissionsPerHour: 1, piiStrip: true } } },
      { body: { name: "Renamed" } },
    ],
    rotateFormKeys: [{}],
    setRetention: [{ body: { days: 1 } }],
    setNotifications: [{ body: { mail: false } }],
    getFormStatistics: [{ query: "?period=year" }],
    listDeliveries: [{ query: `?submissionId=${ids.submission_id}` }, {}],
    exportSubmissions: [{}, { query: `?after=${ids.submission_id}` }],
    deleteSubmissions: [{ query: "?confirm=DELETE_SUBMISSIONS" }],
    deleteListedSubmissions: [{ body: listed }],
    binSubmissions: [{ body: listed }],
    restoreSubmissions: [{ body: listed }],
    emptyBin: [{ query: "?confirm=EMPTY_BIN" }, {}],
    rotateWebhookSecret: [{ body: { revokePrevious: true } }],
  };
  return attempts[operationId] ?? [{}];
}

/** Changes first, so that what reads and sends meets what they have made possible; what destroys comes last. */
function orderOf({ method, access }: Operation): number {
  return access.includes("submissions:delete") ? 9 : ["PATCH", "PUT", "POST", "GET", "DELETE"].indexOf(method);
}

async function tryEverything(t: TestContext, granted: readonly Permission[]) {
  const [owners, stolen] = [
    await startReceiver(t, { certificate: authority.good }),
    await startReceiver(t, { certificate: authority.good }),
  ];
  const clock = createFakeClock(Date.now());
  const idle = { resolve: () => {} };
  const service = await createTestService(t, {
    clock,
    deliveries: { ca: authority.ca, observe: ({ kind }) => kind === "idle" && idle.resolve() },
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" },
  });
  /** Until the worker has nothing to send; each request is a turn for the purge as well. */
  const settle = async () => {
    const settled = new Promise<void>((resolve) => {
      idle.resolve = resolve;
    });
    for (let turn = 0; turn < 30; turn++) await service.request("GET", "/health/live");
    await settled;
  };
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", {
    name: "Contact",
    settings: { encryption: false, webhookUrl: owners.url },
  });
  const form_id: string = created.body.form.id;
  const post = async () => {
    const id = createId("submission");
    const payload = { encrypted: false, version: "plain1", fields: { message: content } };
    const answer = await service.request("POST", `/api/forms/${form_id}/submissions`, { body: { id, payload } });
    assert.equal(answer.status, 201);
    return id;
  };
  const [submission_id, binned_id] = [await post(), await post()];
  await settle();
  const { logs } = (await account.request("GET", `/api/forms/${form_id}/webhook/logs?submissionId=${submission_id}`))
    .body;
  const ids = { form_id, submission_id, binned_id, delivery_id: logs[0].id, key_id: createId("apiKey"), version: "1" };
  await account.request("POST", `/api/forms/${form_id}/submissions/bin`, { ids: [binned_id] });
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Stolen", permissions: granted })).body.key;
  clock.advance(3 * day); // so that there is something for retention to take

  const seen: string[] = [];
  const operations = listDocumentOperations(service.app.swagger())
    .filter(({ operationId }) => operationId !== "deleteForm" && operationId !== "postSubmission")
    .toSorted((one, other) => orderOf(one) - orderOf(other));
  for (const { method, path, operationId } of operations) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_match, name: keyof typeof ids) => ids[name]);
    for (const { query = "", body } of attemptsOf(operationId, ids, stolen.url)) {
      const answer = await service.request(method, `${url}${query}`, { token: key, body });
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      if (text.includes(content)) seen.push(operationId);
    }
  }
  await settle();
  if (stolen.requests.some(({ body }) => body.includes(content))) seen.push("webhook");
  const { submissions } = (await account.request("GET", `/api/forms/${form_id}/submissions`)).body;
  const bin = (await account.request("GET", `/api/forms/${form_id}/submissions/bin`)).body.submissions;
  const left = [...submissions, ...bin].map(({ id }: { id: string }) => id).toSorted();
  return {
    seen,
    isAllLeft: left.join() === [submission_id, binned_id].toSorted().join(),
    stolen,
    request: service.request,
    key,
    form_id,
  };
}

test("forms:read alone is shown nothing that was submitted, and destroys nothing", async (t) => {
  const { seen, isAllLeft } = await tryEverything(t, ["forms:read"]);
  assert.deepEqual([seen, isAllLeft], [[], true]);
});

test("forms:write alone gets nothing that is stored by pointing webhooks to itself, and destroys nothing short of the form", async (t) => {
  const { seen, isAllLeft, stolen, request, key, form_id } = await tryEverything(t, ["forms:write"]);
  assert.deepEqual([seen, isAllLeft], [[], true]);
  // Its own events did come there: the renamed form, the rotation, the test.
  assert.ok(stolen.requests.length >= 3, `${stolen.requests.length} requests`);
  // By contract it can delete the form.
  assert.equal((await request("DELETE", `/api/forms/${form_id}?confirm=DELETE_FORM`, { token: key })).status, 200);
});

test("submissions:read alone destroys nothing", async (t) => {
  const { seen, isAllLeft } = await tryEverything(t, ["submissions:read"]);
  assert.ok(seen.includes("exportSubmissions") && seen.includes("listBin") && !seen.includes("webhook"), seen.join());
  assert.equal(isAllLeft, true);
});

test("submissions:delete alone is shown nothing that was submitted", async (t) => {
  const { seen, isAllLeft } = await tryEverything(t, ["submissions:delete"]);
  assert.deepEqual([seen, isAllLeft], [[], false]);
});

test("the calls of the permission test show and destroy a submission if every permission is given, so they would find a way", async (t) => {
  const { seen, isAllLeft } = await tryEverything(t, permissions);
  assert.ok(seen.includes("webhook") && seen.includes("getDelivery"), seen.join());
  assert.equal(isAllLeft, false);
});
