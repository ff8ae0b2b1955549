/** The sentence that has the code, of a field's: for a list, that of the first wrong entries (`http/describe-details.ts`). */
export function firstSentence(sentence: string): string {
  return sentence.replace(/^(?:Entry|Entries) [\d, ]+: /, "").split(/; (?=Entr|Must )/)[0] ?? "";
}
