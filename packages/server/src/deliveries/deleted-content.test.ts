import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { listDocumentOperations } from "../../../../tests/contract/operations.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { changeFormHold } from "../forms/form-hold-store.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { purge } from "../retention/testing/purge.ts";
import { hideBinned } from "../submissions/bin-rows-store.ts";
import { hideSubmissions } from "../submissions/submission-deletion-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";

const secret = "the answer that was deleted";
const deliveries = ["due", "ended", "none"] as const;

async function start(t: TestContext) {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 12));
  let onAttempt: () => void = () => {};
  const service = await createTestService(t, {
    clock,
    deliveries: {
      resolve: () => Promise.reject(new Error("no such name")),
      observe: ({ kind }) => void (kind === "request_ended" && onAttempt()),
    },
  });
  const nextAttempt = () =>
    new Promise<void>((resolve) => {
      onAttempt = resolve;
    });
  return { service, owner: await service.signUp(), clock, nextAttempt };
}

type Bench = Awaited<ReturnType<typeof createCase>>;

/** A form with one submission, and a delivery of it in this state. */
async function createCase(
  { service, owner, clock, nextAttempt }: Awaited<ReturnType<typeof start>>,
  delivery: (typeof deliveries)[number],
) {
  // A host of its own: further deliveries to one that fails again and again are put off.
  const webhookUrl = `https://${createId("form").replace("_", "-")}.example.com/`;
  const webhook = delivery === "none" ? {} : { webhookUrl };
  const formId = await createForm(owner, { encryption: false, ...webhook });
  const form = `/api/forms/${formId}`;
  const attempted = nextAttempt();
  const id = await postPlain(service, formId, { message: secret });
  if (delivery !== "none") await attempted;
  const { database } = service;
  if (delivery === "ended") {
    await database.deleteFrom("delivery_queue").where("form_id", "=", formId).execute();
    const ended = { state: "failed", next_attempt_at: null, finished_at: clock.now() } as const;
    await database.updateTable("delivery").set(ended).where("form_id", "=", formId).execute();
  }
  /** A deletion and a hold right after it, before the purge has come to the rows. */
  const hideAndHold = (hide: (transaction: DatabaseTransaction) => Promise<unknown>) =>
    database.transaction().execute(async (transaction) => {
      await hide(transaction);
      const hold = { since: 1, setBy: undefined, reason: undefined, until: undefined, isReminded: false };
      assert.ok(await changeFormHold(transaction, owner.id as AccountId, formId, async () => hold)); // such an id
    });
  const ask = async (method: string, path: string, body?: object) =>
    assert.equal((await owner.request(method, `${form}${path}`, body)).status, 200, path);
  return { clock, service, owner, formId, form, id, ask, hideAndHold };
}

/** Each way in which a submission is deleted. */
const ways: Readonly<Record<string, (bench: Bench) => Promise<unknown>>> = {
  "one by its id": ({ ask, id }) => ask("DELETE", `/submissions/${id}`),
  "many by their ids": ({ ask, id }) => ask("POST", "/submissions/delete", { ids: [id] }),
  "all, purged": async ({ ask, service, clock }) => {
    await ask("DELETE", "/submissions?confirm=DELETE_SUBMISSIONS");
    await purge(service, clock);
  },
  "one in the bin": async ({ ask, id }) => {
    await ask("POST", "/submissions/bin", { ids: [id] });
    await ask("DELETE", `/submissions/${id}`);
  },
  "the bin, purged": async ({ ask, id, service, clock }) => {
    await ask("POST", "/submissions/bin", { ids: [id] });
    await ask("DELETE", "/submissions/bin?confirm=EMPTY_BIN");
    await purge(service, clock);
  },
  retention: async ({ ask, service, clock }) => {
    await ask("PUT", "/retention", { days: 1 });
    await purge(service, createFakeClock(clock.now() + 3 * 86_400_000));
  },
  "the form": ({ ask }) => ask("DELETE", "?confirm=DELETE_FORM"),
  // Last: while these are held, `purge` finds work that it may not do.
  "all, not yet purged": ({ hideAndHold, formId, clock }) =>
    hideAndHold((transaction) => hideSubmissions(transaction, formId, Number.POSITIVE_INFINITY, clock.now())),
  "all, in the bin, not yet purged": async ({ ask, id, hideAndHold, formId, clock }) => {
    await ask("POST", "/submissions/bin", { ids: [id] });
    await hideAndHold((transaction) => hideSubmissions(transaction, formId, Number.POSITIVE_INFINITY, clock.now()));
  },
  "the bin, not yet purged": async ({ ask, id, hideAndHold, formId }) => {
    await ask("POST", "/submissions/bin", { ids: [id] });
    await hideAndHold((transaction) => hideBinned(transaction, formId, Number.POSITIVE_INFINITY));
  },
};

/** The operations that show what was sent, of all that the document has about a form; each with its answer. */
async function listShowing({ service, owner, formId, id }: Bench, deliveryId: string) {
  const values: Readonly<Record<string, string>> = { form_id: formId, submission_id: id, delivery_id: deliveryId };
  const showing: string[] = [];
  for (const { method, path, operationId } of listDocumentOperations(service.app.swagger())) {
    if (method !== "GET" || !path.startsWith("/api/forms/{form_id}")) continue;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? "1");
    const { body } = await owner.request("GET", url);
    if (JSON.stringify(body).includes(secret)) showing.push(operationId);
  }
  return showing;
}

test("a deleted submission is shown by no operation, nor sent again, whichever way it was deleted", async (t) => {
  const shown = ["listSubmissions", "exportSubmissions", "getSubmission"];
  for (const delivery of deliveries) {
    const started = await start(t);
    for (const [way, remove] of Object.entries(ways))
      await t.test(`${way}, delivery ${delivery}`, async () => {
        const bench = await createCase(started, delivery);
        const { owner, form, service } = bench;
        const { logs } = (await owner.request("GET", `${form}/webhook/logs`)).body;
        const deliveryId: string = logs[0]?.id ?? "dlv_none";
        const before = delivery === "none" ? shown : [...shown, "getDelivery"];
        assert.deepEqual((await listShowing(bench, deliveryId)).sort(), before.sort(), "a control");
        await remove(bench);
        const queued = () =>
          service.database
            .selectFrom("delivery_queue")
            .select("delivery_id")
            .where("form_id", "=", bench.formId)
            .execute();
        const waiting = await queued();
        assert.deepEqual(await listShowing(bench, deliveryId), []);
        const resent = await owner.request("POST", `${form}/webhook/logs/${deliveryId}/resend`);
        const gone = way === "the form" ? "form_not_found" : "delivery_not_found";
        const code = delivery === "none" || way === "the form" ? gone : "delivery_content_deleted";
        assert.equal(resent.body.code, code);
        const known = new Set(waiting.map(({ delivery_id }) => delivery_id));
        // The purge may end what waited.
        assert.ok((await queued()).every(({ delivery_id }) => known.has(delivery_id)));
      });
  }
});
