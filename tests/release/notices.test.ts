import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { collectNotices } from "../../scripts/notices.ts";

function createPackage(t: TestContext, manifest: object, licence?: string): string {
  const folder = join(createTemporaryFolder(t), "node_modules", "part");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "part", version: "1.2.3", ...manifest }));
  if (licence !== undefined) writeFileSync(join(folder, "LICENCE.md"), licence);
  return join(folder, "index.js");
}

test("a package that has no licence is not bundled", async (t) => {
  for (const manifest of [{}, { license: "Apache-2.0" }])
    await assert.rejects(collectNotices("It", [createPackage(t, manifest)]), /part 1\.2\.3 comes without a licence/);
});

test("the licence of a bundled package is passed on, also where package.json alone names it", async (t) => {
  const own = await collectNotices("It", [createPackage(t, { license: "ISC" }, "Copyright somebody\r\n")]);
  assert.match(own, /^It contains parts of: part 1\.2\.3\.\n[\s\S]*part 1\.2\.3 \(ISC\)[\s\S]*Copyright somebody\n$/);
  const named = await collectNotices("It", [createPackage(t, { license: "MIT", author: { name: "Ada" } })]);
  assert.match(named, /its author, Ada;[\s\S]*Permission is hereby granted/);
});
