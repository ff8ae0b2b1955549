import { foldWord } from "./scan.ts";

/** The words of an identifier or a label: camelCase, `_`, `-`, `.`, `[]` and digits part them; folded, digits left out. */
export function splitWords(name: string): string[] {
  const parted = name
    .normalize("NFKC")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return parted
    .split(/[^\p{L}\p{M}]/u)
    .filter(Boolean)
    .map(foldWord);
}
