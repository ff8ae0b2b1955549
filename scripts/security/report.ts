/** What a part of `npm run security` found: nothing, if all is well. */
export interface Report {
  /** What was looked at, in a line. */
  readonly summary: string;
  readonly findings: readonly string[];
}
