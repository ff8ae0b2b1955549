import assert from "node:assert/strict";
import { test } from "node:test";
import * as wire from "@sealpost/wire";
import * as opening from "@sealpost/wire/open";

test("sealing with chosen randomness can't be reached from the package", async () => {
  for (const name of [...Object.keys(wire), ...Object.keys(opening)]) assert.ok(!/With$/.test(name), name);
  for (const path of ["seal", "seal.ts", "src/seal.ts", "dist/seal.js", "src/index.ts"])
    await assert.rejects(import(`@sealpost/wire/${path}`), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
});

test("opening is exported by its own entry alone, so that importing the package does not allow opening", () => {
  for (const name of [
    "open",
    "openFile",
    "parseFileField",
    "importOpeningKey",
    "importHybridOpeningKey",
    "findOpeningKeys",
  ]) {
    assert.ok(Object.hasOwn(opening, name), name);
    assert.ok(!Object.hasOwn(wire, name), name);
  }
  assert.ok(Object.hasOwn(wire, "seal"), "the control: what is exported is seen here");
});
