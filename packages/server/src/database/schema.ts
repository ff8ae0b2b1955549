import type { Generated } from "kysely";

/**
 * The tables as Kysely sees them. Times are integer milliseconds since the Unix epoch, but for the tables of the sign-in
 * library (account_holder, credential, session, verification, jwks), whose times are its own.
 */
export interface Tables {
  instance: { key: string; value: string };
  account_holder: AccountTable;
  session: SessionTable;
  credential: { id: string; account_id: string; provider_id: string; password: string | null };
  verification: VerificationTable;
  second_factor: SecondFactorTable;
  audit_entry: AuditEntryTable;
  account_count: { account_id: string; forms: number };
  form: FormTable;
  form_key: FormKeyTable;
  form_count: FormCountTable;
  account_quota: AccountQuotaTable;
  quota_notice: QuotaNoticeTable;
  form_day: { form_id: string; day: string; received: number };
  form_retention: { form_id: string; days: number };
  form_purge: { form_id: string; requested_at: number };
  submission: SubmissionTable;
  submission_purge: { form_id: string; received_before: number; requested_at: number };
  submission_tombstone: SubmissionTombstoneTable;
  submission_bin: BinnedSubmissionTable;
  form_bin: FormBinTable;
  api_key: ApiKeyTable;
  embed_script: { file: string; body: Uint8Array; created_at: number };
  webhook: WebhookTable;
  event: EventTable;
  delivery: DeliveryTable;
  delivery_queue: DeliveryQueueTable;
  attempt: AttemptTable;
  mail: MailTable;
  mail_gathered: { mail_id: string; event: string; count: number };
  form_notice: FormNoticeTable;
  /** Ids of forms and accounts that opted out of emails. */
  mail_refusal: { id: string };
  /** When the owner last switched emails on again, of a form or an account. */
  mail_wanted: { id: string; since: number };
  /** On PostgreSQL only. */
  rate_limit: { key: string; points: number; expire: number | null };
}

export interface AccountTable {
  id: string;
  email: string;
  name: string;
  plan: string;
  /** Written by the sign-in library: 0 and 1 on SQLite. */
  second_factor_enabled: Generated<boolean | number>;
  email_verified: boolean | number;
  /** `needed` before it makes forms or API keys, `trusted` where nobody asked for it, `declined` where the owner put it off. */
  verification: Generated<string>;
  disabled_at: number | null;
}

/** Written by the sign-in library, which removes what has expired; times as ISO 8601 text. */
export interface VerificationTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

/** Written by the sign-in library; `secret` and `backup_codes` are encrypted. */
export interface SecondFactorTable {
  id: string;
  account_id: string;
  secret: string;
  backup_codes: string;
  verified: boolean | number | null;
  failed_verifications: number | null;
  locked_until: string | Date | null;
}

export interface AuditEntryTable {
  id: string;
  account_id: string;
  occurred_at: number;
  action: string;
  actor: "session" | "api_key" | "operator" | "nobody";
  /** The session or the API key. */
  actor_id: string | null;
  target_id: string | null;
  target_name: string | null;
  count: number | null;
  /** JSON: see `AuditDetails`. */
  details: string | null;
}

export interface SessionTable {
  id: string;
  account_id: string;
  token: string;
  /** Written by the sign-in library: ISO 8601 text on SQLite, a timestamp on PostgreSQL. */
  expires_at: string | Date;
  created_at: string | Date;
  /** When the password or a code was last entered; null is when the session began. */
  authenticated_at: number | null;
}

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
  /** Null for a key from before this was kept. */
  made_by: "owner" | "service" | null;
  /** When somebody first said that the private key opened something. */
  proved_at: number | null;
}

export interface FormCountTable {
  form_id: string;
  /** Submissions that readers see; `received` counts all that ever came. */
  stored: number;
  received: number;
  /** Submissions received before this are deleted, though their rows may still wait for the purge. Every reader obeys it. */
  visible_from: Generated<number>;
  /** The bytes of the form's submission rows (`submissionBytes`), also of those in the bin and those that wait for the purge. */
  bytes: Generated<number>;
  /** When `bytes` is compared with the rows; null when it need not be. */
  bytes_check_at: Generated<number | null>;
}

export interface AccountQuotaTable {
  account_id: string;
  /** Bytes that the account may store whatever its plan. */
  granted: number;
}

