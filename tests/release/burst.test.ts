import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, generateKeyPair } from "@sealpost/sdk";
import { createId, type FormId, seal } from "@sealpost/wire";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

const count = 400;

// Fewer than four at a time are written where they were read. Only a burst, from another process, needs the writer thread,
// which is a file of its own in the build.
test(`the built service answers ${count} submissions at once with 201, and stores all of them`, async (t) => {
  const environment = { SEALPOST_DATA: createTemporaryFolder(t), SEALPOST_PORT: "0", SEALPOST_SUBMIT_RATE: "0" };
  const service = await startServiceProcess(environment, [], { isBuilt: true });
  t.after(() => service.kill());
  const client = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  const { publicKey } = await generateKeyPair();
  const form = await client.forms.create({ name: "Burst", publicKey });
  const formId = form.id as FormId; // as the service made it
  const ids = Array.from({ length: count }, () => createId("submission"));
  const bodies = await Promise.all(
    ids.map(async (id) => {
      const payload = await seal({ message: "at once" }, { formId, keyVersion: 1, submissionId: id }, publicKey);
      return JSON.stringify({ id, keyVersion: 1, payload });
    }),
  );
  const url = `${service.url.replace("localhost", "127.0.0.1")}/api/forms/${formId}/submissions`;
  const headers = { "content-type": "application/json" };
  const answers = await Promise.all(bodies.map((body) => fetch(url, { method: "POST", headers, body })));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)], [201]);
  const stored: string[] = [];
  for await (const { id } of client.submissions.export(formId)) stored.push(id);
  assert.deepEqual(stored.toSorted(), ids.toSorted());
});
