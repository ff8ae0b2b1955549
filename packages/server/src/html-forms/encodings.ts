import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Bytes that are looked at before everybody else has a turn: less than a millisecond's work. */
export const pieceBytes = 65_536;

export const isLong = (bytes: Buffer) => bytes.length > pieceBytes;

/** The encoding that browsers assume of a page that names no other. */
const windows1252 = "windows-1252";

/** No encoding has a longer name. */
const labelLengthMax = 40;

/** The encoding other than a Unicode one that `_charset_` names; `undefined` for UTF-8, in which browsers also post pages in UTF-16. */
function findEncoding(label: string): TextDecoder | undefined {
  if (label.length > labelLengthMax) return undefined;
  try {
    const decoder = new TextDecoder(label);
    return decoder.encoding.startsWith("utf-") ? undefined : decoder;
  } catch {
    // Not an encoding that browsers know.
    return undefined;
  }
}

/** Decodes the names and values of one posted form. */
export interface FormDecoder {
  decode(bytes: Buffer): string;
  /** The same for what is long: everybody else has turns meanwhile. */
  decodeInTurns(bytes: Buffer): Promise<string>;
}

/**
 * Browsers post in the encoding of the page, and name it nowhere but in `_charset_` (`label`): then bytes that happen to be UTF-8 as well mean
 * something else. Without that field, bytes that are not UTF-8 are taken for windows-1252, which browsers assume of a page that names none.
 * `bytes` are those of all names and values, with the marks between them: half a character stays half a character, whatever follows.
 */
export function findDecoder(label: string | undefined, bytes: Buffer): FormDecoder {
  const named = label === undefined ? undefined : findEncoding(label);
  if (named === undefined && isUtf8(bytes))
    return { decode: (some) => some.toString("utf8"), decodeInTurns: async (some) => some.toString("utf8") };
  const decoder = named ?? new TextDecoder(windows1252);
  return {
    decode: (some) => decoder.decode(some),
    async decodeInTurns(some) {
      let text = "";
      for (let start = 0; start < some.length; start += pieceBytes) {
        text += decoder.decode(some.subarray(start, start + pieceBytes), { stream: true });
        await nextTurn();
      }
      return text + decoder.decode();
    },
  };
}
