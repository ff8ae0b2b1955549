import type { Generated } from "kysely";

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
