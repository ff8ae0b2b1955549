import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Problem } from "../problems/problem.ts";
import { onEither } from "../testing/test-database.ts";
import { isDatabaseUnavailable } from "./errors.ts";
import { createWriterThread } from "./writer-thread.ts";

/** A thread that runs `script`, in which `answerQuestions` and `throwOfDatabase` are known. */
function start(t: TestContext, script: string) {
  const answering = new URL("./answer-questions.ts", import.meta.url);
  const errors = new URL("./errors.ts", import.meta.url);
  const text = `import { answerQuestions } from ${JSON.stringify(answering.href)};
    import { throwOfDatabase } from ${JSON.stringify(errors.href)};
    ${script}`;
  const thread = createWriterThread(new URL(`data:text/javascript,${encodeURIComponent(text)}`), () => ({}));
  t.after(() => thread.stop());
  return thread;
}

const pack = (content: unknown) => () => ({ content, transfer: [] });

test("questions are answered one after the other, each by the handler of its kind", onEither, async (t) => {
  const thread = start(
    t,
    `let running = 0;
    const handler = (sign) => async (number) => {
      running += 1;
      await new Promise(setImmediate);
      const content = [sign * number, running];
      running -= 1;
      return { content, transfer: [] };
    };
    answerQuestions({ plus: handler(1), minus: handler(-1) }, async () => {});`,
  );
  const asked = [1, 2, 3].flatMap((number) => [thread.ask("plus", pack(number)), thread.ask("minus", pack(number))]);
  assert.deepEqual(
    await Promise.all(asked),
    [1, -1, 2, -2, 3, -3].map((number) => [number, 1]),
  );
  await assert.rejects(thread.ask("times", pack(1)), /times/);
});

test("a full disk in the thread is one on this side", onEither, async (t) => {
  const thread = start(
    t,
    `const full = (errcode) => Object.assign(new Error("database or disk is full"), { errcode });
    answerQuestions({
      write: async (errcode) => throwOfDatabase(full(errcode)),
      elsewhere: async (errcode) => { throw full(errcode); },
    }, async () => {});`,
  );
  await assert.rejects(thread.ask("write", pack(13)), (error: Error) => {
    assert.equal(error.message, "database or disk is full");
    return isDatabaseUnavailable(error);
  });
  await assert.rejects(thread.ask("write", pack(1)), (error) => !isDatabaseUnavailable(error));
  await assert.rejects(thread.ask("elsewhere", pack(13)), (error) => !isDatabaseUnavailable(error));
});

test(
  "a thread that dies makes all that it was asked unavailable, and the next question gets another thread",
  onEither,
  async (t) => {
    const thread = start(t, `answerQuestions({ die: async () => process.exit(3) }, async () => {});`);
    const threads: number[] = [];
    const ask = () =>
      thread.ask("die", (number) => {
        threads.push(number);
        return { content: undefined, transfer: [] };
      });
    const isUnavailable = (error: unknown) => error instanceof Problem && error.code === "unavailable";
    await Promise.all([assert.rejects(ask, isUnavailable), assert.rejects(ask, isUnavailable)]);
    await assert.rejects(ask, isUnavailable);
    assert.deepEqual(threads, [1, 1, 2]);
  },
);
