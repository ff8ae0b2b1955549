import type { Generated } from "kysely";

/** An entry of an organization's signed list of members (SPECIFICATION.md section 14). Entries are only ever added. */
export interface ListEntryTable {
  organization_id: string;
  /** From 1. */
  number: number;
  /** Hash of its content, base64url. */
  hash: string;
  /** Its two lines, each with its line feed. */
  entry: string;
  /** The member that it is about; of an entry that is about nobody, the one who signed it. */
  member_id: string;
  signer_id: string;
  /** The bytes of the list up to and with this entry. */
  list_bytes: number;
  added_at: number;
}

/** A line of the file of names next to a signed list (SPECIFICATION.md section 14): the entries have the commitment alone. */
export interface ListNameTable {
  organization_id: string;
  commitment: string;
  /** The member whose name it is; null: the organization's own. */
  member_id: string | null;
  salt: string;
  name: string;
  /** 1: a present member, or the organization, is called so. */
  is_present: number;
}

/** An entry of a form's key log (SPECIFICATION.md section 20). Entries are only added. */
export interface KeyLogEntryTable {
  form_id: string;
  /** From 1. */
  number: number;
  /** Hash of its content, base64url. */
  hash: string;
  /** Its two lines, each with its line feed. */
  entry: string;
  added_at: number;
}

/** A revision of an envelope with a form's private keys, which the service can't open (SPECIFICATION.md section 15). */
export interface EnvelopeTable {
  form_id: string;
  /** The lowest key version in it, which says which of the form's envelopes it is. */
  lowest_version: number;
  revision: number;
  /** When the form's envelopes were removed, to be restored for a while; 0: they are in use. */
  removed_at: Generated<number>;
  /** Hash of the file, base64url. */
  hash: string;
  bytes: number;
  file: Uint8Array;
  /** The person who stored it, or who made the API key that did. */
  writer_id: string;
  created_at: number;
}

/** An id for a form that its maker has to know before the form is created. */
export interface FormReservationTable {
  form_id: string;
  organization_id: string;
  /** The person, or the API key, who may use it. */
  principal_id: string;
  expires_at: number;
}

/** An offer to bring a person into the signed list, and its answer (SPECIFICATION.md section 19). */
export interface AdmissionTable {
  id: string;
  organization_id: string;
  /** Null: anyone whose account has the address. */
  person_id: string | null;
  email: string;
  made_by: string;
  /** Two lines: the terms, and their signature. */
  terms: string;
  created_at: number;
  ends_at: number;
  /** Answers that did not fit. */
  refusals: Generated<number>;
  answered_by: string | null;
  /** Three lines. */
  answer: string | null;
  answered_at: number | null;
  /** Used, taken back, or replaced by another one. */
  ended_at: number | null;
}
