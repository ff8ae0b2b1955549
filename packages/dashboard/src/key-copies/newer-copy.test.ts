import "../../testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openKeyCopy, RefusalError } from "@sealpost/envelope";
import { decodeBase64 } from "@sealpost/wire";
import copies from "../../../wire/vectors/key-copies.json" with { type: "json" };
import { addToPool, emptyPool, openPool } from "../offline/key-pool.ts";
import { text } from "../texts/text.ts";
import { describeUnlockError } from "./describe-unlock-error.ts";

test("a copy that a newer program made is said to be that, and not to be damaged", async () => {
  const vector = copies.find(({ name }) => name === "copy: a critical extension");
  const identity = vector?.secret.identity;
  assert.ok(vector !== undefined && identity !== undefined);
  const file = new Uint8Array(decodeBase64(vector.copy) ?? []);
  const refused = await openKeyCopy(file, { identity });
  assert.ok(refused instanceof RefusalError);
  assert.equal(describeUnlockError(refused, "wrong"), text.personalKey.unlock.newer);
  const brought = { identities: [identity], files: [{ name: "ada.age", file, isCopyPossible: true }] };
  const { events } = await openPool(addToPool(emptyPool, brought));
  assert.deepEqual(events, [{ kind: "refused", name: "ada.age", reason: "unknown_extension" }]);
});
