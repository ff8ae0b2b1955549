import { inThousands, notCounted, type TableRecords } from "../table-record.ts";

/** How most tables are copied and spread. */
const small = { spread: "coordinator", copied: inThousands } as const;
const ofPerson = { to: "person", by: "person_id", goes: "cascade" } as const;
const withPerson = { belongsTo: [ofPerson] } as const;
const oneOfPerson = notCounted("one row for each person, with short columns");
const ownId = { id: "a number that nothing else names" } as const;

/** People, what they sign in with, and their own keys. */
export const personRecords = {
  person: {
    belongsTo: [],
    ends: "30 days after the person asks for it; last of all that is theirs",
    bytes: oneOfPerson,
    ...small,
    exported: {
      as: "account",
      without: { image: "never written", sign_up_slot: "lets two sign-ups at once not both be the first" },
    },
    restored: { ends: "deletions that were asked for: they may have been called off since" },
  },
  former_person_id: {
    ...withPerson,
    ends: "with the account",
    bytes: notCounted("one row for each person who has left the organization with their id"),
    ...small,
    exported: { as: "account" },
    restored: "unchanged",
  },
  session: {
    belongsTo: [{ ...ofPerson, costsOthers: "nothing: the organization is the one that it acted for" }],
    ends: "with its time, when the deletion of the account is asked for, and with the account",
    bytes: notCounted("100 of a person"),
    ...small,
    exported: { as: "sessions", without: { token: "a secret" } },
    restored: { ends: "all" },
  },
  credential: {
    ...withPerson,
    ends: "with the account",
    bytes: oneOfPerson,
    ...small,
    exported: {
      as: "account",
      without: {
        ...ownId,
        password: "a secret",
        provider_account_id: "the account's id again",
        access_token: "never written",
        refresh_token: "never written",
        id_token: "never written",
        access_token_expires_at: "never written",
        refresh_token_expires_at: "never written",
        scope: "never written",
      },
    },
    restored: { worksAgain: "passwords, as they were then" },
  },
  second_factor: {
    ...withPerson,
    ends: "when it is switched off, and with the account",
    bytes: oneOfPerson,
    ...small,
    exported: { as: "account", without: { ...ownId, secret: "a secret", backup_codes: "secrets" } },
    restored: { worksAgain: "apps for codes, with their backup codes" },
  },
  address_move: {
    belongsTo: [{ ...ofPerson, costsOthers: "nothing: while it can be undone the purge leaves the account alone" }],
    ends: "when it can't be undone any more, and with the account",
    bytes: oneOfPerson,
    ...small,
    exported: {
      as: "addressMove",
      without: { old_hash: "a secret", new_hash: "a secret", undo_hash: "a secret" },
    },
    restored: {
      ends: "moves that wait; one that could still be undone stays, and each is named",
      heldBack: "nothing: they go with others",
    },
  },
  undone_move: {
    // Not to persons: what an account gave while somebody else used it is looked at also when it is gone.
    belongsTo: [],
    ends: "after nine days, when no change made meanwhile can be taken back any more; the id of a deleted account stays until then",
    bytes: notCounted("one row for each move that both addresses confirmed, for nine days"),
    ...small,
    exported: { not: "the audit entries say the same, for longer" },
    restored: { heldBack: "nothing: they go with others" },
  },
  identity: {
    ...withPerson,
    ends: "when it is unlinked, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["issuer", "subject", "name"],
      unasked: "a way to sign in: one of each identity provider",
    },
    ...small,
    exported: { as: "linkedSignIns" },
    restored: { worksAgain: "linked sign-ins" },
  },
  passkey: {
    ...withPerson,
    ends: "when it is removed, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["name", "credential_id", "user_handle", "public_key", "transports"],
      unasked: "a way to sign in: 20 of a person",
    },
    ...small,
    exported: { as: "passkeys" },
    restored: { worksAgain: "passkeys" },
  },
  personal_key: {
    ...withPerson,
    ends: "when another one replaces it, and with the account",
    bytes: oneOfPerson,
    ...small,
    exported: { as: "personalKey" },
    restored: "unchanged",
  },
  key_copy: {
    ...withPerson,
    ends: "30 days after it was removed, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["name", "file"],
      unasked: "a way to open a key that is there: 20 of a person",
    },
    ...small,
    exported: { as: "keyCopies" },
    restored: { worksAgain: "copies of personal keys", heldBack: "a copy that was restored" },
  },
  former_key: {
    ...withPerson,
    ends: "30 days after it was replaced, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["signing_key", "recipient", "file"],
      unasked: "what a replaced key has opened: a bounded number in a day, for 30 days",
    },
    ...small,
    exported: { as: "formerKeys" },
    restored: { heldBack: "a key that was brought back" },
  },
  former_key_copy: {
    ...withPerson,
    ends: "30 days after its key was replaced, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["signing_key", "name", "file"],
      unasked: "the copies of such a key, which were counted before",
    },
    ...small,
    exported: { as: "formerKeys" },
    restored: { heldBack: "a key that was brought back" },
  },
  device_request: {
    ...withPerson,
    ends: "after ten minutes, and with the account",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["commitment", "challenge", "reveal", "answer"],
      unasked: "a key on its way to the next device: gone after ten minutes",
    },
    ...small,
    exported: { not: "a personal key on its way between two devices, sealed; gone after ten minutes" },
    restored: { ends: "all: they are between two sessions, which have ended" },
  },
} as const satisfies Partial<TableRecords>;
