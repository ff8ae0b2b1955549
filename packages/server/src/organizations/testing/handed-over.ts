import type { TableName } from "../../database/table-record.ts";
import type { Settings } from "../../forms/form-settings.ts";

/**
 * What a form carries over to another organization. `stays`: it goes along unchanged. `goes`: it is the organization's before, and is taken
 * away or written again. `asked`: the person who hands the form over says what becomes of it. `refused`: a form with it is not handed over.
 */
export type Fate = "stays" | "goes" | "asked" | "refused";

type Columns = Readonly<Partial<Record<Fate, string>>>;

/** Every column of each table that has to do with a form, in words. */
export const handedOverColumns: Readonly<Partial<Record<TableName, Columns>>> = {
  form: {
    goes: "account_id",
    stays: "id name name_key encryption pii_strip allowed_origins settings key_version created_at updated_at",
  },
  form_key: {
    stays:
      "form_id version modulus fingerprint hybrid_public_key hybrid_fingerprint made_by proved_at created_at closes_at",
  },
  // Its readers are the organization's: its keys are saved as files first.
  envelope: { refused: "form_id lowest_version revision removed_at hash bytes file writer_id created_at" },
  // Pages pin it. Its signers are those of before, until an owner drops them.
  key_log_entry: { stays: "form_id number hash entry added_at" },
  // Its bytes count for the organization that has the form.
  form_count: {
    stays: "form_id stored received visible_from newest_received_at newest_binned_at bytes",
    refused: "hold",
  },
  form_day: { stays: "form_id day received" },
  form_retention: { stays: "form_id days" },
  // Its new owners were notified of none of it.
  form_refusal: { goes: "is_announced announce_from", stays: "form_id cause settings since last_at" },
  form_bin: { stays: "form_id stored visible_from" },
  form_purge: { stays: "form_id requested_at" },
  webhook: {
    stays: "form_id redirects",
    asked: "url destination secret earlier_secrets accepted_secret secret_known_since",
    // Anyone who keeps the address chose it, and hears again where it fails.
    goes: "failing_since by_developer set_by ends_after",
  },
  // Made at once, with the form's name then; those that wait go to the address that was kept, or fail.
  event: { stays: "id form_id submission_id kind occurred_at body body_layout form_name wipe" },
  delivery: {
    stays:
      "id event_id form_id is_test state attempts created_at finished_at next_attempt_at last_status last_error duration",
  },
  delivery_queue: {
    stays: "delivery_id form_id destination attempt due_at claims claim_token start_secret is_waiting",
  },
  attempt: { stays: "id delivery_id form_id number started_at duration status_code error url secret_used" },
  submission: {
    stays: "sequence form_id id key_version version data key iv fields timestamp received_at posted_digest",
  },
  submission_bin: {
    stays: "sequence form_id id key_version version data key iv fields timestamp received_at posted_digest binned_at",
  },
  submission_tombstone: { stays: "id form_id received_at sequence deleted_at" },
  submission_purge: { stays: "form_id received_before requested_at" },
  // Emails that wait go to those who have the form.
  mail: {
    goes: "account_id",
    stays:
      "id kind is_personal is_by_others by_id form_id details created_at expires_at due_at attempts claim_token finished_at failed_at failed_to refused_to reached failure recipient former_owner",
  },
  // Its new owners know of nothing, but see its submissions.
  form_notice: { goes: "failing_since unproved_version", stays: "form_id received next_at" },
  // The form's own switch, in its settings.
  email_opt_out: { stays: "id" },
  mail_wanted: { stays: "id since" },
  // A notice to an organization stays; one about a form's room ends, and is sent to the new owners.
  quota_notice: { goes: "level", stays: "id room" },
  // Rights in the organization before: the form is named by none of them.
  member: { goes: "form_ids", stays: "organization_id person_id role since added_by unproven_address" },
  invitation: {
    goes: "form_ids",
    stays: "id organization_id email role token_hash mail_hash invited_by created_at expires_at ended_at",
  },
  api_key: {
    goes: "form_ids",
    stays: "id account_id name prefix hash permissions made_by created_at last_used_at expires_at expiry_notified_at",
  },
  // History of the organization before.
  member_change: {
    stays: "organization_id number person_id made_by changed_at role form_ids since added_by unproven_address",
  },
  // Ids of forms that are still to be made.
  form_reservation: { stays: "form_id organization_id principal_id expires_at" },
};

/** Settings, which the new organization sees in the form's. */
export const handedOverSettings: Readonly<Record<keyof Settings, Fate>> = {
  encryption: "stays",
  piiStrip: "stays",
  webhookUrl: "asked",
  webhookRedirects: "stays",
  allowedOrigins: "stays",
  country: "stays",
  piiTypes: "stays",
  submissionBytesMax: "stays",
  submissionsPerHour: "stays",
  binDays: "stays",
};
