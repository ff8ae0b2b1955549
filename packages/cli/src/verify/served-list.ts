import { createHash } from "node:crypto";

/** The name of the list of served files, next to the checksums of a release, which cover it and so its version. */
export const servedListName = /^sealpost-(\d[\w.-]*)-served\.txt$/;

/**
 * Reads lines as `sha256sum` writes them: 64 hexadecimal digits, two blanks, a name. `SHA256SUMS` has names of files; the list of
 * served files has paths below the address of an instance. `undefined` for anything else, also for a name that is there twice.
 */
export function parseChecksums(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line !== "");
  const sums = new Map<string, string>();
  for (const line of lines) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(\S.*)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined || sums.has(name)) return undefined;
    sums.set(name, sum);
  }
  return sums;
}

export function formatChecksums(sums: Iterable<readonly [name: string, sum: string]>): string {
  return [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join("");
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Pages are at paths without an ending, scripts and the rest at names with one. */
export function isPagePath(path: string): boolean {
  return !/\.\w+$/.test(path);
}

/**
 * The SHA-256 of what is served at `path`. The pages of the dashboard say four settings of the instance in `<meta name="sealpost-…">`;
 * their values, which are words or numbers and so no markup, are left out.
 */
export function hashServed(path: string, bytes: Uint8Array): string {
  if (!isPagePath(path)) return hashBytes(bytes);
  const page = Buffer.from(bytes).toString("latin1");
  const settings = /(<meta name="sealpost-(?:sign-up|mail|oidc|delivery-log-days)" content=")[a-z0-9-]{1,20}"/g;
  return hashBytes(Buffer.from(page.replace(settings, '$1"'), "latin1"));
}
