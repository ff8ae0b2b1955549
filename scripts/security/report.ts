/** The findings of a part of `npm run security`: nothing, if all is well. */
export interface Report {
  /** A line about what was checked. */
  readonly summary: string;
  readonly findings: readonly string[];
}
