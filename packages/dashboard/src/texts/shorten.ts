/** Enough for a cell, whatever its width; a megabyte in a cell would stop the page. */
export function shorten(text: string, charactersMax = 200): string {
  const line = text.slice(0, charactersMax).replace(/\s+/g, " ");
  return text.length > charactersMax ? `${line}…` : line;
}
