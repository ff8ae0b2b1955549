import assert from "node:assert/strict";
import { test } from "node:test";
import { createWriterThread } from "../database/writer-thread.ts";
import { onEither } from "../testing/test-database.ts";
import { createKeyRing } from "./key-ring.ts";
import { hand, packKeyRing } from "./ring-thread.ts";

/** A thread that says which key it seals with. */
const script = `
  import { workerData } from "node:worker_threads";
  import { answerQuestions } from ${JSON.stringify(new URL("../database/answer-questions.ts", import.meta.url).href)};
  import { createKeyRing } from ${JSON.stringify(new URL("./key-ring.ts", import.meta.url).href)};
  import { createKeyHandler, keysKind } from ${JSON.stringify(new URL("./ring-thread.ts", import.meta.url).href)};
  const ring = createKeyRing(workerData.secrets, workerData.activeNumber);
  const say = async () => ({ content: ring.active().number, transfer: [] });
  answerQuestions({ say, [keysKind]: createKeyHandler(ring) }, async () => {});`;

test(
  "a thread has the newest secrets, whether they were changed before it started or while it runs",
  onEither,
  async (t) => {
    const secrets = [1, 2, 3].map((number) => ({ number, secret: new Uint8Array(32).fill(number) }));
    const ring = createKeyRing(secrets, 1);
    const entry = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const thread = createWriterThread(entry, () => packKeyRing(ring));
    t.after(() => thread.stop());
    const say = () => thread.ask("say", () => ({ content: undefined, transfer: [] }));

    ring.replace(secrets, 2);
    await hand(thread, ring);
    assert.equal(thread.isRunning(), false, "nothing has asked for it");
    assert.equal(await say(), 2);
    ring.replace(secrets, 3);
    assert.equal(await say(), 2, "a control: it has secrets of its own");
    await hand(thread, ring);
    assert.equal(await say(), 3);
  },
);
