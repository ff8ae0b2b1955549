import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { onEither } from "../testing/test-database.ts";
import { createLog } from "./log.ts";
import { installRequestLog } from "./request-log.ts";

/** Statuses that anybody can be answered with. */
const answers = [200, 204, 301, 303, 304, 308, 400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 503];

test(
  "requests of strangers are summed in the log, whatever they are answered with, and none goes uncounted",
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
    for (const status of answers) for (let count = 0; count < 50; count++) await app.inject({ url: `/${status}` });
    await app.close();
    for (const status of answers) {
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

test("each request of an account has its own line, and so has each submission that was taken", onEither, async () => {
  const lines: { readonly route: string }[] = [];
  const app = Fastify({
    loggerInstance: createLog("info", { write: (line) => void lines.push(JSON.parse(line)) }),
    disableRequestLogging: true,
  });
  installRequestLog(app);
  app.decorateRequest("principal", undefined);
  app.addHook("onRequest", async (request) => {
    const principal = { kind: "api_key", accountId: "account_1" };
    if (request.url === "/account") Object.assign(request, { principal });
  });
  app.get("/account", async () => "");
  app.post("/submissions", { config: { access: "public", rate: "submissions" } }, async () => "");
  const urls = [
    ["GET", "/account"],
    ["POST", "/submissions"],
  ] as const;
  for (let count = 0; count < 20; count++) for (const [method, url] of urls) await app.inject({ method, url });
  await app.close();
  for (const [, url] of urls) assert.equal(lines.filter(({ route }) => route === url).length, 20, url);
});
