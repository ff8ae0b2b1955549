import { encodeText } from "./bytes.ts";
import { isFileValue } from "./file-field.ts";
import { nestingMax } from "./nesting.ts";
import { pad } from "./padding.ts";
import type { Fields } from "./payload.ts";

/**
 * The padded plaintext of `fields`: well-formed Unicode, since PHP and Rust read no half of a surrogate pair, not even as
 * JSON's escape. The caller has seen to it that the fields are not too deep. SPECIFICATION.md section 4.
 */
export function encodeFields(fields: Fields): Uint8Array<ArrayBuffer> {
  const json = JSON.stringify(fields);
  // JSON.stringify writes halves as escapes, and every backslash of its text begins an escape.
  const wellFormed = json.replace(/\\(?:(ud[89a-f]..)|.)/g, (escaped, half) => (half ? "\ufffd" : escaped));
  // Names that only differed in halves are alike now: no name occurs twice, and the last one counts.
  return pad(encodeText(wellFormed === json ? json : JSON.stringify(JSON.parse(wellFormed))));
}

/** Names of fields that are ours, or a page makes of a visitor's that would be. SPECIFICATION.md section 4. */
const ourNames = /^\$+sealpost/;

/**
 * A program's fields as JSON has them, which is a copy: what `toJSON` gives, without members that are `undefined`. So what is checked is
 * what is sealed. Throws a TypeError for what a program must not seal: what openers don't read, and names that are ours.
 */
export function toSealable(fields: Fields): Fields {
  const copy: unknown = JSON.parse(toJson(fields));
  if (typeof copy !== "object" || copy === null || Array.isArray(copy)) throw new TypeError("Fields are an object");
  if (Object.keys(copy).some((name) => ourNames.test(name)))
    throw new TypeError("Names of fields that begin with $sealpost are those of Sealpost itself");
  // The fields themselves may be one alone, whose name is the visitor's.
  for (const value of Object.values(copy)) refuseValue(value, nestingMax - 1);
  return copy as Fields; // an object that came out of JSON.parse
}

function toJson(fields: Fields): string {
  try {
    return JSON.stringify(fields, refuseInfinite) ?? "null";
  } catch (error) {
    throw isStackUsedUp(error) ? tooDeep() : error;
  }
}

/** Firefox has an error of its own for it. */
function isStackUsedUp(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === "InternalError");
}

/** JSON has no such numbers, and would have null in their place. */
function refuseInfinite(_: string, value: unknown): unknown {
  const isNumber = typeof value === "number" || value instanceof Number;
  if (isNumber && !Number.isFinite(Number(value))) throw new TypeError("Fields have finite numbers alone");
  return value;
}

function tooDeep(): TypeError {
  return new TypeError(`Fields may be nested ${nestingMax} levels deep`);
}

function refuseValue(value: unknown, levels: number): void {
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) throw tooDeep();
  const [name = "", second] = Array.isArray(value) ? [] : Object.keys(value);
  if (name.startsWith("$") && second === undefined && !isFileValue(value))
    throw new TypeError("A value whose one member begins with $ is one of Sealpost itself: give it another name");
  for (const member of Object.values(value)) refuseValue(member, levels - 1);
}
