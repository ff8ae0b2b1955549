import assert from "node:assert/strict";
import { test } from "node:test";
import { languages } from "@sealpost/texts";
import Fastify from "fastify";
import { pageOfProblem, writePage } from "../html-forms/html-form-pages.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { parseExposition } from "../metrics/testing/exposition.ts";
import { Problem } from "../problems/problem.ts";
import { fullCodes, type WaitingCode, waitingCodes } from "../problems/waiting-codes.ts";
import { installErrorHandling } from "./errors.ts";

const codes = Object.keys(waitingCodes) as readonly WaitingCode[]; // its own keys

test("every code without room is shown as full, whatever its name: by its answer, its page and its number", async (t) => {
  const lines: string[] = [];
  const app = Fastify({ logger: { stream: { write: (line) => lines.push(line) } } });
  t.after(() => app.close());
  installErrorHandling(app, { findMethodPage: async () => undefined, findNotFoundPage: async () => undefined });
  const metrics = createMetrics({
    findBacklog: () => Promise.reject(new Error("Not asked here")),
    findStorage: async () => undefined,
    findClockWait: async () => 0,
    countDropped: () => 0,
    countWorkersAway: () => 0,
    now: Date.now,
  });
  metrics.watchRequests(app);
  app.get<{ Params: { code: WaitingCode } }>(
    "/:code",
    { config: { access: "public", rate: "submissions" } },
    ({ params }) => {
      throw new Problem("unavailable", `A sentence of ${params.code}`, { reason: params.code });
    },
  );
  const outcomes = async (outcome: string) => {
    const text = await metrics.registry.getSingleMetricAsString("sealpost_submissions_total");
    return parseExposition(`${text}\n`).value("sealpost_submissions_total", { outcome });
  };

  for (const code of codes) {
    const isFull = waitingCodes[code].visitor === "full";
    const [before, logged] = [await outcomes("unavailable"), lines.length];
    const answer = (await app.inject(`/${code}`)).json();
    assert.deepEqual([answer.code, answer.full], [code, isFull ? true : undefined]);
    assert.equal(await outcomes(code), isFull ? 1 : undefined, code);
    assert.equal((await outcomes("unavailable")) !== before, !isFull, code);
    const isLogged = lines.slice(logged).some((line) => JSON.parse(line).level >= 50);
    assert.equal(
      isLogged,
      !("limit" in waitingCodes[code]) || waitingCodes[code].limit !== "account",
      `${code} in the log`,
    );
  }
  const { htmlForms } = await languages[0].load.served();
  for (const code of fullCodes) {
    const page = pageOfProblem({ reason: code, status: 503 });
    assert.equal(page, code);
    assert.match(writePage(page, htmlForms).text, /Nothing was stored\..*Keep a copy/);
  }
});
