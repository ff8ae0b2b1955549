import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import {
  createTestService,
  type TestAccount,
  type TestService,
} from "../../packages/server/src/testing/test-service.ts";
import { createOperationCalls, type Ids } from "./operation-calls.ts";
import { listDocumentOperations } from "./operations.ts";

/** A state in which an operation has something to change, besides a new form. */
const states: Readonly<Record<string, (service: TestService, owner: TestAccount, ids: Ids) => Promise<unknown>>> = {
  setSecondFactorRule: (service) =>
    service.database
      .updateTable("organization")
      .set({ second_factor_from: Date.now() + 1e9 })
      .execute(),
  setRecoveryRule: (service) => service.database.updateTable("organization").set({ recovery_required_at: 1 }).execute(),
  liftFormHold: (_service, owner, { form_id }) =>
    owner.request("PUT", `/api/forms/${form_id}/hold`, { reason: "Case 7" }),
};

/** Entries with the time of the request, which tell no value before that another change could have given. */
const datedByRequest: Readonly<Record<string, string>> = {
  createApiKey: "the key's own first entry",
  createForm: "the form's own first entry",
  createOrganization: "the organization's own first entry",
  deleteForm: "the form's last entry",
  deleteListedSubmissions: "a count",
  deleteSubmissions: "a count of what was there at that time",
  binSubmissions: "a count of what was there at that time",
  rotateWebhookSecret: "tells no secret; the secrets themselves are dated alike",
  setAccountNotifications: "a switch of the person's own",
  setNotifications: "a switch of the person's own",
};

test(
  "two changes at once are dated in the order in which they happened: within the transaction, not when the request came",
  onSqlite,
  async (t) => {
    const clock = createFakeClock(Date.now());
    let began: number | undefined;
    const service = await createTestService(t, {
      clock,
      apiKeyRate: 1_000_000,
      environment: { SEALPOST_DEFAULT_PLAN: "enterprise" },
      // As if the transaction had waited for another one's lock.
      beforeTransaction: async () => {
        clock.advance(1_000);
        began ??= clock.now();
      },
    });
    const owner = await service.signUp();
    const calls = createOperationCalls(service, { hasWebhooks: false });
    const list = () => service.database.selectFrom("audit_entry").select(["id", "action", "occurred_at"]).execute();
    const [early, within] = [new Set<string>(), new Set<string>()];
    for (const operation of listDocumentOperations(service.app.swagger())) {
      const { operationId, access, method } = operation;
      if (access === "public" || method === "GET") continue;
      const ids = await calls.createIds(owner, operation);
      await states[operationId]?.(service, owner, ids);
      const before = new Set((await list()).map(({ id }) => id));
      began = undefined;
      await calls.call(operation, ids, `Bearer ${owner.token}`);
      for (const { id, occurred_at } of await list())
        if (!before.has(id)) (Number(occurred_at) < (began ?? 0) ? early : within).add(operationId);
    }
    assert.deepEqual(
      [...early].filter((one) => !(one in datedByRequest)),
      [],
    );
    for (const operationId of [
      ...Object.keys(states),
      "setFormHold",
      "updateForm",
      "changeMember",
      "renameAccount",
      "setRetention",
    ])
      assert.ok(within.has(operationId), `${operationId} left an entry`);
  },
);
