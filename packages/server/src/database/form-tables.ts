import type { Generated } from "kysely";

export interface FormTable {
  id: string;
  account_id: string;
  name: string;
  /** The name in the form for comparison: trimmed, normalised, lower case. */
  name_key: string;
  encryption: number;
  pii_strip: number;
  /** JSON array of strings. */
  allowed_origins: string;
  /** JSON object of settings beyond the contract's that differ from their default (`form-settings.ts`). */
  settings: Generated<string>;
  key_version: number;
  created_at: number;
  updated_at: number;
}

export interface FormKeyTable {
  form_id: string;
  version: number;
  modulus: string;
  fingerprint: string;
  created_at: number;
  made_by: "owner" | "service";
  /** When somebody first said that the private key opened something. */
  proved_at: number | null;
  /** `pub` of the version's hybrid key, base64url, and that key's fingerprint; null where it has none. */
  hybrid_public_key: Generated<string | null>;
  hybrid_fingerprint: Generated<string | null>;
  /** When it stops accepting submissions that are sealed to it. */
  closes_at: Generated<number | null>;
}

/** Causes for which a form refuses visitors, as its owners were notified of them. */
export interface FormRefusalTable {
  form_id: string;
  cause: string;
  /** Print of the settings that the cause is about (`forms/refusal-causes.ts`). */
  settings: string;
  /** When it was first seen with these settings. */
  since: number;
  /** When it was seen last, to a few minutes. */
  last_at: number;
  /** 1: owners were notified of what began at `since`. */
  is_announced: number;
  /** They are not notified again before this. */
  announce_from: number;
}

export interface FormCountTable {
  form_id: string;
  /** Submissions that readers see; `received` counts all that ever came. */
  stored: number;
  received: number;
  /** Submissions received before this are deleted, though their rows may still wait for the purge. Every reader obeys it. */
  visible_from: Generated<number>;
  /** The latest time of receipt that was given out: the next submission is dated after it (docs/decisions/0057-order-of-receipt.md). */
  newest_received_at: Generated<number>;
  /** The same of the times of moves to the bin. */
  newest_binned_at: Generated<number>;
  /** The bytes of the form's submission rows (`submissionBytes`), also of those in the bin and those that wait for the purge. */
  bytes: Generated<number>;
  /** JSON: see `FormHold`; null: nothing holds the form. */
  hold: Generated<string | null>;
}
