import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const start = "sp_";
const randomLength = 30;
const checksumLength = 6;
const prefixLength = 10;
const form = new RegExp(`^${start}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

declare const checked: unique symbol;
/**
 * The whole value of an API key: `sp_`, 30 random characters of base62 (178 bits), and 6 characters of base62 with the
 * CRC-32 of everything before. The fixed start lets secret scanners find a leaked key; the checksum lets them, and us,
 * tell a key from a typing mistake without asking the database. It protects nothing: anybody can compute it.
 */
export type ApiKeyValue = string & { readonly [checked]: true };

/** A fresh value. */
export function createApiKeyValue(): ApiKeyValue {
  let text = start;
  while (text.length < start.length + randomLength) text += alphabet[randomInt(alphabet.length)];
  return `${text}${checksumOf(text)}` as ApiKeyValue; // as the type describes it
}

/** Whether a credential is meant to be an API key, and not a session token. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(start);
}

/** `undefined` for a text that can't be an API key: another form, or a checksum that does not fit. */
export function parseApiKeyValue(text: string): ApiKeyValue | undefined {
  if (!form.test(text)) return undefined;
  const body = text.slice(0, -checksumLength);
  return checksumOf(body) === text.slice(-checksumLength) ? (text as ApiKeyValue) : undefined; // just checked
}

/**
 * What is wrong with an API key that was cut short, as lists show it. Anybody can know how long a key is, and no key is
 * looked up for it: so it tells nothing of those that there are.
 */
export function findApiKeyError(text: string): string | undefined {
  const length = start.length + randomLength + checksumLength;
  if (!looksLikeApiKey(text) || text.length >= length) return undefined;
  return `This API key is incomplete: it has ${text.length} of ${length} characters. Lists show only the beginning of a key; the whole was shown when it was created`;
}

/** The stored hash of the value. A plain SHA-256 is enough for 178 random bits; there is nothing to guess. */
export function hashApiKeyValue(value: ApiKeyValue): string {
  return createHash("sha256").update(value).digest("hex");
}

/** The part that lists show, so that a person can distinguish keys. */
export function prefixOf(value: ApiKeyValue): string {
  return value.slice(0, prefixLength);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
