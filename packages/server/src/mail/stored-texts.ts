/** A JSON array of texts, from a column of an email. None where it can't be read: one email must not keep all others from being sent. */
export function parseTexts(column: string | null): readonly string[] {
  if (column === null) return [];
  try {
    return JSON.parse(column) as readonly string[]; // only such arrays are written there
  } catch {
    return [];
  }
}
