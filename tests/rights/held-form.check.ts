import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId, FormId } from "@sealpost/wire";
import { changeFormHold } from "../../packages/server/src/forms/form-hold-store.ts";
import type { TestService } from "../../packages/server/src/testing/test-service.ts";
import { onRequestDone, removesUnasked } from "../../packages/server/src/testing/watch-requests.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";
import { openRights, prepare, sendWhole } from "./rights.ts";

/** Last what the other requests need. */
const endings = ["leaveOrganization", "deleteAccount", "deleteOrganization"];

const hold = { since: 1, setBy: undefined, reason: undefined, until: undefined, isReminded: false };

/** Another organization of the person who sends this request. */
async function createOrganization({ request }: TestService, { headers }: PreparedRequest) {
  const { status, body } = await request("POST", "/api/organizations", { headers, body: { name: "Another" } });
  assert.equal(status, 200);
  return { organizationId: body.organization.id };
}

test("no operation removes rows of a form that a legal hold keeps, nor takes it to another organization: each one answers `form_held`", async (t) => {
  const rights = await openRights({ after: (end) => t.after(end) });
  const { service, scene, operations, idsOf } = rights;
  const removed = new Set<string>();
  onRequestDone(service.app.server, ({ operation, removes }) => {
    if (!(operation in removesUnasked)) for (const table of removes) removed.add(table);
  });
  const isLast = ({ operationId, access }: Operation) => endings.includes(operationId) || access === "operator";
  const ordered = operations
    // It takes the hold away.
    .filter(({ operationId }) => operationId !== "liftFormHold")
    .toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
  for (const operation of ordered) await idsOf(operation);
  removed.clear();
  const [found, refused]: [string[], string[]] = [[], []];
  let actor = await rights.createActor();
  for (const operation of ordered) {
    if (isLast(operation)) actor = await rights.createActor();
    const formId = (await idsOf(operation)).form_id as FormId; // made as such an id
    await service.database
      .transaction()
      .execute((transaction) => changeFormHold(transaction, scene.owner.id as AccountId, formId, async () => hold));
    const prepared = await prepare(rights, actor, { operation, credential: "session" });
    const other = operation.operationId === "handOverForm" ? await createOrganization(service, prepared) : undefined;
    const { status, body } = await sendWhole(service, { ...prepared, ...(other && { body: JSON.stringify(other) }) });
    if ((body as { code?: string } | undefined)?.code === "form_held") refused.push(operation.operationId);
    else if (removed.size > 0) found.push(`${operation.operationId}: ${status}, rows of ${[...removed]}`);
    removed.clear();
    const { account_id: organization } = await service.database
      .selectFrom("form")
      .select("account_id")
      .where("id", "=", formId)
      .executeTakeFirstOrThrow();
    if (organization !== scene.owner.id) found.push(`${operation.operationId}: ${status}, to ${organization}`);
  }
  assert.deepEqual(found, []);
  assert.ok(
    refused.includes("deleteForm") && refused.includes("handOverForm") && refused.includes("deleteListedSubmissions"),
    "a control",
  );
});
