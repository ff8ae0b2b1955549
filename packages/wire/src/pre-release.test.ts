import assert from "node:assert/strict";
import { test } from "node:test";
import { describeVersion } from "./pre-release.ts";

test("a version below 0.2.0 says that it is a pre-release, and no later one does", () => {
  for (const version of ["0.1.0", "0.1.12", "0.0.1", "0.2.0-rc.1"])
    assert.equal(
      describeVersion(version),
      `${version} (pre-release: formats and tables may change until 0.2.0)`,
      version,
    );
  for (const version of ["0.2.0", "0.2.1", "0.10.0", "0.3.0-beta", "1.0.0", "10.2.0"])
    assert.equal(describeVersion(version), version, version);
});
