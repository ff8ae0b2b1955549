import assert from "node:assert/strict";
import { after, test } from "node:test";
import { rightStatus } from "../contract/operation-calls.ts";
import { openRights } from "./rights.ts";

/** Operations that bring people into an organization that is about to be deleted. */
const refused = ["createInvitation"];

test("in an organization that is about to be deleted everything is done as before, but nobody comes to it", async () => {
  const { service, scene, calls, operations, idsOf } = await openRights({ after });
  const { owner } = scene;
  const inside = operations.filter(({ access, path }) => access !== "operator" && !path.startsWith("/api/account"));
  for (const operation of inside) {
    const ids = await idsOf(operation);
    const end = () => owner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
    assert.equal((await end()).status, 200);
    const { path, headers, body, method } = calls.prepare(operation, ids);
    const { status, body: answer } = await service.request(method, path, { token: owner.token, headers, body });
    if (refused.includes(operation.operationId))
      assert.deepEqual([status, answer.code], [409, "organization_ending"], operation.operationId);
    else assert.equal(status, rightStatus(operation), `${operation.operationId}: ${JSON.stringify(answer)}`);
    await owner.request("DELETE", "/api/organization/deletion");
    // With a form on hold the next one could not begin.
    await owner.request("DELETE", `/api/forms/${ids.form_id}/hold`);
  }
});

test("nothing comes from elsewhere to an organization that is about to be deleted: no member, and no form", async () => {
  const { service, scene } = await openRights({ after });
  const { owner } = scene;
  const guest = await service.signUp("guest@example.com");
  const invited = await owner.request("POST", "/api/invitations", { email: "guest@example.com", role: "owner" });
  const made = await owner.request("POST", "/api/organizations", { name: "Ending" });
  const id = made.body.organization.id;
  const switchTo = (to: string) => owner.request("POST", `/api/organizations/${to}/switch`);
  const end = () => owner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
  assert.equal((await switchTo(id)).status, 200);
  assert.equal((await end()).status, 200);
  assert.equal((await switchTo(owner.id)).status, 200);
  const form = await owner.request("POST", "/api/forms", { name: "Form" });
  const handed = await owner.request("POST", `/api/forms/${form.body.form.id}/hand-over`, { organizationId: id });
  assert.deepEqual([handed.status, handed.body.code], [409, "organization_ending"]);
  assert.equal((await end()).status, 200);
  const token = invited.body.url.split("#")[1];
  const accepted = await guest.request("POST", "/api/invitations/accept", { token });
  assert.deepEqual([accepted.status, accepted.body.code], [409, "organization_ending"]);
});
