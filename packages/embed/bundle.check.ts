import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildEmbed } from "./build.ts";

/** What a visitor's browser has to load for a form without `piiStrip`: 6 KiB, compressed with gzip at level 9. */
export const gzipBytesMax = 6 * 1024;

/** The second script: our own rules and the libraries that know telephone numbers and addresses. */
export const piiGzipBytesMax = 50 * 1024;

/** What must not be in the first script, and why. */
export const forbidden: readonly (readonly [RegExp, string])[] = [
  [/could_not_be_opened|decrypt|unwrapKey/i, "it must not be able to open anything"],
  [/privateKey|generateKey|pkcs8/i, "it has no business with private keys"],
  [
    /\beval\b|new Function|Function\(|setTimeout\(["'`]|innerHTML|outerHTML|document\.write|insertAdjacentHTML/,
    "no text becomes code or markup",
  ],
  [/https?:\/\//, "it talks to nobody but its own service"],
  [/localStorage|sessionStorage|indexedDB|\.cookie/, "it keeps nothing"],
  [/userAgent|\.referrer\b|doNotTrack|sendBeacon/, "it looks at nothing but the form"],
  [
    /findPii|stripPii|libphonenumber|IBAN|EMAIL_ADDRESS|PHONE_NUMBER/,
    "the rules for personal data are in the second script",
  ],
  [/sourceMappingURL/, "no map is served"],
];

/** Throws when a bundle is too large or holds what it must not; the message says which and why. */
export async function checkBundles(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sealpost-bundles-"));
  try {
    const { scripts } = await buildEmbed(folder);
    checkScript(scripts.sealpost.file, await readFile(join(folder, scripts.sealpost.file), "utf8"));
    const pii = scripts["sealpost-pii"];
    if (pii !== undefined) checkSize(pii.file, await readFile(join(folder, pii.file), "utf8"), piiGzipBytesMax);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function checkScript(file: string, text: string): void {
  checkSize(file, text, gzipBytesMax);
  for (const [pattern, reason] of forbidden) {
    const found = pattern.exec(text);
    if (found !== null) throw new Error(`${file} contains "${found[0]}": ${reason}`);
  }
}

function checkSize(file: string, text: string, bytesMax: number): void {
  const { length } = gzipSync(text, { level: 9 });
  if (length > bytesMax) throw new Error(`${file} has ${length} bytes after gzip -9, ${bytesMax} are allowed`);
}
