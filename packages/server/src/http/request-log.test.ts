import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { onEither } from "../testing/test-database.ts";
import { createLog } from "./log.ts";
import { installRequestLog } from "./request-log.ts";

/** Statuses that anybody can be refused with. */
const refusals = [400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 503];

test(
  "refusals of strangers are summed in the log, whatever they are refused with, and none goes uncounted",
  onEither,
  async () => {
    const lines: { readonly msg: string; readonly status: number; readonly more?: number }[] = [];
    const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
    const app = Fastify({ loggerInstance: log, disableRequestLogging: true });
    installRequestLog(app);
    app.get<{ Params: { status: string } }>("/:status", async ({ params }, reply) => {
      reply.status(Number(params.status));
      return "";
    });
    for (const status of refusals) for (let count = 0; count < 50; count++) await app.inject({ url: `/${status}` });
    await app.close();
    for (const status of refusals) {
      const own = lines.filter((line) => line.status === status);
      assert.equal(
        own.reduce((sum, { more = 1 }) => sum + more, 0),
        50,
        `${status}`,
      );
      assert.ok(own.length <= 10, `${status}: ${own.length} lines`);
    }
  },
);

test("each accepted request has its own line", onEither, async () => {
  let lines = 0;
  const app = Fastify({
    loggerInstance: createLog("info", { write: () => void lines++ }),
    disableRequestLogging: true,
  });
  installRequestLog(app);
  app.get("/", async () => "");
  for (let count = 0; count < 20; count++) await app.inject({ url: "/" });
  await app.close();
  assert.equal(lines, 20);
});
