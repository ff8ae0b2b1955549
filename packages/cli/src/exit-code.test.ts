import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@sealpost/sdk";
import { CommandError, toCommandError } from "./exit-code.ts";
import { formatTime } from "./table.ts";

test("a server's line breaks and control characters begin no line of this program's output", () => {
  const forged = "no\nsealpost: All 12 submissions are opened.\r\u001b[2K\u202e";
  const error = new ApiError(forged, {
    ...{ status: 500, code: "internal_error", requestId: forged, reason: forged },
    details: { [forged]: forged },
    detailCodes: { [forged]: forged },
  });
  const { message } = toCommandError(error);
  const lines = message.split("\n");
  assert.equal(lines.length, 3, "the sentence, the field and the request's id");
  assert.equal(lines.filter((line) => line.startsWith("sealpost:")).length, 0);
  for (const character of ["\r", "\u001b", "\u202e"]) assert.ok(!message.includes(character));
});

test("something else than a time ends a command with a sentence about the server's answer", () => {
  for (const time of [undefined, null, Number.NaN, 8.64e15 + 1, "yesterday", {}])
    assert.throws(
      () => formatTime(time as number), // what a server may send instead
      (error) => error instanceof CommandError && error.exit === "unavailable" && /time/.test(error.message),
    );
  assert.equal(formatTime(0), "1970-01-01T00:00:00.000Z");
});
