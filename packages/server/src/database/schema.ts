import type {
  AddressMoveTable,
  FormerPersonIdTable,
  InstanceInvitationTable,
  InvitationTable,
  MemberChangeTable,
  MemberTable,
  OrganizationTable,
  PersonTable,
  UndoneMoveTable,
} from "./account-tables.ts";
import type { ApiKeyTable } from "./api-key-tables.ts";
import type { AuditEntryTable, AuditHeadTable } from "./audit-tables.ts";
import type { AttemptTable, DeliveryQueueTable, DeliveryTable, EventTable, WebhookTable } from "./delivery-tables.ts";
import type {
  AdmissionTable,
  EnvelopeTable,
  FormReservationTable,
  KeyLogEntryTable,
  ListEntryTable,
  ListNameTable,
} from "./envelope-tables.ts";
import type { FormCountTable, FormKeyTable, FormRefusalTable, FormTable } from "./form-tables.ts";
import type { FormNoticeTable, MailTable } from "./mail-tables.ts";
import type {
  DeviceRequestTable,
  FormerKeyCopyTable,
  FormerKeyTable,
  KeyCopyTable,
  PersonalKeyTable,
  SignedHeadTable,
} from "./personal-key-tables.ts";
import type { CountedBytesTable, QuotaNoticeTable } from "./quota-tables.ts";
import type {
  CredentialTable,
  IdentityTable,
  PasskeyTable,
  SecondFactorTable,
  SessionTable,
  VerificationTable,
} from "./sign-in-tables.ts";
import type {
  BinnedSubmissionTable,
  FormBinTable,
  SubmissionTable,
  SubmissionTombstoneTable,
} from "./submission-tables.ts";

/**
 * The tables as Kysely sees them. All else that is decided about each is in `table-records.ts`. Times are integer milliseconds since the Unix epoch, but for the tables of the sign-in
 * library (person, credential, session, verification, jwks), whose times are its own.
 */
export interface Tables {
  instance: { key: string; value: string };
  person: PersonTable;
  former_person_id: FormerPersonIdTable;
  organization: OrganizationTable;
  address_move: AddressMoveTable;
  undone_move: UndoneMoveTable;
  session: SessionTable;
  credential: CredentialTable;
  verification: VerificationTable;
  second_factor: SecondFactorTable;
  /** Written by the sign-in library: the keys that it signs session tokens with. */
  jwks: { id: string; public_key: string; private_key: string; created_at: string | Date };
  audit_entry: AuditEntryTable;
  audit_head: AuditHeadTable;
  account_count: { account_id: string; forms: number };
  form: FormTable;
  form_key: FormKeyTable;
  form_count: FormCountTable;
  list_entry: ListEntryTable;
  list_name: ListNameTable;
  admission: AdmissionTable;
  envelope: EnvelopeTable;
  key_log_entry: KeyLogEntryTable;
  form_reservation: FormReservationTable;
  counted_bytes: CountedBytesTable;
  quota_notice: QuotaNoticeTable;
  form_day: { form_id: string; day: string; received: number };
  form_refusal: FormRefusalTable;
  form_retention: { form_id: string; days: number };
  form_purge: { form_id: string; requested_at: number };
  submission: SubmissionTable;
  submission_purge: { form_id: string; received_before: number; requested_at: number };
  submission_tombstone: SubmissionTombstoneTable;
  submission_bin: BinnedSubmissionTable;
  form_bin: FormBinTable;
  member: MemberTable;
  member_change: MemberChangeTable;
  invitation: InvitationTable;
  instance_invitation: InstanceInvitationTable;
  identity: IdentityTable;
  passkey: PasskeyTable;
  personal_key: PersonalKeyTable;
  key_copy: KeyCopyTable;
  former_key: FormerKeyTable;
  device_request: DeviceRequestTable;
  former_key_copy: FormerKeyCopyTable;
  signed_head: SignedHeadTable;
  api_key: ApiKeyTable;
  embed_script: { file: string; body: Uint8Array; created_at: number };
  webhook: WebhookTable;
  event: EventTable;
  delivery: DeliveryTable;
  delivery_queue: DeliveryQueueTable;
  attempt: AttemptTable;
  mail: MailTable;
  mail_gathered: { mail_id: string; event: string; count: number };
  form_notice: FormNoticeTable;
  /** Ids of forms and accounts that opted out of emails. */
  email_opt_out: { id: string };
  /** When the owner last switched emails on again, of a form or an account. */
  mail_wanted: { id: string; since: number };
  storage_email_switch: { organization_id: string; refused_at: number | null; wanted_since: number | null };
  /** On PostgreSQL only. */
  rate_limit: { key: string; points: number; expire: number | null };
}
