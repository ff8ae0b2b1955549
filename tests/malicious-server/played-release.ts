import { sign } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatChecksums, hashBytes } from "../../packages/cli/src/verify/served-list.ts";

/** A release as far as `verify` reads it: a folder of this name, whose path is given. */
export function writeRelease(
  parent: string,
  name: string,
  files: ReadonlyMap<string, string>,
  { version = "9.8.7", privateKey }: { version?: string; privateKey?: string } = {},
): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  const list = formatChecksums(files);
  const sums = formatChecksums([[`sealpost-${version}-served.txt`, hashBytes(Buffer.from(list))]]);
  writeFileSync(join(folder, `sealpost-${version}-served.txt`), list);
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  if (privateKey !== undefined)
    writeFileSync(join(folder, "SHA256SUMS.sig"), sign(null, Buffer.from(sums), privateKey));
  return folder;
}
