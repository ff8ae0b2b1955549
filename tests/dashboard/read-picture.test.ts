import assert from "node:assert/strict";
import { test } from "node:test";
import { readPicture } from "../../packages/dashboard/src/scanner/read-picture.ts";

test("an empty file, a huge one and a PDF are named as that, before anything is decoded", async () => {
  const type = "image/jpeg";
  assert.deepEqual(await readPicture(new Blob([], { type })), { refused: "empty" });
  assert.deepEqual(await readPicture(new Blob([new Uint8Array(50_000_001)], { type })), { refused: "huge" });
  assert.deepEqual(await readPicture(new Blob(["%PDF"], { type: "application/pdf" })), { refused: "document" });
});
