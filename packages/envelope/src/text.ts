import { encodeBase64Url } from "@sealpost/wire";
import { check, RefusalError } from "./refusal.ts";

/** An object of JSON whose members nobody has checked yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

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

/**
 * What `parse` makes of a line of JSON. There is one way to write each value: the line has to be exactly what writing the
 * result gives. That refuses unknown and doubled members, another order, white space, and other spellings of numbers and texts.
 */
export function parseLine<Value>(line: string, parse: (value: Unchecked) => Value): Value {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RefusalError("malformed");
  }
  const parsed = parse(parseObject(value));
  check(JSON.stringify(parsed) === line, "malformed");
  return parsed;
}

export function parseObject(value: unknown): Unchecked {
  check(typeof value === "object" && value !== null && !Array.isArray(value), "malformed");
  return value as Unchecked; // just asked
}

export function parseArray(value: unknown, lengthMax: number): readonly unknown[] {
  check(Array.isArray(value) && value.length > 0 && value.length <= lengthMax, "malformed");
  return value;
}

/** A text that the expression matches as a whole. */
export function parseText(value: unknown, pattern: RegExp): string {
  check(typeof value === "string" && pattern.test(value), "malformed");
  return value;
}

/** A whole number from 1 on. */
export function parseCount(value: unknown): number {
  check(Number.isSafeInteger(value) && Number(value) >= 1, "malformed");
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
  const text = parseText(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const milliseconds = Date.parse(text);
  check(!Number.isNaN(milliseconds) && formatTime(milliseconds) === text, "malformed");
  return text;
}

/** The same of milliseconds since the Unix epoch. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
