import type { Generated } from "kysely";

/** Somebody who signs in. Anyone who signs up owns the organization with the same id (docs/decisions/0042-persons-and-organizations.md). */
export interface PersonTable {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  /** Written by the sign-in library: 0 and 1 on SQLite. */
  second_factor_enabled: Generated<boolean | number>;
  email_verified: boolean | number;
  /** `needed` before it makes forms or API keys, `trusted` where nobody asked for it, `declined` where the owner put it off. */
  verification: Generated<string>;
  disabled_at: number | null;
  /** Written by the sign-in library: ISO 8601 text on SQLite, a timestamp on PostgreSQL. */
  created_at: string | Date;
  updated_at: string | Date;
  /** Null from sign-up until the first request of a session has made the person the owner of the organization with their id. */
  joined_at: Generated<number | null>;
  /** Since when the person is an operator; null for all others. */
  operator_since: Generated<number | null>;
  /** When the person's account is deleted for good; null while nobody asked for that. */
  leaves_at: Generated<number | null>;
}

/** An id that a person has had, until they left the organization with it. What is filed under it from then on is the organization's. */
export interface FormerPersonIdTable {
  id: string;
  person_id: string;
  left_at: number;
}

/** The account of the contract: it has forms, API keys, a plan and an audit log, and persons belong to it. */
export interface OrganizationTable {
  id: string;
  name: string;
  plan: string;
  created_at: number;
  /** When it starts to require a second factor of its members; null: it does not. */
  second_factor_from: Generated<number | null>;
  /** Since when its envelopes have to be for a recovery key as well. */
  recovery_required_at: Generated<number | null>;
  /** When it is deleted for good; null while nobody asked for that. */
  ends_at: Generated<number | null>;
  /** The owner who made it or took over its usage: what it stores counts for them. Null once they are no owner of it any more. */
  counts_for: string | null;
  /** That person from then on, until an owner takes over its usage or their account is gone. */
  left_by: Generated<string | null>;
}

/** A move of a person's account to another address: while it waits, and while it can be undone. */
export interface AddressMoveTable {
  person_id: string;
  /** Both in lower case. */
  old_email: string;
  new_email: string;
  /** SHA-256 of the tokens in the links, hex; null once a link was used. */
  old_hash: string | null;
  new_hash: string | null;
  undo_hash: string | null;
  created_at: number;
  expires_at: number;
  /** When the account got the other address; null while that waits. */
  moved_at: number | null;
}

/** A move of a person's account that the address before has undone. */
export interface UndoneMoveTable {
  person_id: string;
  begun_at: number;
  undone_at: number;
}

/** A person's role in an organization. */
export interface MemberTable {
  organization_id: string;
  person_id: string;
  role: string;
  /** JSON array: the named forms of a reader or a developer. */
  form_ids: string;
  since: number;
  /** The person who added them; null for who made the organization. */
  added_by: string | null;
  /** The address that was invited, while nobody has proven that it is theirs; null: they have the role. */
  unproven_address: string | null;
}

/** A change of a membership, for as long as a move of an address can take it back. */
export interface MemberChangeTable {
  organization_id: string;
  /** Its place among the changes of the organization. */
  number: number;
  /** The member. */
  person_id: string;
  /** The person who made it, or who invited the member; null: nobody's, or an operator's. */
  made_by: string | null;
  changed_at: number;
  /** The membership before; null: there was none. */
  role: string | null;
  form_ids: string | null;
  since: number | null;
  added_by: string | null;
  unproven_address: string | null;
}

export interface InvitationTable {
  id: string;
  organization_id: string;
  /** Lower case. */
  email: string;
  role: string;
  form_ids: string;
  /** SHA-256 of the token, hex. */
  token_hash: string;
  /** The same of the emailed link's; null where none was emailed. */
  mail_hash: string | null;
  invited_by: string;
  created_at: number;
  expires_at: number;
  /** When it was accepted, taken back or replaced. */
  ended_at: number | null;
}

/** An invitation to the instance: to make an account. */
export interface InstanceInvitationTable {
  id: string;
  /** Lower case. */
  email: string;
  /** SHA-256 of the token of the link that is shown, and of the one that is emailed (null: none is), hex. */
  token_hash: string;
  mail_hash: string | null;
  /** The operator; null: a command on the server. */
  invited_by: string | null;
  created_at: number;
  expires_at: number;
  /** When it was used, taken back or replaced. */
  ended_at: number | null;
}
