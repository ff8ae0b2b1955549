import {
  type Extended,
  encodeBase64Url,
  isTime,
  knowsCritical,
  parseContentLine,
  parseExtended,
  type Unchecked,
} from "@sealpost/wire";
import { check, RefusalError } from "./refusal.ts";

/** Base64url of SHA-256, 43 characters. */
export async function hashOf(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** The text of these bytes, in which a byte order mark is a character like others; refused where they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RefusalError("malformed");
  }
}

/** The value that `parse` makes of a content line, which is written in the one way that there is. SPECIFICATION.md section 23. */
export function parseLine<Value>(line: string, parse: (value: Unchecked) => Value): Value {
  const parsed = parseContentLine(line, parse);
  check(parsed !== undefined, "malformed");
  return parsed;
}

/** The two members that end every signed content. */
export function parseExtensions(value: Unchecked, bytesMax?: number): Extended {
  const extended = parseExtended(value, bytesMax);
  check(extended !== undefined, "malformed");
  return extended;
}

/** Refused where a newer program has written what must be understood; asked once the signature was checked. */
export function checkCritical(content: Extended): void {
  check(knowsCritical(content), "unknown_extension");
}

export function parseObject(value: unknown): Unchecked {
  check(typeof value === "object" && value !== null && !Array.isArray(value), "malformed");
  return value as Unchecked; // just asked
}

/** An array that may be empty. */
export function parseList(value: unknown, lengthMax: number): readonly unknown[] {
  check(Array.isArray(value) && value.length <= lengthMax, "malformed");
  return value;
}

export function parseArray(value: unknown, lengthMax: number): readonly unknown[] {
  const values = parseList(value, lengthMax);
  check(values.length > 0, "malformed");
  return values;
}

/** A text that the expression matches as a whole. */
export function parseText(value: unknown, pattern: RegExp): string {
  check(typeof value === "string" && pattern.test(value), "malformed");
  return value;
}

/** A whole number from 1 on. */
export function parseCount(value: unknown, max: number = Number.MAX_SAFE_INTEGER): number {
  check(Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max, "malformed");
  return Number(value);
}

/** Base64url of 32 bytes: a hash, or a signing key. */
export function parse32Bytes(value: unknown): string {
  return parseText(value, /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/);
}

/** The place of an entry in a list. */
export function parseHead(value: unknown): { readonly number: number; readonly hash: string } {
  const { number, hash } = parseObject(value);
  return { number: parseCount(number), hash: parse32Bytes(hash) };
}

/** A moment in UTC to the second (RFC 3339): what its writer's clock said. */
export function parseTime(value: unknown): string {
  check(isTime(value), "malformed");
  return value;
}
