import { encodeText } from "@sealpost/wire";

const json = '{"a":["é😀\\""]}';

/**
 * The name of a built-in that the page has replaced by something that does less (Prototype's `toJSON`, a `TextEncoder` that knows no
 * emoji), or `undefined`. With it, answers would be stored that nobody can open, or other answers.
 */
export function findReplaced(): string | undefined {
  if (JSON.stringify(JSON.parse(json)) !== json) return "JSON";
  return encodeText(json).length === 18 ? undefined : "TextEncoder";
}
