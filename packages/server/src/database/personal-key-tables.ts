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
