import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import Fastify from "fastify";
import { databaseUnavailable, Problem } from "../problems/problem.ts";
import { serializeError } from "./error-log.ts";
import { installErrorHandling } from "./errors.ts";

/** A service of one route that fails on demand, and the lines that it has logged as errors. The log's seconds pass by `t.mock`. */
function createFailing(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const lines: { msg: string; reqId?: string; reason?: string; cause: { code?: string }; more?: number }[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const app = Fastify({ logger: { level: "error", stream } });
  installErrorHandling(app, { findMethodPage: async () => undefined, findNotFoundPage: async () => undefined });
  let issue: () => Error;
  app.get("/", async () => {
    throw issue();
  });
  async function fail(times: number, next: () => Error): Promise<void> {
    issue = next;
    for (let time = 0; time < times; time++) assert.ok((await app.inject("/")).statusCode >= 500);
  }
  return { app, lines, fail, passSecond: () => t.mock.timers.tick(1000) };
}

const away = (code: string) => () => databaseUnavailable(Object.assign(new Error("away"), { code }));

test("a flood of one error is one line for the first and one a second for how many more, and the last are logged at the end", async (t) => {
  const { app, lines, fail, passSecond } = createFailing(t);
  await fail(50, away("ECONNREFUSED"));
  assert.equal(lines.length, 1);
  assert.ok(lines[0]?.reqId, "the first names its request");
  await passSecond();
  await fail(30, away("ECONNREFUSED"));
  await passSecond();
  await passSecond();
  await fail(20, away("ECONNREFUSED"));
  await app.close();
  assert.deepEqual(
    lines.map(({ msg, cause, more }) => [msg, cause.code, more]),
    [
      ["unavailable", "ECONNREFUSED", undefined],
      ["unavailable", "ECONNREFUSED", 49],
      ["unavailable", "ECONNREFUSED", 30],
      ["unavailable", "ECONNREFUSED", undefined],
      ["unavailable", "ECONNREFUSED", 19],
    ],
  );
});

test("the first error of another cause, reason or place is never lost in a flood", async (t) => {
  const { lines, fail } = createFailing(t);
  const flood = () => fail(20, away("ECONNREFUSED"));
  await flood();
  await fail(1, away("57P01"));
  await flood();
  await fail(1, () => new Problem("unavailable", "The form is being changed, please try again"));
  await flood();
  await fail(1, () => new Error("ours"));
  await fail(1, () => new Error("ours, elsewhere"));
  assert.deepEqual(
    lines.map(({ msg, reason, cause }) => [msg, reason, cause.code]),
    [
      ["unavailable", "The database does not answer, please try again", "ECONNREFUSED"],
      ["unavailable", "The database does not answer, please try again", "57P01"],
      ["unavailable", "The form is being changed, please try again", undefined],
      ["internal_error", undefined, undefined],
      ["internal_error", undefined, undefined],
    ],
  );
});

test("errors of ever new kinds are lines up to a bound, and are counted above it", async (t) => {
  const { app, lines, fail } = createFailing(t);
  let number = 0;
  await fail(150, () => away(`E${++number}`)());
  assert.equal(lines.length, 101);
  await app.close();
  assert.equal(lines.at(-1)?.more, 49);
});

test("a text within an error's text that looks like a place in the code is not logged", () => {
  const { stack } = serializeError(new Error("x\n    at canary (file:///canary.ts:1:1)"));
  assert.match(stack, /error-log\.test\.ts/);
  assert.doesNotMatch(stack, /canary/);
});

test("a form or an organization that is full is no error of the service, however often somebody tries", async (t) => {
  const { lines, fail } = createFailing(t);
  await fail(3, () => new Problem("unavailable", "This form is full: it takes no more submissions at the moment"));
  assert.deepEqual(lines, []);
});
