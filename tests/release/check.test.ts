import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checksumsFile, signatureFile } from "../../packages/cli/src/verify/signature.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createChecksums, verifyRelease } from "../../scripts/release/checksums.ts";
import { signChecksums } from "../../scripts/release/signature.ts";

const options = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const [mine, theirs] = [generateKeyPairSync("ed25519", options), generateKeyPairSync("ed25519", options)];

function createRelease(folder: string): string {
  writeFileSync(join(folder, "sealpost-wire-0.1.0.tgz"), "wire");
  writeFileSync(join(folder, "sealpost-cli-0.1.0.tgz"), "cli");
  writeFileSync(join(folder, "sealpost-0.1.0.cdx.json"), "{}");
  writeFileSync(join(folder, checksumsFile), createChecksums(folder));
  return folder;
}

test("a release is signed by the release's key or not at all, and one changed byte, a missing or an added file is named", (t) => {
  const folder = createRelease(createTemporaryFolder(t));
  assert.deepEqual(verifyRelease(folder, undefined), { kind: "unsigned" });
  assert.deepEqual(verifyRelease(folder, mine.publicKey), { kind: "unsigned" });

  writeFileSync(join(folder, signatureFile), signChecksums(Buffer.from(createChecksums(folder)), mine.privateKey));
  assert.deepEqual(verifyRelease(folder, undefined), { kind: "signed, not checked" });
  assert.deepEqual(verifyRelease(folder, mine.publicKey), { kind: "signed" });
  assert.deepEqual(verifyRelease(folder, theirs.publicKey), { kind: "signed by another key" });

  writeFileSync(join(folder, "sealpost-cli-0.1.0.tgz"), "clj");
  writeFileSync(join(folder, "sealpost-extra-0.1.0.tgz"), "extra");
  const changed = ["sealpost-cli-0.1.0.tgz", "sealpost-extra-0.1.0.tgz"];
  assert.deepEqual(verifyRelease(folder, mine.publicKey), { kind: "changed", files: changed });
  // An attacker who changes a file changes its checksum too: then the signature tells.
  writeFileSync(join(folder, checksumsFile), createChecksums(folder));
  assert.deepEqual(verifyRelease(folder, mine.publicKey), { kind: "signed by another key" });
});

test("a key that can't sign is refused with a sentence that shows nothing of it", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256", ...options });
  for (const key of ["not a key", privateKey, mine.publicKey])
    assert.throws(
      () => signChecksums(Buffer.from(""), key),
      /^Error: SEALPOST_RELEASE_KEY is no private key in PEM( of Ed25519)?$/,
    );
});

test("release:check names the version, says that nobody vouches for an unsigned build, and accepts none where a key is named", (t) => {
  const folder = createRelease(createTemporaryFolder(t));
  const key = join(createTemporaryFolder(t), "release.pub.pem");
  writeFileSync(key, mine.publicKey);
  const program = join(import.meta.dirname, "..", "..", "scripts", "release", "check.ts");
  const verify = (...parameters: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, folder, ...parameters], {
      encoding: "utf8",
    });
    return [status, stdout + stderr];
  };
  const unsigned = "Sealpost 0.1.0, unsigned build: the files fit their checksums, but nobody vouches for these\n";
  assert.deepEqual(verify(), [0, unsigned]);
  assert.deepEqual(verify("--key", key), [1, unsigned]);
  writeFileSync(join(folder, signatureFile), signChecksums(Buffer.from(createChecksums(folder)), mine.privateKey));
  assert.deepEqual(verify("--key", key), [0, "Sealpost 0.1.0: every file is as it was released, signed by this key\n"]);
  rmSync(join(folder, "sealpost-0.1.0.cdx.json"));
  writeFileSync(join(folder, checksumsFile), createChecksums(folder));
  rmSync(join(folder, signatureFile));
  assert.deepEqual(verify(), [1, "This is not one release: it has not one bill of materials\n"]);
});
