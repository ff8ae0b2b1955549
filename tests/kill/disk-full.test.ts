import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createPlainForm, post, request } from "../postgres/processes.ts";
import { fullDisks } from "../support/full-disk.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";

const metricsToken = "metrics-of-a-full-disk";
const clientCount = 24;
/** `npm run test:kill` fills the disk in every way; `npm test` in the one that every Linux machine can. */
const isThorough = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30) > 3;

for (const disk of isThorough ? fullDisks : fullDisks.slice(0, 1))
  test(`${disk.name} under load: refused with 503 and not stored, nothing accepted is lost, and it is over when there is room`, {
    skip: onSqlite.skip || disk.skip,
  }, async (t) => {
    const folder = join(createTemporaryFolder(t), "data");
    mkdirSync(folder, { mode: 0o700 });
    const settings = {
      SEALPOST_DATA: folder,
      SEALPOST_PORT: "0",
      SEALPOST_SUBMIT_RATE: "0",
      SEALPOST_API_RATE: "0",
      SEALPOST_METRICS_TOKEN: metricsToken,
      SEALPOST_LOG_LEVEL: "silent",
      // The disk itself refuses here, and not the service because it has measured how little is left.
      SEALPOST_DISK_FREE_MIN: "0",
    };
    const service = await startServiceProcess(settings, [], { wrapper: disk.wrapper(folder) });
    closeAtEnd(t, () => service.kill());
    const token = await signUpForToken(service);
    const form = await createPlainForm(service, token);
    const key = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key" } })).body.key.key;

    const accepted = new Set<string>();
    const refused = new Set<string>();
    const answered = new EventTarget();
    let isOver = false;
    const load = Array.from({ length: clientCount }, async () => {
      while (!isOver) {
        const id = createId("submission");
        const payload = { encrypted: false, version: "plain1", fields: { message: "x".repeat(4000) } };
        const answer = await post(service, form, { id, keyVersion: 1, payload });
        if (answer.status === 201) accepted.add(id);
        else {
          refused.add(id);
          assertUnavailable(answer);
        }
        answered.dispatchEvent(new Event("answer"));
      }
    });
    const until = async (isReached: () => boolean) => {
      while (!isReached()) await Promise.race([once(answered, "answer"), ...load]);
    };
    await until(() => accepted.size >= 100);
    assert.ok((await countLargeBatches(service)) > 0, "the thread writes");

    disk.fill(service, folder, 100_000);
    await until(() => refused.size >= 100);
    // Requests that need no room are served; others answer like a submission.
    assert.equal((await request(service, "GET", "/health/ready")).status, 200);
    const listed = await request(service, "GET", `/api/forms/${form}/submissions?limit=1`, { token: key });
    assert.equal(listed.status, 200);
    assertUnavailable(await request(service, "POST", "/api/forms", { token, body: { name: "No room" } }));
    const before = accepted.size;
    await until(() => refused.size >= 150);
    assert.equal(accepted.size, before, "a control: there is no room at all");

    disk.free(service, folder);
    await until(() => accepted.size >= before + 100);
    isOver = true;
    await Promise.all(load);
    assert.equal((await request(service, "POST", "/api/forms", { token, body: { name: "Room" } })).status, 200);
    assert.deepEqual(await exportIds(service, form, key), [...accepted].sort());
    // State that is only in memory is gone with the process.
    if (!isThorough || disk.wrapper(folder).length > 0) return;

    // And it is on the disk, not only in what the process remembers.
    await service.kill();
    const next = await startServiceProcess(settings);
    closeAtEnd(t, () => next.kill());
    assert.deepEqual(await exportIds(next, form, key), [...accepted].sort());
    const { body } = await request(next, "GET", `/api/forms/${form}/stats`, { token: key });
    assert.equal(body.stats.totalSubmissions, accepted.size);
  });

function assertUnavailable({ status, headers, body }: Awaited<ReturnType<typeof request>>): void {
  const message = "The database does not answer, please try again";
  assert.deepEqual(
    [status, headers.get("retry-after"), body],
    [503, "5", { error: "unavailable", message, code: "database_unavailable", retryAfter: 5 }],
  );
}

/** Commits of more submissions than the service writes on its own connection. */
async function countLargeBatches({ url }: ServiceProcess): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const count = (line: string) =>
    Number(
      text
        .split("\n")
        .find((found) => found.startsWith(line))
        ?.split(" ")[1],
    );
  return count("sealpost_ingest_batch_size_count") - count('sealpost_ingest_batch_size_bucket{le="8"}');
}

async function exportIds({ url }: ServiceProcess, form: string, token: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${url}/api/forms/${form}/submissions/export`, { headers })).text();
  return text
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line).id]))
    .sort();
}
