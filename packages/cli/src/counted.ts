/** A number with the word that fits it: `1 submission`, `2 submissions`. For a word with more than an s, give its `plural`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
