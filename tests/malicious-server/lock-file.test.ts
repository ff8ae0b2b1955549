import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLockFile, type LockEntry } from "../../scripts/security/lock-file.ts";

// A registry, or somebody's pull request, that tries to bring in something else: `npm run security` has to see it.

const honest: LockEntry = { version: "1.2.3", integrity: `sha512-${"A".repeat(86)}==`, license: "MIT" };
const workspace = {
  "": {},
  "packages/wire": {},
  "node_modules/@sealpost/wire": { link: true, resolved: "packages/wire" },
};

function findingsOf(entry: LockEntry, allowScripts: Record<string, boolean> = {}): readonly string[] {
  const packages = { ...workspace, "node_modules/left": entry };
  return checkLockFile({ lockfileVersion: 3, packages }, { allowScripts }).findings;
}

test("a lock file of hashed packages from the registry is accepted", () => {
  assert.deepEqual(findingsOf(honest), []);
  assert.deepEqual(findingsOf({ ...honest, hasInstallScript: true }, { left: false }), []);
  assert.deepEqual(findingsOf({ ...honest, license: "GPL-3.0", dev: true }), []);
});

test("each way to bring in another package is a finding", () => {
  const { integrity, ...unhashed } = honest;
  const ways: [LockEntry, RegExp][] = [
    [unhashed, /no SHA-512/],
    [{ ...honest, integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, /no SHA-512/],
    [{ ...honest, integrity: `${integrity} sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=` }, /no SHA-512/],
    [{ ...honest, resolved: "git+ssh://git@example.com/left.git#1" }, /comes from git/],
    [{ ...honest, resolved: "https://example.com/left.tgz" }, /comes from https/],
    [{ ...honest, resolved: "https://registry.npmjs.org.example.com/left.tgz" }, /comes from https/],
    [{ ...honest, resolved: "file:../left.tgz" }, /comes from file/],
    [{ resolved: "../left", link: true }, /is a link/],
    [{ resolved: "packages/../../left", link: true }, /is a link/],
    [{ ...honest, license: "GPL-3.0" }, /licence GPL/],
    [{ ...honest, hasInstallScript: true }, /install script/],
  ];
  for (const [entry, expected] of ways) {
    const findings = findingsOf(entry);
    assert.equal(findings.length, 1, `${expected}: ${findings}`);
    assert.match(findings[0] ?? "", expected);
  }
  assert.match(findingsOf(honest, { right: true }).join(), /names right/);
});
