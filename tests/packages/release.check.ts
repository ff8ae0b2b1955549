import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { copyCheckout } from "../../scripts/release/checkout.ts";
import { releaseFolder } from "./folders.ts";

test("another checkout makes the same bytes, and its signature verifies with OpenSSL alone", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-checkout-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const checkout = join(folder, "elsewhere");
  copyCheckout(checkout);

  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  execFileSync(process.execPath, ["--conditions=@sealpost/source", "scripts/release.ts"], {
    cwd: checkout,
    env: { ...process.env, SEALPOST_RELEASE_KEY: privateKey },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const sums = (release: string) => readFileSync(join(release, "SHA256SUMS"), "utf8");
  assert.equal(sums(join(checkout, "release")), sums(releaseFolder));

  const key = join(folder, "release.pub.pem");
  writeFileSync(key, publicKey);
  const command = [
    "pkeyutl",
    "-verify",
    "-pubin",
    "-inkey",
    key,
    "-rawin",
    "-in",
    "SHA256SUMS",
    "-sigfile",
    "SHA256SUMS.sig",
  ];
  const cwd = join(checkout, "release");
  assert.match(execFileSync("openssl", command, { cwd, encoding: "utf8" }), /Verified Successfully/);
  assert.match(execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd, encoding: "utf8" }), /server-.*\.tgz: OK/);
  for (const file of [sums(cwd), readFileSync(join(cwd, "SHA256SUMS.sig"), "latin1")])
    assert.ok(!file.includes("PRIVATE"));
});
