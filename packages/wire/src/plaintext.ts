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

/** Throws a TypeError for what a program must not seal: fields that openers don't read, and names that are ours. */
export function refuseUnsealable(fields: Fields): void {
  if (Object.keys(fields).some((name) => ourNames.test(name)))
    throw new TypeError("Names of fields that begin with $sealpost are those of Sealpost itself");
  // The fields themselves may be one alone, whose name is the visitor's.
  for (const value of Object.values(fields)) refuseValue(value, nestingMax - 1);
}

function refuseValue(value: unknown, levels: number): void {
  // JSON has neither, and would have null in their place.
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("Fields have finite numbers alone");
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) throw new TypeError(`Fields may be nested ${nestingMax} levels deep`);
  const [name = "", second] = Array.isArray(value) ? [] : Object.keys(value);
  if (name.startsWith("$") && second === undefined && !isFileValue(value))
    throw new TypeError("A value whose one member begins with $ is one of Sealpost itself: give it another name");
  for (const member of Object.values(value)) refuseValue(member, levels - 1);
}
