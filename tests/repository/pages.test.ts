import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pages } from "../../packages/server/src/dashboard/dashboard-routes.ts";

test("every page of the app is served after a reload and looked at by `sealpost verify`, and no other address", () => {
  const router = readFileSync(join(import.meta.dirname, "../../packages/dashboard/src/router.tsx"), "utf8");
  const paths = Array.from(router.matchAll(/\bpath: "(\/[^"]*)"/g), ([, path = ""]) => path);
  assert.ok(paths.length > 15, "the routes are read from the router's source");
  const served = paths.map((path) => (path.startsWith("/forms/") ? "/forms/*" : path));
  assert.deepEqual([...new Set(served)].toSorted(), [...pages].toSorted());
});
