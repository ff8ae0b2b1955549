import { inThousands, notCounted, type TableRecords } from "../table-record.ts";

const small = { spread: "coordinator", copied: inThousands } as const;
/** Its deletion is asked for 30 days before, and every owner can call it off. */
const withoutOrganization = "nothing: nobody has rights in an organization that is gone";
const ofOrganization = { to: "organization", by: "organization_id", goes: "cascade" } as const;
const andOthers = { ...ofOrganization, costsOthers: withoutOrganization } as const;
/** An audit log is an organization's, or a person's who belongs to none. */
const ofAccount = [
  { to: "organization", by: "account_id", goes: "last" },
  { to: "person", by: "account_id", goes: "last" },
] as const;

/** Organizations, who belongs to them and what their programs sign in with, and audit logs. */
export const organizationRecords = {
  organization: {
    belongsTo: [],
    ends: "when nobody else belongs to it; one that others keep stays, without the id of the person for whom it counted",
    bytes: notCounted("50 organizations of a person, one row for each"),
    ...small,
    exported: {
      as: "account",
      without: { counts_for: "the person's own id, or that of another owner", left_by: "the id of a former owner" },
    },
    restored: { ends: "deletions that were asked for: they may have been called off since" },
  },
  account_count: {
    belongsTo: [{ to: "organization", by: "account_id", goes: "cascade" }],
    ends: "with the organization",
    bytes: notCounted("one row for each organization"),
    ...small,
    exported: { not: "how many forms an organization has" },
    restored: "unchanged",
  },
  member: {
    belongsTo: [
      andOthers,
      {
        ...{ to: "person", by: "person_id", goes: "cascade" },
        costsOthers: "nothing: it is the role of one person, who has left before",
      },
    ],
    ends: "with the account, and with the organization",
    bytes: {
      kind: "rows",
      owner: "organization_id",
      columns: ["form_ids", "unproven_address"],
      unasked: "lets somebody in: 500 of an organization",
    },
    ...small,
    exported: {
      as: "organizations",
      without: { unproven_address: "a membership that waits for its proof is no part of the export" },
    },
    restored: "unchanged",
  },
  member_change: {
    // Not to persons: the history of members is there for those whose account somebody else has used.
    belongsTo: [andOthers],
    ends: "after nine days, when no move of an address can take it back any more, and with the organization; the id of a deleted account stays until then",
    bytes: {
      kind: "rows",
      owner: "organization_id",
      columns: ["form_ids", "unproven_address"],
      unasked: "the history of rights that are given and ended, for nine days",
    },
    ...small,
    exported: { not: "the audit entries say the same, for longer" },
    restored: { heldBack: "nothing: they go with others" },
  },
  invitation: {
    belongsTo: [
      andOthers,
      {
        ...{ to: "person", by: "email", key: "email", goes: "last" },
        costsOthers: "nothing: the person who made it makes another one; it is one less among those of the day",
      },
    ],
    ends: "invitations to a person's address with the account; those they made ended",
    bytes: { kind: "rows", owner: "organization_id", columns: ["email", "form_ids"] },
    ...small,
    exported: { as: "invitations", without: { token_hash: "a secret", mail_hash: "a secret" } },
    restored: { ends: "invitations that were open", heldBack: "nothing: they go with others" },
  },
  list_entry: {
    belongsTo: [ofOrganization],
    ends: "with the organization; the signed list of one that others keep stays whole: it verifies only so, and has no names in it",
    bytes: { kind: "rows", owner: "organization_id", columns: ["entry"] },
    ...small,
    exported: {
      as: "memberListEntries",
      without: {
        hash: "of the entry",
        list_bytes: "the length of the list up to it",
        signer_id: "who signed it, which is in the entry",
      },
    },
    restored: { unchanged: "the hash is a link of a list" },
  },
  list_name: {
    belongsTo: [ofOrganization],
    ends: "with the organization; names of a person who is no member with the account, and with the entry that removes one whose account is gone; other former names at once",
    bytes: { kind: "rows", owner: "organization_id", columns: ["commitment", "salt", "name"] },
    ...small,
    exported: { as: "memberListNames", without: { is_present: "the list says so" } },
    restored: "unchanged",
  },
  signed_head: {
    // Through the membership.
    belongsTo: [
      andOthers,
      {
        ...{ to: "person", by: "person_id", goes: "cascade" },
        costsOthers: "nothing: it tells the next device of that person alone which entries they have seen",
      },
    ],
    ends: "with the membership, the organization, the account, or for good with the key that has signed it",
    bytes: {
      kind: "rows",
      owner: "person_id",
      columns: ["signing_key", "signed_head"],
      unasked: "one of a person for each organization: their next device is not shown an older list",
    },
    ...small,
    exported: { as: "signedHeads" },
    restored: { heldBack: "a key that was brought back" },
  },
  admission: {
    belongsTo: [
      andOthers,
      {
        ...{ to: "person", by: "person_id", goes: "cascade" },
        costsOthers: "nothing: it is an offer to them",
      },
      {
        ...{ to: "person", by: "made_by", goes: "cascade" },
        costsOthers:
          "an offer that somebody else makes again: it ends with the rights of the person who made it anyway",
      },
    ],
    ends: "30 days after its end, and with the account of the person, or of who made it",
    bytes: {
      kind: "rows",
      owner: "organization_id",
      columns: ["email", "terms", "answer"],
    },
    ...small,
    exported: {
      as: "admissions",
      without: { answered_by: "the person, or another of the same address" },
    },
    restored: { ends: "admissions that were open", heldBack: "nothing: they go with others" },
  },
  api_key: {
    belongsTo: [
      { to: "organization", by: "account_id", goes: "cascade", costsOthers: withoutOrganization },
      {
        ...{ to: "person", by: "made_by", goes: "cascade" },
        costsOthers: "requests of their programs, which have the rights of the person who made the key",
      },
    ],
    ends: "when it is revoked, and with the account of who made it",
    bytes: { kind: "rows", owner: "account_id", columns: ["name", "permissions", "form_ids"] },
    ...small,
    exported: { as: "apiKeys", without: { hash: "a secret" } },
    restored: { worksAgain: "API keys, unless --revoke-keys revokes them" },
  },
  audit_entry: {
    belongsTo: [
      { to: "organization", by: "account_id", goes: "in_steps", costsOthers: withoutOrganization },
      {
        ...{ to: "person", by: "account_id", goes: "in_steps" },
        costsOthers: "nothing: it is the log of an account that belongs to no organization any more",
      },
    ],
    ends: "after the log's own time, and with the account; entries in the logs of others keep the id",
    bytes: {
      kind: "rows",
      owner: "account_id",
      columns: ["target_name", "details"],
      room: "log",
      unasked: "what is done is recorded, and each action has a bound within a day",
    },
    ...small,
    exported: {
      as: "auditEntries",
      without: {
        actor_id: "a session or a key that may be another member's",
        sequence: "the entry's place in the organization's log",
        hash: "over the entry and those before it, which others have made",
        change_number: "its place among the changes of everybody in the organization",
      },
    },
    restored: {
      unchanged: "the hash is a link of a chain",
      heldBack: "more days of the log, or a legal hold where an owner has shortened it",
    },
  },
  audit_head: {
    belongsTo: ofAccount,
    ends: "with the account, and with the organization",
    bytes: notCounted("one row for each log"),
    ...small,
    exported: { not: "the newest number and hash of an audit log, without persons" },
    restored: { unchanged: "the hash is the end of a chain" },
  },
} as const satisfies Partial<TableRecords>;
