/** The name in a file of heads under which this is kept, for the one key that has used it. */
export function seenName(heads: Readonly<Record<string, unknown>>, name: string): string {
  return Object.keys(heads).find((one) => one.endsWith(` ${name}`)) ?? name;
}