/** The owner's last notice about the quota of an account or a form. */
export interface QuotaNoticeTable {
  id: string;
  /** 80 or 100; no row is 0. */
  level: number;
}

/** Tombstone of a deleted submission, kept for a while: so that a late retry does not bring it back, and an export can resume after it. */
export interface SubmissionTombstoneTable {
  id: string;
  form_id: string;
  received_at: number;
  /** At most what an `integer` holds; `wide_sequence` is the whole number, where there is one (0006-wide-tombstones). */
  sequence: number;
  wide_sequence: number | null;
  /** `inBin` while the submission can still be restored. */
  deleted_at: number;
}

export interface SubmissionTable {
  /** Arrival order; the table's primary order on both databases. */
  sequence: Generated<number>;
  form_id: string;
  id: string;
  key_version: number;
  /** `sp1` or `plain1`; decides which of the columns below hold something. */
  version: string;
  data: Uint8Array | null;
  key: Uint8Array | null;
  iv: Uint8Array | null;
  /** The fields of a plain payload, as JSON text. */
  fields: string | null;
  timestamp: number;
  received_at: number;
}

/** A submission that was moved to the bin; its row in `submission` is gone, and a tombstone keeps a retry of its post away. */
export interface BinnedSubmissionTable extends Omit<SubmissionTable, "sequence"> {
  sequence: number;
  binned_at: number;
}

export interface FormBinTable {
  form_id: string;
  /** Submissions in the bin that readers see. */
  stored: number;
  /** Submissions moved there before this are deleted for good, though its rows may still wait for the purge. Every reader obeys it. */
  visible_from: Generated<number>;
}

export interface ApiKeyTable {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  /** SHA-256 of the key value, hex. */
  hash: string;
  /** JSON array of permissions. */
  permissions: string;
  created_at: number;
  last_used_at: number | null;
}

export interface WebhookTable {
  form_id: string;
  url: string | null;
  host: string | null;
  secret: string;
  /** One of the earlier secrets, and which of the two to begin with: what an older version knows (migration 0009). */
  previous_secret: string | null;
  previous_expires_at: number | null;
  sign_first: "current" | "previous";
  /** JSON: all earlier secrets that were valid at the last rotation. */
  earlier_secrets: string | null;
  /** The id of the secret that was accepted last. */
  accepted_secret: string | null;
  /** Since when nothing was accepted; null while all is well. */
  failing_since: number | null;
}

export interface MailTable {
  id: string;
  kind: string;
  account_id: string;
  form_id: string | null;
  /** JSON object, by the kind. */
  details: string;
  created_at: number;
  expires_at: number;
  due_at: number;
  attempts: number;
  claim_token: string | null;
  /** Sent or given up; null while it waits. */
  finished_at: number | null;
}

/** The last notice to a form's owner. */
export interface FormNoticeTable {
  form_id: string;
  received: number;
  key_version: number;
  failing_since: number | null;
  next_at: number;
  /** The key version of which the owner was notified that nobody has proved it. */
  unproved_version: Generated<number>;
}

export interface EventTable {
  id: string;
  form_id: string;
  submission_id: string | null;
  kind: string;
  occurred_at: number;
  /** The exact bytes that are signed and sent; null once they were wiped with their submission. */
  body: Uint8Array | null;
  /** 1: the submission was deleted while a delivery was still on its way; the body is wiped when the last one ends. */
  wipe: Generated<number>;
}

export interface DeliveryTable {
  id: string;
  event_id: string;
  form_id: string;
  is_test: number;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  created_at: number;
  finished_at: number | null;
  next_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  duration: number | null;
}

export interface DeliveryQueueTable {
  delivery_id: string;
  form_id: string;
  host: string;
  attempt: number;
  due_at: number;
  claims: number;
  claim_token: string | null;
  /** The secret that the next attempt begins with, where the one before taught something. */
  start_with: "current" | "previous" | null;
  /** The same by its id, which an older version does not know. */
  start_secret: string | null;
}

export interface AttemptTable {
  id: Generated<number>;
  delivery_id: string;
  number: number;
  started_at: number;
  duration: number | null;
  status_code: number | null;
  error: string | null;
  url: string;
  secret_used: "current" | "previous" | "earlier";
}
