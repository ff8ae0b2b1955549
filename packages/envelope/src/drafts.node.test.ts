import assert from "node:assert/strict";
import { test } from "node:test";
import drafts from "../../wire/vectors/drafts.json" with { type: "json" };
import { RefusalError } from "./refusal.ts";
import { draftsOf, draftVectors } from "./testing/draft-objects.ts";
import { signedObjects, signObject } from "./testing/signed-objects.ts";

// Each format in other versions, rightly signed: refused with a sentence, without a crash, and nothing of it is used.

for (const object of await signedObjects())
  test(`${object.label}: what drafts wrote, and what later versions may, is malformed`, async () => {
    assert.equal(await object.take(await signObject(object)), "taken", "the control");
    assert.match(new RefusalError("malformed").message, /^[A-Z].+[a-z]/);
    for (const [what, content] of draftsOf(object)) {
      const line = JSON.stringify(content);
      const format = String(content.format);
      for (const label of new Set([object.label, format]))
        assert.equal(await object.take(await signObject(object, line, label)), "malformed", `${what}, as ${label}`);
    }
  });

test("generating the vectors of drafts again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await draftVectors())), drafts);
});
