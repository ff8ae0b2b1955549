import type { Tables } from "../database/schema.ts";

/**
 * A column that holds sealed values. It is what a rotation seals again, what `secret status` counts, and what the test of
 * rotations fills.
 */
export interface SealedColumn {
  readonly table: keyof Tables | "jwks";
  /** The column that names the row, by which a rotation goes through the table. */
  readonly key: string;
  readonly column: string;
  /**
   * Where the sealed values are in the column's text: `whole` is the text itself, `quoted` a JSON string, `token` the member of
   * a JSON object with this name, `list` the `secret` of each object in a JSON array.
   */
  readonly shape: "whole" | "quoted" | "token" | "list";
}

export type KeyPurpose =
  /** Sealed in the database: sealed again by a rotation. */
  | { readonly kind: "columns"; readonly columns: readonly SealedColumn[] }
  /** The same, in the sign-in library's own envelope; the key also signs the library's cookies. */
  | { readonly kind: "library"; readonly columns: readonly SealedColumn[] }
  /** Sealed, and kept by a browser or a program for a while: opens while the former secret is there. */
  | { readonly kind: "cookie" }
  /** Signed, and kept by others: valid while the former secret is there. */
  | { readonly kind: "signature" };

/**
 * Everything that the service's secret protects. Each purpose has a key of its own, derived by its name here, and there is
 * no other way to a key, so this table is complete (docs/decisions/0037-key-numbers.md).
 */
export const keyPurposes = {
  /** The context is `webhook/` and the form's id. */
  webhooks: {
    kind: "columns",
    columns: [
      { table: "webhook", key: "form_id", column: "secret", shape: "whole" },
      { table: "webhook", key: "form_id", column: "earlier_secrets", shape: "list" },
    ],
  },
  /** Tokens of links in emails that are still to be sent. The context is `mail/` and the email's id. */
  mail: { kind: "columns", columns: [{ table: "mail", key: "id", column: "details", shape: "token" }] },
  accounts: {
    kind: "library",
    columns: [
      { table: "second_factor", key: "id", column: "secret", shape: "whole" },
      { table: "second_factor", key: "id", column: "backup_codes", shape: "whole" },
      { table: "jwks", key: "id", column: "private_key", shape: "quoted" },
    ],
  },
  "oidc-flow": { kind: "cookie" },
  "passkey-ceremony": { kind: "cookie" },
  /** Where a page of submissions ended. The context is the form's id. */
  cursors: { kind: "cookie" },
  "known-browsers": { kind: "signature" },
  unsubscribe: { kind: "signature" },
  /** New backup codes, until their owner has seen them. */
  "backup-codes": { kind: "signature" },
  /** Digests of fields as they were posted, where others are stored: a retry of the post is known by them. */
  "posted-fields": { kind: "signature" },
  /** The one-time token for the first account. */
  setup: { kind: "signature" },
  /** Tells whether a secret is the one of a key number, and nothing about it. */
  "key-check": { kind: "signature" },
} as const satisfies Readonly<Record<string, KeyPurpose>>;

export type KeyPurposeName = keyof typeof keyPurposes;

type NamesOf<Kind extends KeyPurpose["kind"]> = {
  [Name in KeyPurposeName]: (typeof keyPurposes)[Name]["kind"] extends Kind ? Name : never;
}[KeyPurposeName];

/** Purposes for which the service itself seals, in a column or a cookie. */
export type SealPurpose = NamesOf<"columns" | "cookie">;
export type SignPurpose = NamesOf<"signature">;

/** Each sealed column with its purpose. */
export const sealedColumns: readonly (SealedColumn & { readonly purpose: KeyPurposeName })[] = Object.entries(
  keyPurposes,
).flatMap(([purpose, declared]) =>
  "columns" in declared ? declared.columns.map((column) => ({ ...column, purpose: purpose as KeyPurposeName })) : [],
);
