/** Values in the sentence of a security email. The composing code writes times and lists in the language of the email. */
export interface SecurityValues {
  /** When it happened; for an announced end, that moment. */
  readonly at: string;
  /** How many API keys were revoked with it. */
  readonly apiKeys: number;
  /** For how many days nothing is deleted for its age, after a restore. */
  readonly days: number;
  /** How many forms send to a webhook address that a member chose who could not choose it now. */
  readonly webhookForms: number;
  /** The new key version of a form. */
  readonly keyVersion: number;
  /** Code for the owner's page. */
  readonly snippet: string;
  /** Members who were changed from a moved account. */
  readonly moved: {
    /** The account's address from before the move, which it has again. */
    readonly address: string;
    readonly since: string;
    /** A line for each member. */
    readonly changes: string;
  };
}

/** One event of a security email. */
export interface SecurityText {
  readonly subject: string;
  readonly sentence: (values: SecurityValues) => string;
  /** The same as a line of a list, after its number. */
  readonly line: string;
  /** Advice if it was not the reader. */
  readonly remedy: string;
}

/** A role in an organization; `none`: not a member. */
export type RoleOrNone = "owner" | "manager" | "reader" | "developer" | "auditor" | "none";
