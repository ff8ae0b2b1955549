import assert from "node:assert/strict";
import { test } from "node:test";
import { findNewestKey } from "./newest-key.ts";
import { clientOf } from "./testing/played-server.ts";

test("the newest key is that of the highest version in each order of two and three versions", () => {
  for (const versions of [[], [1], [1, 2], [2, 1], [1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]) {
    const keys = versions.map((version) => ({ version }));
    assert.equal(findNewestKey(keys)?.version, versions.length === 0 ? undefined : versions.length);
  }
});

test("a form's keys are the newest first, in whatever order a server gives them", async (t) => {
  for (const versions of [
    [1, 2],
    [2, 1],
    [2, 3, 1],
    [1, 2, 3],
    [3, 1, 2],
  ]) {
    const client = await clientOf(t, (_request, response) => {
      response.end(JSON.stringify({ keys: versions.map((version) => ({ version })) }));
    });
    const keys = await client.forms.keys("form_1");
    assert.deepEqual(
      keys.map(({ version }) => version),
      versions.toSorted((a, b) => b - a),
    );
  }
});
