import assert from "node:assert/strict";
import { test } from "node:test";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

test("the operator lists organizations and members, and makes a new owner where none can sign in", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const owner = await service.signUp("owner@example.com");
  const auditor = await addPerson(service, owner, "auditor@example.com", { role: "auditor" });
  const { organization } = (await auditor.request("POST", "/api/organizations", { name: "Another" })).body;
  const environment = { SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) };
  const order = async (...parameters: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(["organization", ...parameters], environment);
    return [code, stdout || stderr];
  };
  await service.database.updateTable("person").set({ disabled_at: 1 }).where("id", "=", owner.id).execute();
  assert.deepEqual(await order("list"), [
    0,
    `${[
      `${owner.id}  free  2 members, 0 owners  Person`,
      `${auditor.id}  free  1 members, 1 owners  Person`,
      `${organization.id}  free  1 members, 1 owners  Another`,
    ].join("\n")}\n`,
  ]);
  const one = ["--id", owner.id];
  assert.deepEqual(await order("members", ...one), [
    0,
    `${owner.id}  owner  owner@example.com  disabled\n${auditor.id}  auditor  auditor@example.com\n`,
  ]);
  const line = `auditor@example.com is now an owner of ${owner.id}\n`;
  assert.deepEqual(await order("make-owner", ...one, "--email", "auditor@example.com"), [0, line]);
  assert.equal((await auditor.request("GET", "/api/invitations")).status, 200);
  const again = await order("make-owner", ...one, "--email", "auditor@example.com");
  assert.deepEqual(again, [0, `auditor@example.com is already an owner of ${owner.id}\n`]);
  const nobody = await order("make-owner", ...one, "--email", "nobody@example.com");
  assert.deepEqual(nobody, [1, "There is no account for nobody@example.com\n"]);
  const unknown = "acc_00000000000000000000000000";
  assert.deepEqual(await order("members", "--id", unknown), [1, `There is no organization ${unknown}\n`]);
  assert.equal((await order("members", "--id", "acc_1"))[0], 2);
  assert.deepEqual(await order("set-plan", ...one, "--plan", "pro"), [0, `${owner.id} is on the plan pro\n`]);
  const { entries } = (await auditor.request("GET", "/api/audit-log")).body;
  assert.deepEqual(
    entries
      .filter(({ actor }: { actor: { type: string } }) => actor.type === "operator")
      .map(({ action }: { action: string }) => action),
    ["account.plan_changed", "member.changed"],
  );
});
