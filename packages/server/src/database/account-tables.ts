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
  /** From when it requires a second factor of its members; null: it does not. */
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

/** Written by the sign-in library, which removes what has expired; times as ISO 8601 text. */
export interface VerificationTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

/** Written by the sign-in library: how a person signs in. */
export interface CredentialTable {
  id: string;
  person_id: string;
  provider_id: string;
  password: string | null;
  created_at: Generated<string | Date>;
  updated_at: Generated<string | Date>;
}

/** Written by the sign-in library; `secret` and `backup_codes` are encrypted. */
export interface SecondFactorTable {
  id: string;
  person_id: string;
  secret: string;
  backup_codes: string;
  verified: boolean | number | null;
  failed_verifications: number | null;
  locked_until: string | Date | null;
  /** When its first code turned it on; null: it is not on, or a process ended in between. */
  enabled_at: Generated<number | null>;
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
  /** The person whose session did it; null where no session did. */
  person_id: string | null;
  /** Its place in the organization's chain, from 1 (docs/audit-log.md); null until it is chained, which is soon after its commit. */
  sequence: Generated<number | null>;
  /** Over the entry and the hash of the one before, hex. */
  hash: Generated<string | null>;
}

/** The ends of an organization's chain of audit entries. */
export interface AuditHeadTable {
  account_id: string;
  /** The newest entry in the chain; 0 before the first. */
  sequence: number;
  hash: string | null;
  /** The newest entry that was removed for its age, with all before it; 0 before the first. */
  removed_sequence: Generated<number>;
  removed_hash: Generated<string | null>;
  removed_occurred_at: Generated<number | null>;
}

export interface SessionTable {
  id: string;
  person_id: string;
  token: string;
  /** Written by the sign-in library: ISO 8601 text on SQLite, a timestamp on PostgreSQL. */
  expires_at: string | Date;
  created_at: string | Date;
  /** When the password or a code was last entered. */
  authenticated_at: number;
  /** The organization that it acts for; null: the one with the person's id, else their oldest one. */
  organization_id: Generated<string | null>;
  /** `firefox/windows`: a coarse name. */
  browser: string;
  /** Written once in a while. */
  last_used_at: number;
  /** The identity that opened it; null: a password did. */
  identity_id: Generated<string | null>;
  /** When it ends, whatever is done in it; null: when nothing was done for a while. */
  ends_at: Generated<number | null>;
  /** `provider`: the identity provider asked for one; `passkey`: a passkey opened or confirmed it. */
  second_factor: Generated<string | null>;
  /** The passkey that opened or confirmed it; null: none did. */
  passkey_id: Generated<string | null>;
}

/** A person of an identity provider, who may sign in as one of ours. */
export interface IdentityTable {
  id: string;
  person_id: string;
  issuer: string;
  subject: string;
  /** The address or name there, as of the last sign-in. */
  name: string;
  admitted_by: string;
  linked_at: number;
  used_at: number | null;
}

/** A passkey of a person. */
export interface PasskeyTable {
  id: string;
  person_id: string;
  /** Base64url, as the authenticator made it. */
  credential_id: string;
  /** The authenticator's name of the person, base64url: random, and the same for all of one person's. */
  user_handle: string;
  /** COSE, base64url. */
  public_key: string;
  /** How often the authenticator said it had signed; 0 where it does not count. */
  counter: number;
  /** JSON array: how browsers reach the authenticator. */
  transports: string;
  name: string;
  added_at: number;
  used_at: number | null;
}

/** The public halves of a person's own key. */
export interface PersonalKeyTable {
  person_id: string;
  /** An age recipient, `age1pq1…`. */
  recipient: string;
  /** Ed25519, base64url of 32 bytes. */
  signing_key: string;
  created_at: number;
}

/** A sealed copy of a person's own key. */
export interface KeyCopyTable {
  id: string;
  person_id: string;
  /** How it opens: `passphrase`, `passkey`, `sheet` or `device`. */
  way: string;
  name: string;
  /** An age file, base64url. */
  file: string;
  created_at: number;
  /** Null: it was not removed, or restored since. */
  removed_at: number | null;
}

/** A personal key on its way to another device of its person. */
export interface DeviceRequestTable {
  id: string;
  person_id: string;
  /** The new device's. */
  session_id: string;
  commitment: string;
  expires_at: number;
  giving_session_id: string | null;
  /** JSON, as are the next two. */
  challenge: string | null;
  reveal: string | null;
  answer: string | null;
}

/** A person's key that another has replaced, for the time in which that can be undone. */
export interface FormerKeyTable extends PersonalKeyTable {
  replaced_at: number;
  /** The id under which `file` is fetched. */
  copy_id: string | null;
  /** The key itself, sealed for the one that replaced it: an age file, base64url. Null where it was lost. */
  file: string | null;
}

/** A sealed copy of such a key. */
export interface FormerKeyCopyTable extends KeyCopyTable {
  /** The key's. */
  signing_key: string;
}

/** The head of an organization's signed list, signed by a member for other devices of theirs. */
export interface SignedHeadTable {
  person_id: string;
  /** The key that has signed it. */
  signing_key: string;
  organization_id: string;
  /** Its two lines. */
  signed_head: string;
  /** The number of the entry that it names. */
  number: number;
  stored_at: number;
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
  /** The person who made it. */
  made_by: string;
  /** JSON array of the forms that it is limited to; null: all that its maker reaches. */
  form_ids: Generated<string | null>;
  /** When it ends; null: never. */
  expires_at: Generated<number | null>;
  /** When its owners were notified that it ends soon. */
  expiry_notified_at: Generated<number | null>;
}

/** The owner's last notice about the quota of an account or a form. */
export interface QuotaNoticeTable {
  id: string;
  /** 80 or 100; no row is 0. */
  level: number;
}

/** The bytes of everything but submissions: a row for each change, and one for those that were folded. */
export interface CountedBytesTable {
  id: Generated<number>;
  /** The form, organization or person. */
  owner_id: string;
  bytes: number;
}
