import { encodeBase64Url } from "@sealpost/wire";

/** The `ETag` of a numbered version with this hash: an entry of a list, a revision of an envelope. */
export function toTag(number: number, hash: string): string {
  return `"${number}-${hash}"`;
}

/** The number of a version by its tag, which a proxy may have made a weak one; 0 where it has none. */
export function numberOf(tag: string): number {
  return Number(/^(?:W\/)?"(\d{1,16})-/.exec(tag)?.[1] ?? 0);
}

/** The headers of a write that follows this version; `undefined`: there was nothing yet. */
export function afterTag(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? { "if-none-match": "*" } : { "if-match": tag };
}

/** The headers of a read that wants nothing but what is newer. */
export function unlessTag(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { "if-none-match": tag };
}

/** The `ETag` of a file by its bytes. */
export async function toFileTag(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return `"${encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", file)))}"`;
}
