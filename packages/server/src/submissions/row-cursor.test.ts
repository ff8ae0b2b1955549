import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { Problem } from "../problems/problem.ts";
import { createRowCursors } from "./row-cursor.ts";

const cursors = () => createRowCursors(createSecretBox(createSingleRing(randomBytes(32))));

test("a cursor says nothing of the row's number, and is one for its form alone", () => {
  const { encode, decode } = cursors();
  const place = [1_700_000_000_000, 987_654_321] as const;
  const cursor = encode("form_a", place);
  assert.deepEqual(decode("form_a", cursor), place);
  const readable = cursor.split(":").map((part) => Buffer.from(part, "base64url").toString("latin1"));
  assert.ok(![cursor, ...readable].some((text) => text.includes("987654321")));
  const earlier = Buffer.from(JSON.stringify(place)).toString("base64url");
  for (const [formId, other] of [
    ["form_b", cursor],
    ["form_a", earlier],
    ["form_a", cursors().encode("form_a", place)],
    ["form_a", ""],
  ] as const)
    assert.throws(() => decode(formId, other), Problem);
});
