import type { Generated } from "kysely";

export interface MailTable {
  id: string;
  kind: string;
  account_id: string;
  /** 1: to the person with this id, and follows them if they get another id; 0: to the owners of the organization. */
  is_personal: Generated<number>;
  /** 1: others cause this security email, which has a bound apart (`mail/mail.ts`). */
  is_by_others: Generated<number>;
  /** The person who did what a security email tells of, or their API key; null where it was nobody of the organization. */
  by_id: string | null;
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
  /** When the last try failed; null when none did. */
  failed_at: Generated<number | null>;
  /** JSON array of the addresses that it failed for. */
  failed_to: Generated<string | null>;
  /** JSON array of the addresses among these that are not tried again; null for none. */
  refused_to: Generated<string | null>;
  /** How many addresses it has reached. */
  reached: Generated<number>;
  /** The mail server's sentence, or ours. */
  failure: Generated<string | null>;
  /** Hash of the address of an email that somebody else causes (`mail/recipient.ts`). */
  recipient: Generated<string | null>;
  /** JSON array of the ids of owners who ceased to be one while it waited: it concerns them as well (`mail/former-owner-store.ts`). */
  former_owner: Generated<string | null>;
}

/** The last notice to a form's owner. */
export interface FormNoticeTable {
  form_id: string;
  received: number;
  failing_since: number | null;
  next_at: number;
  /** The key version of which the owner was notified that nobody has proved it. */
  unproved_version: Generated<number>;
}
