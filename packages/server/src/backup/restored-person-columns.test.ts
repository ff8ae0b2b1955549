import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { restoredPersonColumns } from "./restored-person-columns.ts";
import { backUpTo, keepSecret, restoreTo, settings } from "./testing/back-up.ts";

test("a restore names every person who has a right, or has one no longer, by a column of their row, or the column has its reason", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const tables = await service.database.introspection.getTables();
  const columns = tables.find(({ name }) => name === "person")?.columns.map(({ name }) => name) ?? [];
  assert.deepEqual(columns.toSorted(), Object.keys(restoredPersonColumns).toSorted());
  await service.signUp("nobody@example.com");
  const named = Object.entries(restoredPersonColumns).flatMap(([column, answer]) =>
    "named" in answer ? [{ column, list: answer.named, email: `${column}@example.com` }] : [],
  );
  for (const { column, email } of named) {
    const { id } = await service.signUp(email);
    const set = { [column]: Date.now() + 86_400_000 };
    await service.database.updateTable("person").set(set).where("id", "=", id).execute();
  }
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  await service.stop();
  const secretFile = keepSecret(t, await settings(t, folder));
  const access = await restoreTo(t, createTemporaryFolder(t), file, secretFile);
  const environment = await settings(t, createTemporaryFolder(t));
  const { code, stdout, stderr } = await runCommand(
    ["restore", "--from", file, "--secret-file", secretFile],
    environment,
  );
  assert.equal(code, 0, stderr);
  for (const { list, email } of named) {
    const text = JSON.stringify(access[list]);
    assert.deepEqual(text.match(/\w+@example\.com/g), [email], list);
    assert.ok(stdout.includes(`"${email}"`), `${list} are printed`);
  }
  assert.ok(!stdout.includes("nobody@example.com"));
  const list = await runCommand(["account", "list"], environment);
  const words = Object.fromEntries(
    list.stdout
      .trim()
      .split("\n")
      .map((line) => [line.split("\t")[1], line.split("\t").slice(6).join(" ")]),
  );
  assert.deepEqual(words, {
    "nobody@example.com": "- -",
    "operator_since@example.com": "operator -",
    "disabled_at@example.com": "- disabled",
    "leaves_at@example.com": "- -",
  });
});
