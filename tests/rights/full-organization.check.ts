import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createUsageStore } from "../../packages/server/src/quotas/usage-store.ts";
import { addsUnasked, onRequestDone } from "../../packages/server/src/testing/watch-requests.ts";
import type { Operation } from "../contract/operations.ts";
import { openRights, prepare, sendWhole } from "./rights.ts";

/** An entry of the log of somebody's act, about a form. Whatever leaves more has to ask whether there is room. */
const entryBytesMax = 1500;

/** Last what the other requests need. */
const endings = ["leaveOrganization", "deleteAccount", "deleteOrganization"];

/** Operations that may add to a full organization, and why. */
const passes: Readonly<Record<string, string>> = {
  rotateFormKeys: "the way out of a stolen key has room of its own",
  deleteSubmission: "its event is gone after a month, and it frees the submission",
  deleteListedSubmissions: "the same, for each",
};

test("no operation adds more than an entry of the log to a full organization, but what takes it back from somebody", async (t) => {
  const rights = await openRights(
    { after: (end) => t.after(end) },
    { SEALPOST_QUOTAS: "on", SEALPOST_DEFAULT_PLAN: "free" },
  );
  const { service, scene, operations, idsOf } = rights;
  const usage = createUsageStore(service.database);
  const stored = async () => {
    const { otherBytes, logBytes } = await usage.findAccount(scene.owner.id);
    return otherBytes + logBytes;
  };
  const isLast = ({ operationId, access }: Operation) => endings.includes(operationId) || access === "operator";
  // A form of its own would be made for each test of a webhook, after there is room for none.
  const ordered = operations
    .filter(({ operationId }) => operationId !== "testWebhook")
    .toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
  for (const operation of ordered) await idsOf(operation);
  await service.database.insertInto("counted_bytes").values({ owner_id: scene.owner.id, bytes: 536_870_912 }).execute();
  // The service remembers its sums for some seconds.
  const isFull = async () =>
    (await scene.owner.request("POST", "/api/forms", { name: crypto.randomUUID() })).status === 503;
  while (!(await isFull())) await setTimeout(200);
  const found: string[] = [];
  const added = new Set<string>();
  onRequestDone(service.app.server, ({ operation, adds }) => {
    if (!(operation in addsUnasked)) for (const table of adds) added.add(table);
  });
  added.clear();
  let actor = await rights.createActor();
  for (const operation of ordered) {
    if (isLast(operation)) actor = await rights.createActor();
    const before = await stored();
    const { status, body } = await sendWhole(
      service,
      await prepare(rights, actor, { operation, credential: "session" }),
    );
    const bytes = (await stored()) - before;
    if ((body as { code?: string } | undefined)?.code === "organization_full")
      assert.ok(bytes <= 0, `${operation.operationId} was refused and left ${bytes} bytes`);
    else if ((bytes > entryBytesMax || added.size > 0) && !(operation.operationId in passes))
      found.push(`${operation.operationId}: ${status}, ${bytes} bytes, rows of ${[...added]}`);
    added.clear();
  }
  assert.deepEqual(found, []);
});
