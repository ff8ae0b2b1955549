import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { type AccountLifeAdministration, administerAccountLife } from "./account-life-administration.ts";

test("the operator moves an account, exports what is known about its person, deletes it and keeps it after all", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const person = await service.signUp("old@example.com");
  await service.signUp("taken@example.com");
  const environment = { SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) };
  const order = <Result>(work: (accounts: AccountLifeAdministration) => Promise<Result>) =>
    administerAccountLife(parseConfig(environment), work);

  await assert.rejects(
    order((accounts) => accounts.move("old@example.com", "Taken@example.com")),
    /There is an account for Taken@example.com already/,
  );
  await assert.rejects(
    order((accounts) => accounts.keep("nobody@example.com")),
    /There is no account for/,
  );
  assert.equal(await order((accounts) => accounts.move("old@example.com", "New@example.com")), person.id);
  assert.equal((await person.request("GET", "/api/account")).body.account.email, "new@example.com");
  const exported = await runCommand(["account", "export", "--email", "new@example.com"], environment);
  assert.equal(exported.code, 0, exported.stderr);
  assert.equal(JSON.parse(exported.stdout).account.email, "new@example.com");
  assert.equal(await order((accounts) => accounts.keep("new@example.com")), false);
  const { at } = await order((accounts) => accounts.delete("new@example.com", false));
  assert.ok(at > Date.now() + 29 * 86_400_000);
  assert.equal((await person.request("GET", "/api/account")).status, 401);
  assert.equal(await order((accounts) => accounts.keep("new@example.com")), true);
  const soon = await order((accounts) => accounts.delete("new@example.com", true));
  assert.ok(soon.at <= Date.now());
});
