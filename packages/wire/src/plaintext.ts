import { encodeText } from "./bytes.ts";
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

/** Throws a TypeError when the fields are nested deeper than openers read. */
export function refuseTooDeep(fields: Fields): void {
  if (isTooDeep(fields)) throw new TypeError(`Fields may be nested ${nestingMax} levels deep`);
}

/** Whether a JSON value is nested deeper than any opener has to read. */
function isTooDeep(value: unknown, levels: number = nestingMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1));
}
