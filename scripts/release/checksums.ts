import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatChecksums, hashBytes, parseChecksums } from "../../packages/cli/src/verify/served-list.ts";
import { checksumsFile, signatureFile } from "../../packages/cli/src/verify/signature.ts";
import { isSignedByKey } from "./signature.ts";

/** As `sha256sum` writes and reads it: `sha256sum --check SHA256SUMS`. */
export function createChecksums(folder: string): string {
  return formatChecksums(hashFiles(folder));
}

/** The version that a folder is a release of, by the name of its bill of materials; the checksums cover that name. */
export function findVersion(folder: string): string {
  const names = listFiles(folder).flatMap((file) => /^sealpost-(\d.*)\.cdx\.json$/.exec(file)?.[1] ?? []);
  const [version] = names;
  if (version === undefined || names.length > 1)
    throw new Error("This is not one release: it has not one bill of materials");
  return version;
}

export type Verdict =
  | { readonly kind: "changed"; readonly files: readonly string[] }
  | { readonly kind: "unsigned" }
  | { readonly kind: "signed" }
  | { readonly kind: "signed, not checked" }
  | { readonly kind: "signed by another key" };

/** Compares every file of a release with its checksums, and these with the signature, if a public key is given. */
export function verifyRelease(folder: string, publicKey: string | undefined): Verdict {
  const checksums = readFileSync(join(folder, checksumsFile));
  const expected = parseChecksums(checksums.toString("utf8"));
  if (expected === undefined) return { kind: "changed", files: [checksumsFile] };
  const there = hashFiles(folder);
  const names = new Set([...expected.keys(), ...there.keys()]);
  const changed = [...names].filter((file) => expected.get(file) !== there.get(file));
  if (changed.length > 0) return { kind: "changed", files: changed.sort() };
  if (!readdirSync(folder).includes(signatureFile)) return { kind: "unsigned" };
  if (publicKey === undefined) return { kind: "signed, not checked" };
  const signature = readFileSync(join(folder, signatureFile));
  return { kind: isSignedByKey(checksums, signature, publicKey) ? "signed" : "signed by another key" };
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file !== checksumsFile && file !== signatureFile)
    .sort();
}

function hashFiles(folder: string): ReadonlyMap<string, string> {
  return new Map(listFiles(folder).map((file) => [file, hashBytes(readFileSync(join(folder, file)))]));
}
