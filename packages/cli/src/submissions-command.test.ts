import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../sdk/src/testing/delivery.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

const pair = takeKeyPair();

test("submissions are listed newest first, without what is in them, as many as asked for", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact", publicKey: pair.publicKey })).body;
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const { submission } = await createdSealed({ name }, pair, 1, form.id);
    const { id, payload, keyVersion } = submission;
    await account.request("POST", `/api/forms/${form.id}/submissions`, { id, payload, keyVersion });
    ids.unshift(id);
  }
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const listed = await run(["submissions", "list", form.id], { environment });
  assert.equal(listed.code, 0, listed.errors);
  const lines = listed.output.split("\n").slice(1, -1);
  assert.deepEqual(
    lines.map((line) => line.split(" ")[0]),
    ids,
  );
  assert.match(lines[0] ?? "", /Z {2}sealed, key version 1$/);
  const two = await run(["submissions", "list", form.id, "--json", "--limit", "2"], { environment });
  const parsed: { id: string; payload: { encrypted: boolean } }[] = JSON.parse(two.output);
  assert.deepEqual(
    parsed.map((one) => one.id),
    ids.slice(0, 2),
  );
  assert.equal(parsed[0]?.payload.encrypted, true);
  assert.equal(
    (await run(["submissions", "list", form.id, "--to", "2020-01-01", "--json"], { environment })).output,
    "[]\n",
  );
  assert.equal((await run(["submissions", "list", createId("form")], { environment })).code, 4);
});

test("usage shows what the account and its forms store, of how much", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact", settings: { encryption: false } }))
    .body;
  await account.request("POST", `/api/forms/${form.id}/submissions`, {
    payload: { encrypted: false, version: "plain1", fields: { message: "x".repeat(100_000) } },
  });
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const { output } = await run(["usage"], { environment });
  assert.match(output, /^account +9\d\.\d KiB +1\.0 GiB \(0 %\)$/m);
  assert.match(output, new RegExp(`^${form.id} +Contact +1 +98\\.2 KiB +512\\.0 MiB \\(0 %\\)$`, "m"));
  const { bytes, otherBytes, logBytes } = JSON.parse((await run(["usage", "--json"], { environment })).output);
  assert.equal(bytes, 100_000 + '{"message":""}'.length + 512);
  assert.ok(otherBytes > 512 && logBytes > 512, `${otherBytes}, ${logBytes}`);
});
