import assert from "node:assert/strict";
import { test } from "node:test";
import { generateSheet } from "@sealpost/envelope";
import { KeyLockedError, makeKey, openCopy, readAnswer } from "./key-worker.ts";
import type { AskPasskey, PasskeySecrets } from "./passkey-prf.ts";
import { playWorker } from "./testing/play-worker.ts";

const operate = (name: string, request: unknown) => ({ act: "operate", name, request }) as const;

test("page and worker seal and open a copy, and no message between them has the key", async (t) => {
  const { worker, messages } = playWorker(t);
  const halves = await makeKey(worker);
  const { identity, recipient } = await generateSheet("personal");
  const file = readAnswer(await worker.ask(operate("sealCopy", { recipient }))) as Uint8Array<ArrayBuffer>; // of bytes
  const other = playWorker(t);
  assert.deepEqual(await openCopy(other.worker, { file, secret: { identity }, expected: halves }), halves);
  const { identity: stranger } = await generateSheet("personal");
  await assert.rejects(openCopy(other.worker, { file, secret: { identity: stranger }, expected: halves }), {
    reason: "wrong_secret",
  });
  // The sheet's own secret goes to the worker, and nothing secret comes from there.
  const said = JSON.stringify([messages, other.messages.filter((message) => message.kind !== "request")]);
  assert.ok(said.includes(halves.recipient));
  assert.doesNotMatch(said, /AGE-SECRET-KEY|identity|signingSeed/);
});

test("the page asks for a passkey, and where none is used its own reason comes back and the worker continues", async (t) => {
  const { worker } = playWorker(t);
  await makeKey(worker);
  const prompt: AskPasskey = async (nonce) => {
    const digest = (place: number) => crypto.subtle.digest("SHA-256", new Uint8Array([place, ...nonce]));
    return { first: await digest(1), second: await digest(2) } satisfies PasskeySecrets;
  };
  const seal = (askPasskey?: AskPasskey) => worker.ask(operate("sealCopy", { passkey: "asked" }), askPasskey);
  const closed = new Error("the prompt was closed");
  await assert.rejects(
    seal(() => Promise.reject(closed)),
    closed,
  );
  await assert.rejects(seal(), /No passkey can be asked for here/);
  const file = readAnswer(await seal(prompt));
  assert.equal(
    readAnswer(await worker.ask(operate("checkCopy", { file, secret: { passkey: "asked" } }), prompt)),
    "opens",
  );
});

test("what waits for a worker that is ended, or that fails, is rejected at once, and so is what is asked afterwards", async (t) => {
  const ended = playWorker(t);
  const waiting = makeKey(ended.worker);
  ended.worker.end();
  await assert.rejects(waiting, KeyLockedError);
  await assert.rejects(makeKey(ended.worker), KeyLockedError);
  assert.ok(ended.isEnded());

  const failed = playWorker(t);
  const lost = makeKey(failed.worker);
  failed.fail("out of memory");
  await assert.rejects(lost, /out of memory/);
  await assert.rejects(makeKey(failed.worker), /out of memory/);
});

test("nothing is done without an open key, nor by an operation that is not there", async (t) => {
  const { worker } = playWorker(t);
  const sealed = await worker.ask(operate("sealCopy", { recipient: "age1" }));
  assert.deepEqual(sealed, { outcome: "failed", message: "No personal key is open here" });
  await makeKey(worker);
  for (const name of ["exportKey", "toString", "__proto__"])
    assert.equal((await worker.ask(operate(name, {}))).outcome, "failed", name);
});
