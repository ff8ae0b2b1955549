/** The encoding that browsers assume of a page that names no other. */
export const windows1252 = new TextDecoder("windows-1252");

/** No encoding has a longer name. */
const labelLengthMax = 40;

/** The encoding other than a Unicode one that `_charset_` names; `undefined` for UTF-8, in which browsers also post pages in UTF-16. */
export function findEncoding(label: string): TextDecoder | undefined {
  if (label.length > labelLengthMax) return undefined;
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding.startsWith("utf-") ? undefined : decoder;
  } catch {
    // Not an encoding that browsers know.
    return undefined;
  }
}
