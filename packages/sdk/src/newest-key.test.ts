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

test("a form's keys are the newest first, and its envelopes by version, in whatever order a server gives them", async (t) => {
  for (const versions of [
    [1, 2],
    [2, 1],
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ]) {
    const client = await clientOf(t, (_request, response) => {
      const keys = versions.map((version) => ({ version }));
      const envelopes = versions.map((lowestVersion) => ({ lowestVersion }));
      response.end(JSON.stringify({ keys, envelopes, removals: versions, restorableUntil: null }));
    });
    const [newestFirst, oldestFirst] = [versions.toSorted((a, b) => b - a), versions.toSorted((a, b) => a - b)];
    for (const keys of [
      await client.forms.keys("form_1"),
      await client.forms.closeKeys("form_1", { below: 2, at: null }),
    ])
      assert.deepEqual(
        keys.map(({ version }) => version),
        newestFirst,
      );
    assert.deepEqual(
      (await client.envelopes.list("form_1")).map(({ lowestVersion }) => lowestVersion),
      oldestFirst,
    );
    assert.deepEqual(await client.envelopes.removals("form_1"), newestFirst);
  }
});
