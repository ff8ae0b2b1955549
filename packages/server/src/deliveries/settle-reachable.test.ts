import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { createFakeCluster } from "../testing/fake-cluster.ts";
import type { EndedRequest, Stored } from "./claim.ts";
import { settleReachable } from "./settle-reachable.ts";

test("how requests ended is stored for the forms that are reached; the others are lost, all in their order", async () => {
  const { workers, work } = createFakeCluster({ a: true, b: false });
  const result = await settleReachable(workers, ["b/1", "a/1", "b/2", "a/2"].map(endRequest), async (reachable) => {
    const formIds = await work(reachable.map(({ claimed }) => claimed.formId));
    return { stored: formIds.map(storeOf), claim: "claimed too" };
  });
  assert.deepEqual(result, {
    stored: [{ kind: "lost" }, storeOf("a/1"), { kind: "lost" }, storeOf("a/2")],
    claim: "claimed too",
  });
});

test("what is due is claimed, even if nothing that ended can be stored", async () => {
  const { workers, run } = createFakeCluster({ a: true, b: false });
  await run("b/1");
  const settled: (readonly EndedRequest[])[] = [];
  const result = await settleReachable(workers, [endRequest("b/1")], async (reachable) => {
    settled.push(reachable);
    return { stored: [], claim: "claimed" };
  });
  assert.deepEqual([settled, result], [[[]], { stored: [{ kind: "lost" }], claim: "claimed" }]);
});

/** Nothing but its form is looked at. */
function endRequest(formId: string): EndedRequest {
  return { claimed: { formId: formId as FormId } } as EndedRequest;
}

/** An outcome by which a form is known. */
function storeOf(formId: string): Stored {
  return { kind: "continued", lease: { token: formId, attemptId: 1, since: 0 } };
}
