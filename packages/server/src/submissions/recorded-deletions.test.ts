import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperationCalls } from "../../../../tests/contract/operation-calls.ts";
import { listDocumentOperations } from "../../../../tests/contract/operations.ts";
import { permissions } from "../access/permission.ts";
import { postPlain } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";

interface Entry {
  readonly action: string;
  readonly actor: { readonly type: string };
  readonly details?: { readonly counts?: { readonly submissions?: number } };
}

test("each operation that deletes submissions leaves an entry, by session and by API key; deleted one by one, an hour later with their number", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await service.signUp();
  const calls = createOperationCalls(service, { hasWebhooks: false });
  const { value: key } = await calls.createKey(owner, permissions);
  const operations = listDocumentOperations(service.app.swagger()).filter(
    ({ access, operationId }) => operationId === "deleteForm" || access.includes("submissions:delete"),
  );
  assert.ok(operations.length >= 7, "a control");
  const entriesOf = async (formId: string): Promise<readonly Entry[]> =>
    (await owner.request("GET", `/api/audit-log?target=${formId}&limit=100`)).body.entries;
  for (const operation of operations)
    for (const [actor, token] of [
      ["session", owner.token],
      ["api_key", key],
    ] as const) {
      const ids = await calls.createIds(owner, operation);
      const path = `/api/forms/${ids.form_id}/submissions/bin`;
      // Something is there to be restored or deleted.
      if (["restoreSubmissions", "emptyBin"].includes(operation.operationId))
        await owner.request("POST", path, { ids: [ids.submission_id] });
      const countOf = async () => (await entriesOf(ids.form_id)).filter((entry) => entry.actor.type === actor).length;
      const before = await countOf();
      const { method, path: url, body, headers } = calls.prepare(operation, ids);
      const { status } = await service.request(method, url, { token, body, headers: headers ?? {} });
      assert.equal(status, 200, operation.operationId);
      assert.equal(await countOf(), before + 1, `${operation.operationId} by ${actor}`);
    }

  const { form_id: formId } = await calls.createIds(owner, operations[0] ?? assert.fail());
  for (const token of [owner.token, key])
    for (let count = 0; count < 20; count++) {
      const id = await postPlain(service, formId);
      assert.equal((await service.request("DELETE", `/api/forms/${formId}/submissions/${id}`, { token })).status, 200);
    }
  const deleted = async () =>
    (await entriesOf(formId))
      .filter(({ action }) => action.startsWith("submissions."))
      .map(({ action, actor, details }) => `${action} ${actor.type} ${details?.counts?.submissions ?? ""}`)
      .sort();
  const begun = ["submissions.deleted_singly api_key ", "submissions.deleted_singly session "];
  assert.deepEqual(await deleted(), begun);
  clock.advance(hourMilliseconds);
  assert.deepEqual(await deleted(), [
    ...begun,
    "submissions.deletions_counted api_key 20",
    "submissions.deletions_counted session 20",
  ]);
});
