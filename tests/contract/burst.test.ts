import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

const count = 400;

// One at a time a submission is written where it was read; only a burst needs the thread, and every part of the way to it.
test(`${count} submissions at once are answered with 201, and all of them are stored`, async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const settings = { encryption: false };
  const { body: created } = await account.request("POST", "/api/forms", { name: "Burst", settings });
  const path = `/api/forms/${created.form.id}/submissions`;
  const ids = Array.from({ length: count }, () => createId("submission"));
  const answers = await Promise.all(
    ids.map((id, number) => {
      const payload = { encrypted: false, version: "plain1", fields: { number: String(number) } };
      return service.request("POST", path, { body: { id, payload } });
    }),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);

  const { body } = await account.request("GET", `${path}?limit=1`);
  assert.equal(body.total, count);
  const exported: string = (await account.request("GET", `${path}/export`)).body;
  const stored = exported
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  assert.deepEqual(stored.toSorted(), ids.toSorted());
});
