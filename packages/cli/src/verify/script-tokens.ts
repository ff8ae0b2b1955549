/** A word, a string without its quotes, or any other character. */
export interface Token {
  readonly kind: "word" | "string" | "mark";
  readonly text: string;
}

/**
 * The tokens of a script without its comments. `undefined` for what would need a parser to be sure of: regular expressions, divisions,
 * escapes, templates with expressions, comments as in HTML, and strings that don't end.
 */
export function readTokens(script: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < script.length; ) {
    const character = script.charAt(at);
    const comment = findCommentEnd(script, at);
    if (comment === -1 || character === "\\" || script.startsWith("<!--", at) || script.startsWith("-->", at))
      return undefined;
    if (comment !== undefined) at = comment;
    else if (/\s/.test(character)) at += 1;
    else if (character === "/") return undefined;
    else if ("\"'`".includes(character)) {
      const end = script.indexOf(character, at + 1);
      const text = script.slice(at + 1, end);
      if (end === -1 || !isPlain(character, text)) return undefined;
      tokens.push({ kind: "string", text });
      at = end + 1;
    } else {
      const [text, kind] = readWord(script, at);
      tokens.push({ kind, text });
      at += text.length;
    }
  }
  return tokens;
}

/** `undefined` where no comment begins; -1 for one that does not end. */
function findCommentEnd(script: string, at: number): number | undefined {
  if (script.startsWith("//", at)) {
    const line = /[\n\r\u2028\u2029]/g;
    line.lastIndex = at;
    return line.exec(script)?.index ?? script.length;
  }
  if (!script.startsWith("/*", at)) return undefined;
  const end = script.indexOf("*/", at + 2);
  return end === -1 ? -1 : end + 2;
}

function isPlain(quote: string, text: string): boolean {
  return !text.includes("\\") && (quote === "`" ? !text.includes("${") : !/[\n\r]/.test(text));
}

function readWord(script: string, at: number): readonly [text: string, kind: "word" | "mark"] {
  const word = /[\w$]+/y;
  word.lastIndex = at;
  const text = word.exec(script)?.[0];
  return text === undefined ? [script.charAt(at), "mark"] : [text, "word"];
}
