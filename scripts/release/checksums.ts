import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSignedBy, signatureFile } from "./signature.ts";

/** As `sha256sum` writes and reads it: `sha256sum --check SHA256SUMS`. */
export const checksumsFile = "SHA256SUMS";

export function createChecksums(folder: string): string {
  return listFiles(folder)
    .map((file) => `${hash(join(folder, file))}  ${file}\n`)
    .join("");
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
  const expected = new Map(
    [...checksums.toString("utf8").matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sum, file]) => [file, sum] as const),
  );
  const there = new Map(listFiles(folder).map((file) => [file, hash(join(folder, file))] as const));
  const names = new Set([...expected.keys(), ...there.keys()]);
  const changed = [...names].filter((file) => file === undefined || expected.get(file) !== there.get(file));
  if (changed.length > 0) return { kind: "changed", files: changed.map(String).sort() };
  if (!readdirSync(folder).includes(signatureFile)) return { kind: "unsigned" };
  if (publicKey === undefined) return { kind: "signed, not checked" };
  const signature = readFileSync(join(folder, signatureFile));
  return { kind: isSignedBy(checksums, signature, publicKey) ? "signed" : "signed by another key" };
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file !== checksumsFile && file !== signatureFile)
    .sort();
}

function hash(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
