import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { listDocumentOperations } from "../contract/operations.ts";
import { createPlainForm, post, request } from "../postgres/processes.ts";
import { fullDisks } from "../support/full-disk.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

const settings = { SEALPOST_PORT: "0", SEALPOST_SUBMIT_RATE: "0", SEALPOST_API_RATE: "0" };
/** The disk itself refuses, and not the service because it has measured how little is left. */
const withoutFloor = { ...settings, SEALPOST_DISK_FREE_MIN: "0" };

function createFolder(t: TestContext): string {
  const folder = join(createTemporaryFolder(t), "data");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** A form with a submission and a webhook; and what reads it all, as `operation by credential: status`. */
async function createReads(service: ServiceProcess) {
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, { webhookUrl: "https://nowhere.invalid/hook" });
  const submission = (await post(service, form)).body.submission.id;
  const key = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body.key.key;
  const document = (await request(service, "GET", "/api/openapi.json")).body;
  const reads = listDocumentOperations(document).filter(({ method }) => method === "GET");
  assert.ok(reads.length > 30, `a control: ${reads.length}`);
  const ids: Readonly<Record<string, string>> = { form_id: form, submission_id: submission };
  async function readAll({ url }: ServiceProcess): Promise<readonly string[]> {
    const statuses: string[] = [];
    for (const { path, operationId } of reads)
      for (const [kind, credential] of Object.entries({ key, token })) {
        const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? "1");
        const answer = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${credential}` } });
        await answer.text();
        statuses.push(`${operationId} by ${kind}: ${answer.status}`);
      }
    return statuses;
  }
  return { token, form, readAll };
}

test("with the reserve reached every read of the document continues", onSqlite, async (t) => {
  const SEALPOST_DATA = createFolder(t);
  const before = await startServiceProcess({ ...settings, SEALPOST_DATA });
  closeAtEnd(t, () => before.kill());
  const { form, readAll } = await createReads(before);
  const expected = await readAll(before);
  await before.kill();
  const service = await startServiceProcess({ ...settings, SEALPOST_DATA, SEALPOST_DISK_FREE_MIN: "900TiB" });
  closeAtEnd(t, () => service.kill());
  assert.equal((await post(service, form)).body.code, "storage_full", "a control");
  assert.deepEqual(await readAll(service), expected);
});

for (const disk of fullDisks)
  test(`${disk.name}: every read of the document continues, and what was read is in the audit log when there is room`, {
    skip: onSqlite.skip || disk.skip,
  }, async (t) => {
    const folder = createFolder(t);
    const environment = { ...withoutFloor, SEALPOST_DATA: folder };
    const service = await startServiceProcess(environment, [], { wrapper: disk.wrapper(folder) });
    closeAtEnd(t, () => service.kill());
    const { token, form, readAll } = await createReads(service);
    disk.fill(service, folder, 0);
    assert.equal((await post(service, form)).status, 503, "a control: nothing can be written");
    const full = await readAll(service);
    assert.equal((await post(service, form)).status, 503, "as above");
    disk.free(service, folder);
    const log = await untilWritten();
    for (const action of ["submissions.exported", "account.exported", "audit_log.exported", "webhook_secret.shown"])
      assert.ok(log.includes(action), `${action} is not among ${log}`);
    assert.deepEqual(full, await readAll(service), "as with room");

    async function untilWritten(): Promise<readonly string[]> {
      for (;;) {
        const { body } = await request(service, "GET", "/api/audit-log?limit=100", { token });
        const actions = body.entries.map(({ action }: { action: string }) => action);
        if (actions.includes("submissions.exported") && actions.includes("account.exported")) return actions;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  });
