import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { createPlainForm, post } from "../../../../tests/postgres/processes.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { createTestDatabase, onPostgres } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

test(
  "when the database does not answer, everybody who waits gets an error at once, and later submissions are stored",
  onPostgres,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const { SEALPOST_DATABASE_URL = "" } = await createTestDatabase(t, folder);
    const line = await createLine(t, SEALPOST_DATABASE_URL);
    // On this clock the form stays in memory: the submissions get as far as waiting for a connection.
    const service = await createTestService(t, {
      folder,
      clock: createFakeClock(),
      environment: { SEALPOST_DATABASE_URL: line.url },
    });
    const account = await service.signUp();
    const formId = await createPlainForm(service, account.token);
    const accepted: string[] = [];
    const accept = async () => {
      const { status, body } = await post(service, formId);
      assert.equal(status, 201, JSON.stringify(body));
      accepted.push(body.submission.id);
    };
    await accept();
    for (let round = 0; round < 2; round++) {
      await line.cut();
      while ((await service.request("GET", "/health/ready")).status !== 503);
      const answers = await Promise.all(Array.from({ length: 40 }, () => post(service, formId)));
      for (const { status, headers, body } of answers)
        assert.deepEqual([status, headers.get("retry-after"), body.error], [503, "5", "unavailable"]);
      await line.mend();
      await Promise.all(Array.from({ length: 20 }, accept));
    }
    const { body } = await account.request("GET", `/api/forms/${formId}/submissions?limit=100`);
    assert.equal(body.total, accepted.length);
    const listed = body.submissions.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed.sort(), accepted.toSorted());
  },
);

/** A way to a PostgreSQL server that can be cut, and mended at the same address. */
async function createLine(t: TestScope, to: string) {
  const target = new URL(to);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => undefined);
      one.once("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  await listen(0);
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const { port } = address;
  closeAtEnd(t, cut);
  const url = new URL(to);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, cut, mend: () => listen(port) };
}
