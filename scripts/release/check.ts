/** `npm run release:check -- [folder] [--key release.pub.pem]`: which release the files are of, whether all are, and who signed it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findVersion, verifyRelease } from "./checksums.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { key: { type: "string" } } });
const folder = positionals[0] ?? join(import.meta.dirname, "..", "..", "release");

try {
  const verdict = verifyRelease(folder, values.key === undefined ? undefined : readFileSync(values.key, "utf8"));
  if (verdict.kind === "changed") fail(`Not the files of the release, or not all of them: ${verdict.files.join(", ")}`);
  else if (verdict.kind === "signed")
    console.log(`Sealpost ${findVersion(folder)}: every file is as it was released, signed by this key`);
  else if (verdict.kind === "signed by another key") fail("Signed by another key, or the signature is damaged");
  else if (verdict.kind === "signed, not checked")
    fail("There is a signature: name the release's public key with --key");
  else if (verdict.kind === "unsigned") {
    const says = `Sealpost ${findVersion(folder)}, unsigned build: the files fit their checksums, but nobody vouches for these`;
    if (values.key === undefined) console.log(says);
    else fail(says);
  } else verdict satisfies never;
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
