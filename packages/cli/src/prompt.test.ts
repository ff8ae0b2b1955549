import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { Context } from "./context.ts";
import { ask } from "./prompt.ts";

/** A person at a terminal who types `keys` as soon as a question stands there. */
function createTerminal(keys: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const errors = new PassThrough();
  let shown = "";
  errors.on("data", (chunk) => {
    if (!shown.includes(": ") && `${shown}${chunk}`.includes(": ")) setImmediate(() => input.write(keys)); // as a terminal does, never in the same turn
    shown += chunk;
  });
  const context = { input, errors, signal: new AbortController().signal } as unknown as Context; // all of it that asking uses
  return { context, shown: () => shown };
}

test("a question shows what is typed, and a hidden one shows nothing of it and keeps every blank", async () => {
  const open = createTerminal("zoe@example.com\r");
  assert.equal(await ask(open.context, "Email address"), "zoe@example.com");
  assert.match(open.shown(), /Email address: /);
  assert.match(open.shown(), /zoe@example\.com/);
  const hidden = createTerminal(" correct horse \r");
  assert.equal(await ask(hidden.context, "Password", true), " correct horse ");
  assert.equal(hidden.shown(), "Password: \n");
});

test("Ctrl-C and Ctrl-D end a question as an interruption", async () => {
  for (const key of ["\u0003", "\u0004"])
    for (const hidden of [true, false])
      await assert.rejects(ask(createTerminal(key).context, "Password", hidden), { exit: "interrupted" });
});
