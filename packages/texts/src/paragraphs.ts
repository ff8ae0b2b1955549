/** Paragraphs of a plain text, with an empty line between two. */
export function paragraphs(...all: readonly string[]): string {
  return all.join("\n\n");
}
