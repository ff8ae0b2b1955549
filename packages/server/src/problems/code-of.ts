import { type Code, sentences } from "./codes.ts";

const pairs = Object.entries(sentences).flatMap(([code, texts]) =>
  (typeof texts === "string" ? [texts] : texts).map((text) => [text, code as Code] as const),
); // its own keys
const exact: ReadonlyMap<string, Code> = new Map(pairs.filter(([text]) => !text.includes("{}")));
/** The one that says most first: "Must be at least 3 on a form …" is also "Must be at least …". */
const gapped = pairs
  .filter(([text]) => text.includes("{}"))
  .map(([text, code]) => ({ parts: text.split("{}"), length: text.length, code }))
  .toSorted((one, other) => other.length - one.length);

/** The code of a sentence; `undefined` for one that is not listed, which tests do not let pass. */
export function codeOf(sentence: string): Code | undefined {
  return exact.get(sentence) ?? gapped.find(({ parts }) => fits(sentence, parts))?.code;
}

/** In one pass, since the text in a gap may be a stranger's, and long. */
function fits(sentence: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop() ?? "";
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const found = sentence.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= sentence.length - last.length;
}
