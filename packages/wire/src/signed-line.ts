import { decodeShortBase64Url } from "./base64.ts";
import { encodeText } from "./bytes.ts";
import { type VerifyEd25519, verifyEd25519 } from "./ed25519.ts";
import { isTooDeep } from "./nesting.ts";

// SPECIFICATION.md, section 23: how everything that is signed is written, and what later versions may add.

/** The value of an extension: what every reader can check and write again without understanding it. */
export type ExtensionValue =
  | string
  | number
  | boolean
  | null
  | readonly ExtensionValue[]
  | { readonly [name: string]: ExtensionValue };

/** The last two members of every signed content. `critical` has the names of what must be understood. */
export interface Extended {
  readonly extensions: Readonly<Record<string, ExtensionValue>>;
  readonly critical: readonly string[];
}

/** An object of JSON whose members nobody has checked yet. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** The bytes of both members' texts together. */
export const extensionsBytesMax = 1024;

export const noExtensions: Extended = { extensions: {}, critical: [] };

const namePattern = /^[a-z][A-Za-z0-9_.-]{0,63}$/;

/** `undefined` for members of another form; that they are written in the one way is asked of the whole line. */
export function parseExtended(
  { extensions, critical }: Unchecked,
  bytesMax: number = extensionsBytesMax,
): Extended | undefined {
  const isRight =
    isObject(extensions) &&
    isValue(extensions) &&
    Array.isArray(critical) &&
    isAscending(critical) &&
    critical.every((name) => typeof name === "string" && Object.hasOwn(extensions, name)) &&
    encodeText(JSON.stringify(extensions) + JSON.stringify(critical)).length <= bytesMax;
  return isRight ? ({ extensions, critical } as Extended) : undefined; // each value was checked
}

/** Its depth was checked over the text. */
function isValue(value: unknown): boolean {
  if (typeof value === "string") return !/\p{Cs}/u.test(value);
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0;
  if (Array.isArray(value)) return value.every(isValue);
  if (!isObject(value)) return value === null || typeof value === "boolean";
  const names = Object.keys(value);
  return names.every((name) => namePattern.test(name) && isValue(value[name])) && isAscending(names);
}

function isObject(value: unknown): value is Unchecked {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names have letters of ASCII alone, whose order is that of their bytes. */
function isAscending(names: readonly unknown[]): boolean {
  return names.every((name, index) => index === 0 || String(names[index - 1]) < String(name));
}

/** Whether this program understands everything that it must. No extension is defined yet, so it knows none. */
export function knowsCritical({ critical }: Extended): boolean {
  return critical.length === 0;
}

/**
 * The value that `parse` makes of a content line; `undefined` where it makes none. There is one way to write each value: the line has to be exactly
 * what writing the result gives. That refuses unknown and doubled members, another order, white space, and other spellings of numbers and texts.
 */
export function parseContentLine<Value>(
  line: string,
  parse: (value: Unchecked) => Value | undefined,
): Value | undefined {
  if (isTooDeep(line)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = isObject(value) ? parse(value) : undefined;
  return JSON.stringify(parsed) === line ? parsed : undefined;
}

/** A moment in UTC to the second, from the year 1 on, which exists. */
export function isTime(value: unknown): value is string {
  if (typeof value !== "string" || !/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return false;
  const milliseconds = Date.parse(value);
  return !Number.isNaN(milliseconds) && formatTime(milliseconds) === value;
}

/** The same of milliseconds since the Unix epoch. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** The 64 bytes in a signature line; `undefined` for any other. */
export function parseSignatureLine(line: string): Uint8Array<ArrayBuffer> | undefined {
  return decodeShortBase64Url(/^\{"signature":"([\w-]{86})"\}$/.exec(line)?.[1] ?? "?");
}

/** The bytes that a signature is for: the label comes first, so that no signature of one kind is one of another. */
export function signedBytes(label: string, line: string): Uint8Array<ArrayBuffer> {
  return encodeText(`${label}\n${line}`);
}

/** Whether `signature` is that of the content line by `publicKey`, base64url of 32 bytes. */
export async function verifySignedLine(
  label: string,
  line: string,
  signature: Uint8Array<ArrayBuffer>,
  publicKey: string,
  verify?: VerifyEd25519,
): Promise<boolean> {
  const bytes = decodeShortBase64Url(publicKey);
  return bytes !== undefined && verifyEd25519(bytes, signature, signedBytes(label, line), verify);
}
