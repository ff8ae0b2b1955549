import { inThousands, notCounted, type TableRecords } from "../table-record.ts";

const small = { spread: "coordinator", copied: inThousands } as const;
const withOrganization = { belongsTo: [{ to: "organization", by: "organization_id", goes: "cascade" }] } as const;
/** An audit log is an organization's, or a person's who belongs to none. */
const ofAccount = (goes: "last" | "in_steps") =>
  [
    { to: "organization", by: "account_id", goes },
    { to: "person", by: "account_id", goes },
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
    restored: { unchanged: "the date on which it ends is a wish that still holds" },
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
      { to: "organization", by: "organization_id", goes: "cascade" },
      { to: "person", by: "person_id", goes: "cascade" },
    ],
    ends: "with the account, and with the organization",
    bytes: { kind: "rows", owner: "organization_id", columns: ["form_ids"] },
    ...small,
    exported: { as: "organizations" },
    restored: "unchanged",
  },
  member_change: {
    belongsTo: [
      { to: "organization", by: "organization_id", goes: "cascade" },
      { to: "person", by: "person_id", goes: "cascade" },
      { to: "person", by: "made_by", goes: "cascade" },
    ],
    ends: "after nine days, when no move of an address can take it back any more, and with the organization",
    bytes: { kind: "rows", owner: "organization_id", columns: ["form_ids"] },
    ...small,
    exported: { not: "the audit entries say the same, for longer" },
    restored: "unchanged",
  },
  invitation: {
    belongsTo: [
      { to: "organization", by: "organization_id", goes: "cascade" },
      { to: "person", by: "email", key: "email", goes: "last" },
    ],
    ends: "invitations to a person's address with the account; those they made ended",
    bytes: { kind: "rows", owner: "organization_id", columns: ["email", "form_ids"] },
    ...small,
    exported: { as: "invitations", without: { token_hash: "a secret" } },
    restored: { ends: "invitations that were open" },
  },
  list_entry: {
    ...withOrganization,
    ends: "with the organization; the signed list of one that others keep stays whole, with the name in it: it verifies only so",
    bytes: { kind: "rows", owner: "organization_id", columns: ["entry"] },
    ...small,
    exported: {
      as: "memberListEntries",
      without: { hash: "of the entry", list_bytes: "the length of the list up to it" },
    },
    restored: { unchanged: "the hash is a link of a list" },
  },
  signed_head: {
    // Through the membership.
    belongsTo: [
      { to: "organization", by: "organization_id", goes: "cascade" },
      { to: "person", by: "person_id", goes: "cascade" },
    ],
    ends: "with the membership, the organization, the account, or for good with the key that has signed it",
    bytes: { kind: "rows", owner: "person_id", columns: ["signing_key", "signed_head"] },
    ...small,
    exported: { as: "signedHeads" },
    restored: "unchanged",
  },
  admission: {
    belongsTo: [
      { to: "organization", by: "organization_id", goes: "cascade" },
      { to: "person", by: "person_id", goes: "cascade" },
      { to: "person", by: "made_by", goes: "cascade" },
    ],
    ends: "30 days after its end, and with the account of the person, or of who made it",
    bytes: {
      kind: "rows",
      owner: "organization_id",
      columns: ["email", "terms", "file", "recipient", "signing_key", "proof"],
    },
    ...small,
    exported: {
      as: "admissions",
      without: { file: "sealed for owners and managers", answered_by: "the person, or another of the same address" },
    },
    restored: { ends: "admissions that were open" },
  },
  api_key: {
    belongsTo: [
      { to: "organization", by: "account_id", goes: "cascade" },
      { to: "person", by: "made_by", goes: "cascade" },
    ],
    ends: "when it is revoked, and with the account of who made it",
    bytes: { kind: "rows", owner: "account_id", columns: ["name", "permissions", "form_ids"] },
    ...small,
    exported: { as: "apiKeys", without: { hash: "a secret" } },
    restored: { worksAgain: "API keys, unless --revoke-keys revokes them" },
  },
  audit_entry: {
    belongsTo: ofAccount("in_steps"),
    ends: "after the log's own time, and with the account; entries in the logs of others keep the id",
    bytes: { kind: "rows", owner: "account_id", columns: ["target_name", "details"] },
    ...small,
    exported: {
      as: "auditEntries",
      without: {
        actor_id: "a session or a key that may be another member's",
        sequence: "the entry's place in the organization's log",
        hash: "over the entry and those before it, which others have made",
      },
    },
    restored: { unchanged: "the hash is a link of a chain" },
  },
  audit_head: {
    belongsTo: ofAccount("last"),
    ends: "with the account, and with the organization",
    bytes: notCounted("one row for each log"),
    ...small,
    exported: { not: "the newest number and hash of an audit log, without persons" },
    restored: { unchanged: "the hash is the end of a chain" },
  },
} as const satisfies Partial<TableRecords>;
