import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildEmbed } from "./build.ts";

/** The most that a visitor's browser has to load for a form that needs no second script: 10 KiB, compressed with gzip at level 9. */
export const gzipBytesMax = 10 * 1024;

/** The script of pages that pin a key log, in its place: the same, what verifies a log, and Ed25519 for browsers without it. */
export const keyLogGzipBytesMax = 14 * 1024;

/** The second script for hybrid keys, in browsers without their algorithm: ML-KEM, X25519 and SHA-3. */
export const hybridGzipBytesMax = 18 * 1024;

/** The second script for personal data: our own rules and the libraries that know telephone numbers and addresses. */
export const piiGzipBytesMax = 45 * 1024;

/** The optional stylesheet. */
export const styleGzipBytesMax = 2 * 1024;

/** Strings that must not be in the first script, and why. */
export const forbidden: readonly (readonly [RegExp, string])[] = [
  [/could_not_be_opened|decrypt|decapsulate|unwrapKey/i, "it must not be able to open anything"],
  [/privateKey|generateKey|pkcs8|raw-seed/i, "it has no business with private keys"],
  [
    /\beval\b|new Function|Function\(|setTimeout\(["'`]|innerHTML|outerHTML|document\.write|insertAdjacentHTML/,
    "no text becomes code or markup",
  ],
  [/https?:\/\//, "it talks to nobody but its own service"],
  [/localStorage|sessionStorage|indexedDB|\.cookie/, "it keeps nothing"],
  [/userAgent|\.referrer\b|doNotTrack|sendBeacon/, "it looks at nothing but the form"],
  [
    /findPii|stripPii|libphonenumber|IBAN|EMAIL_ADDRESS|PHONE_NUMBER/,
    "the rules for personal data are in a second script",
  ],
  [/[Kk]eccak|shake256|cipherText/, "the algorithm of hybrid keys is the browser's, or in a second script"],
  [/sourceMappingURL/, "no map is served"],
];

/** A script, its bytes after gzip at level 9, and how many it may have. */
export type Size = readonly [file: string, bytes: number, bytesMax: number];

/** Says the sizes. Throws when a bundle is too large or holds what it must not; the message says which and why. */
export async function checkBundles(): Promise<readonly Size[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealpost-bundles-"));
  try {
    const { scripts, styles } = await buildEmbed(folder);
    const read = (file: string) => readFile(join(folder, file), "utf8");
    const sizes = [checkScript(scripts.sealpost.file, await read(scripts.sealpost.file))];
    const keyLog = scripts["sealpost-key-log"];
    sizes.push(checkScript(keyLog.file, await read(keyLog.file), keyLogGzipBytesMax));
    const hybrid = scripts["sealpost-hybrid"];
    sizes.push(checkSize(hybrid.file, await read(hybrid.file), hybridGzipBytesMax));
    const pii = scripts["sealpost-pii"];
    if (pii !== undefined) sizes.push(checkSize(pii.file, await read(pii.file), piiGzipBytesMax));
    sizes.push(checkStyle(styles.sealpost.file, await read(styles.sealpost.file)));
    return sizes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function checkScript(file: string, text: string, bytesMax = gzipBytesMax): Size {
  for (const [pattern, reason] of forbidden) {
    const found = pattern.exec(text);
    if (found !== null) throw new Error(`${file} contains "${found[0]}": ${reason}`);
  }
  return checkSize(file, text, bytesMax);
}

/** The stylesheet loads nothing else, and changes nothing in the page but forms of its class. */
export function checkStyle(file: string, text: string): Size {
  const found = /@import|@font-face|url\(|:root|!important/.exec(text);
  if (found !== null) throw new Error(`${file} contains "${found[0]}"`);
  const selectors = text.replaceAll(/\{[^{}]*\}|@(?:media|supports)[^{]*\{|\}/g, "\n").split("\n");
  const stray = selectors.find((selector) => selector !== "" && !selector.startsWith(".sealpost-form"));
  if (stray !== undefined) throw new Error(`${file} has a rule for all of the page: ${stray}`);
  return checkSize(file, text, styleGzipBytesMax);
}

function checkSize(file: string, text: string, bytesMax: number): Size {
  // A server that names no charset leaves it to the page, which may be in another one than UTF-8.
  const foreign = /[^\0-\x7f]/.exec(text);
  if (foreign !== null) throw new Error(`${file} contains "${foreign[0]}", which is no ASCII`);
  const { length } = gzipSync(text, { level: 9 });
  if (length > bytesMax) throw new Error(`${file} has ${length} bytes after gzip -9, ${bytesMax} are allowed`);
  return [file, length, bytesMax];
}

// `npm run check`. It builds into a folder of its own, so it neither needs a build nor believes an old one.
if (import.meta.main) {
  try {
    const sizes = await checkBundles();
    for (const [file, bytes, bytesMax] of sizes)
      console.log(`${file}: ${bytes} bytes after gzip -9, ${bytesMax} are allowed`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
