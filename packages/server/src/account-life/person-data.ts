/**
 * Every table of the service, with what it knows of a person: the member of the export that shows it, and how it goes with the
 * account. A test holds the list to the tables that the database has, and to what an export and a deletion leave out.
 */
export interface PersonTable {
  /** The member of the export that shows it, and why some of its columns are left out; or why the export leaves out all of it. */
  readonly exported:
    | { readonly as: string; readonly without?: Readonly<Record<string, string>> }
    | { readonly not: string };
  /** Its end, when the account is deleted for good. */
  readonly deleted: string;
}

const ownId = { id: "a number that nothing else names" } as const;
const ofForms = { not: "belongs to a form, and so to its organization" } as const;
const withForms = "with the form: the organization's, when nobody else belongs to it";
const ofForm: PersonTable = { exported: ofForms, deleted: withForms };
const ofInstance: PersonTable = {
  exported: { not: "the instance's own, without persons" },
  deleted: "nothing to delete",
};

export const personTables: Readonly<Record<string, PersonTable>> = {
  person: {
    exported: {
      as: "account",
      without: { image: "never written", sign_up_slot: "lets two sign-ups at once not both be the first" },
    },
    deleted: "last of all",
  },
  organization: {
    exported: { as: "account" },
    deleted: "when nobody else belongs to it; one that others keep stays",
  },
  address_move: {
    exported: {
      as: "addressMove",
      without: { old_hash: "a secret", new_hash: "a secret", undo_hash: "a secret" },
    },
    deleted: "with the account",
  },
  identity: { exported: { as: "linkedSignIns" }, deleted: "with the account" },
  passkey: { exported: { as: "passkeys" }, deleted: "with the account" },
  personal_key: { exported: { as: "personalKey" }, deleted: "with the account" },
  key_copy: {
    exported: { as: "keyCopies" },
    deleted: "30 days after it was removed, and with the account",
  },
  device_request: {
    exported: { not: "a personal key on its way between two devices, sealed; gone after ten minutes" },
    deleted: "after ten minutes, and with the account",
  },
  former_key: { exported: { as: "formerKeys" }, deleted: "30 days after it was replaced, and with the account" },
  former_key_copy: {
    exported: { as: "formerKeys" },
    deleted: "30 days after its key was replaced, and with the account",
  },
  signed_head: {
    exported: { as: "signedHeads" },
    deleted: "with the membership, the organization, the account, or for good with the key that has signed it",
  },
  session: {
    exported: { as: "sessions", without: { token: "a secret" } },
    deleted: "when the deletion is asked for, and with the account",
  },
  credential: {
    exported: {
      as: "account",
      without: {
        ...ownId,
        password: "a secret",
        provider_account_id: "the account's id again",
        ...Object.fromEntries(
          [
            "access_token",
            "refresh_token",
            "id_token",
            "access_token_expires_at",
            "refresh_token_expires_at",
            "scope",
          ].map((column) => [column, "never written"]),
        ),
      },
    },
    deleted: "with the account",
  },
  second_factor: {
    exported: { as: "account", without: { ...ownId, secret: "a secret", backup_codes: "secrets" } },
    deleted: "with the account",
  },
  verification: {
    exported: {
      not: "the sign-in library's hashes of links, and of codes that were used; they are secrets, and gone within a day",
    },
    deleted: "with the account",
  },
  member: { exported: { as: "organizations" }, deleted: "with the account" },
  invitation: {
    exported: { as: "invitations", without: { token_hash: "a secret" } },
    deleted: "those to the person's address with the account; those they made ended",
  },
  instance_invitation: {
    exported: { as: "invitations", without: { token_hash: "a secret", mail_hash: "a secret" } },
    deleted: "those to the person's address with the account; those they made ended",
  },
  api_key: { exported: { as: "apiKeys", without: { hash: "a secret" } }, deleted: "revoked when the account ends" },
  audit_entry: {
    exported: {
      as: "auditEntries",
      without: {
        actor_id: "a session or a key that may be another member's",
        sequence: "the entry's place in the organization's log",
        hash: "over the entry and those before it, which others have made",
      },
    },
    deleted:
      "those of the account, and of organizations that end; entries in the logs of others keep the id, until the log's own time",
  },
  audit_head: {
    exported: { not: "the newest number and hash of an audit log, without persons" },
    deleted: "with the account, and with the organization",
  },
  mail: {
    exported: {
      as: "emails",
      without: {
        ...ownId,
        details: "the contents, which are wiped once it is sent",
        claim_token: "the process that sends it",
        recipient: "a hash of the address",
      },
    },
    deleted: "with the account",
  },
  mail_gathered: { exported: { as: "emails" }, deleted: "with the email" },
  email_opt_out: { exported: { as: "account" }, deleted: "with the account" },
  mail_wanted: { exported: { as: "account" }, deleted: "with the account" },
  account_count: { exported: { not: "how many forms an organization has" }, deleted: "with the organization" },
  counted_bytes: { exported: { not: "how much an organization stores" }, deleted: "with what is counted" },
  quota_notice: { exported: { not: "the last notice about a quota" }, deleted: "with the organization" },
  rate_limit: { exported: { not: "counts of requests, gone within minutes" }, deleted: "by itself, within minutes" },
  list_entry: {
    exported: {
      as: "memberListEntries",
      without: { hash: "of the entry", list_bytes: "the length of the list up to it" },
    },
    deleted:
      "with the organization; the signed list of one that others keep stays whole, with the name in it: it verifies only so",
  },
  admission: {
    exported: {
      as: "admissions",
      without: { file: "sealed for owners and managers", answered_by: "the person, or another of the same address" },
    },
    deleted: "with the account, the organization, or the account of who made it; else 30 days after its end",
  },
  form_reservation: {
    exported: { not: "ids for forms that are about to be made, gone within an hour" },
    deleted: "by itself, within an hour",
  },
  form: ofForm,
  form_key: ofForm,
  envelope: ofForm,
  key_log_entry: ofForm,
  form_count: {
    exported: { not: "belongs to a form; a legal hold names the id of who set it" },
    deleted: `${withForms}; the id in a legal hold stays without a name`,
  },
  form_day: ofForm,
  form_retention: ofForm,
  form_purge: ofForm,
  form_bin: ofForm,
  form_notice: ofForm,
  submission: ofForm,
  submission_purge: ofForm,
  submission_tombstone: ofForm,
  submission_bin: ofForm,
  webhook: ofForm,
  event: ofForm,
  delivery: ofForm,
  delivery_queue: ofForm,
  attempt: ofForm,
  instance: ofInstance,
  jwks: ofInstance,
  embed_script: ofInstance,
};
