/** In plain, percent-encoded, form-encoded, JSON-escaped, and in base64 at each of the three alignments. */
export function spellings(word: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from("\0".repeat(shift) + word)
      .toString("base64")
      .replaceAll("=", "");
    // Without the characters at the ends that depend on the neighbours.
    return text.slice(shift === 0 ? 0 : shift + 1, -1);
  });
  return [
    ...new Set([
      word,
      encodeURIComponent(word),
      word.replaceAll(" ", "+"),
      JSON.stringify(word).slice(1, -1),
      ...base64,
    ]),
  ];
}
