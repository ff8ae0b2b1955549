/** A test that shows what a row says: its file under `packages/server/src`, and a part of its title. */
export interface ShownBy {
  readonly file: string;
  readonly title: string;
}

const inRun = {
  file: "startup/clock-in-run.test.ts",
  title: "a clock that jumps a year ahead while the purge is at work",
};
const setRight = { file: "startup/time-columns.test.ts", title: "times that a clock has written" };
const tokens = {
  file: "startup/tokens-from-ahead.test.ts",
  title: ", given while the clock is a year ahead for ten minutes",
};
const ofDay = { file: "startup/time-columns.test.ts", title: "every bound of a day" };
const wrongClocks = { file: "retention/wrong-clocks.test.ts", title: "and then right deletes nothing before its time" };
const order = {
  file: "submissions/row-order.test.ts",
  title: "a clock that was wrong by more than a day dates nothing",
};

interface Rows {
  /** The effect of a clock that is a year ahead for ten minutes, then and afterwards. */
  readonly does: string;
  readonly shownBy: ShownBy;
  readonly columns: readonly string[];
}

/** Stored times that are compared with now. */
export const compared: readonly Rows[] = [
  {
    does: "The purge asks the guard, and deletes nothing. What is dated a year ahead stays for as much longer.",
    shownBy: inRun,
    columns: [
      ...["instance_invitation.expires_at", "invitation.expires_at", "admission.ends_at", "envelope.removed_at"],
      ...["delivery.finished_at", "mail.finished_at", "submission_tombstone.deleted_at", "audit_entry.occurred_at"],
      ...["former_key_copy.removed_at"],
    ],
  },
  {
    does: "Retention asks the guard. What is received then is listed as the newest, and stays for as much longer.",
    shownBy: wrongClocks,
    columns: ["submission.received_at", "submission_bin.received_at", "submission_bin.binned_at"],
  },
  {
    does: "The next time is no further ahead than a day; beyond, new ones are dated by the clock.",
    shownBy: order,
    columns: ["form_count.newest_received_at", "form_count.newest_binned_at"],
  },
  {
    does: "It becomes the time of now, or the end that it would have now, once the clock is trusted.",
    shownBy: setRight,
    columns: [
      ...["address_move.moved_at", "address_move.created_at", "address_move.expires_at"],
      ...["undone_move.undone_at", "undone_move.begun_at", "member_change.changed_at"],
      ...["key_copy.removed_at", "former_key.replaced_at", "form_reservation.expires_at", "device_request.expires_at"],
      ...["organization.ends_at", "person.leaves_at"],
    ],
  },
  {
    does: "Links, codes that are waited for and sessions that were given then end once it is right.",
    shownBy: tokens,
    columns: [
      ...["verification.expires_at", "mail_wanted.since", "storage_email_switch.wanted_since"],
      ...["session.expires_at", "session.created_at", "session.last_used_at", "session.ends_at"],
    ],
  },
  {
    does: "What is dated later than now counts for no bound of a day.",
    shownBy: ofDay,
    columns: [
      ...["invitation.created_at", "instance_invitation.created_at", "mail.created_at", "form_key.created_at"],
      ...["key_copy.created_at", "former_key_copy.created_at", "list_entry.added_at"],
    ],
  },
  {
    does: "A sign-in from later proves nothing.",
    shownBy: { file: "access/fresh-session.test.ts", title: "a sign-in that a wrong clock put into the future" },
    columns: ["session.authenticated_at"],
  },
  {
    does: "A key that signs session tokens, dated later than now, goes with the secrets that are dropped; the next token makes another.",
    shownBy: {
      file: "operators/rotation-from-ahead.test.ts",
      title: "no key of session tokens that was made before outlives",
    },
    columns: ["jwks.created_at"],
  },
  {
    does: "A lock of codes that ends later than one that begins now has ended.",
    shownBy: { file: "accounts/second-factor.test.ts", title: "a lock from while the clock was ahead" },
    columns: ["second_factor.locked_until"],
  },
  {
    does: "What is due later than anything can be is due now.",
    shownBy: { file: "deliveries/put-off.test.ts", title: "a delivery that failed while the clock was" },
    columns: ["delivery_queue.due_at", "delivery.next_attempt_at"],
  },
  {
    does: "An email is not given up for its age.",
    shownBy: { file: "mail/emails.test.ts", title: "a clock that is not trusted has no email given up" },
    columns: ["mail.expires_at"],
  },
  {
    does: "An email that is due later than any can be is due now, and so is a look for notices.",
    shownBy: { file: "mail/mail-store.test.ts", title: "a clock that was days ahead holds up no mail" },
    columns: ["mail.due_at", "form_notice.next_at"],
  },
  {
    does: "A key is refused while the clock is ahead, and taken afterwards; the guard keeps the reminder of its end until then.",
    shownBy: { file: "startup/time-columns.test.ts", title: "reminders wait" },
    columns: ["api_key.expires_at", "form_key.closes_at"],
  },
  {
    does: "It is written again at the next use.",
    shownBy: { file: "startup/time-columns.test.ts", title: "the last use of an API key" },
    columns: ["api_key.last_used_at"],
  },
  {
    does: "The rule holds for the ten minutes. Nothing is written.",
    shownBy: { file: "organizations/second-factor-rule.test.ts", title: "from its date on an organization refuses" },
    columns: ["organization.second_factor_from"],
  },
  {
    does: "Refused visitors are shown for a day from the next start on.",
    shownBy: {
      file: "forms/refused-visitors.test.ts",
      title: "what was refused while the clock was ahead is shown for a day",
    },
    columns: ["form_refusal.last_at", "form_refusal.announce_from"],
  },
  {
    does: "A form's emptied bin, or what was deleted, is hidden up to the newest time that was given out.",
    shownBy: order,
    columns: ["form_bin.visible_from", "form_count.visible_from", "submission_purge.received_before"],
  },
  {
    does: "With a move that is taken back, a second factor of later goes as one of the suspected time does.",
    shownBy: { file: "accounts/undone-moves.test.ts", title: "undoing a move takes back" },
    columns: ["second_factor.enabled_at"],
  },
  {
    does: "A window that ends later than one that begins now is removed. On PostgreSQL only.",
    shownBy: {
      file: "rate-limits/shared-rates.test.ts",
      title: "shared counts show what is left, restart after a minute and are removed when they have ended",
    },
    columns: ["rate_limit.expire"],
  },
];

/** Times that are shown, sorted by, or asked whether they are there, and compared with no clock. */
export const uncompared: readonly string[] = [
  ...[
    "admission.created_at",
    "admission.answered_at",
    "admission.ended_at",
    "api_key.created_at",
    "attempt.started_at",
  ],
  ...[
    "api_key.expiry_notified_at",
    "audit_head.removed_occurred_at",
    "audit_head.shortened_before",
    "audit_head.shortened_to",
  ],
  ...["credential.access_token_expires_at", "credential.refresh_token_expires_at", "credential.created_at"],
  ...["credential.updated_at", "delivery.created_at", "embed_script.created_at"],
  ...["envelope.created_at", "event.occurred_at", "form.created_at", "form.updated_at", "form_key.proved_at"],
  ...["form_refusal.since", "form_notice.failing_since", "form_purge.requested_at", "former_key.created_at"],
  ...["former_person_id.left_at", "identity.linked_at", "identity.used_at", "instance_invitation.ended_at"],
  ...["invitation.ended_at", "jwks.expires_at", "key_log_entry.added_at", "mail.failed_at"],
  ...["member.since", "member_change.since", "organization.created_at", "organization.recovery_required_at"],
  ...["passkey.added_at", "passkey.used_at", "person.created_at", "person.updated_at", "person.disabled_at"],
  ...["person.operator_since", "person.joined_at", "personal_key.created_at", "session.updated_at"],
  ...["signed_head.stored_at", "submission.timestamp", "submission_bin.timestamp", "submission_purge.requested_at"],
  ...[
    "storage_email_switch.refused_at",
    "submission_tombstone.received_at",
    "verification.created_at",
    "verification.updated_at",
    "webhook.failing_since",
    "webhook.secret_known_since",
  ],
];

const rotation = {
  file: "operators/rotation-from-ahead.test.ts",
  title: "ends within two minutes once it is right",
};

interface Texts {
  readonly does: string;
  readonly shownBy: ShownBy;
  /** As `findTimesInTexts` names them. */
  readonly texts: readonly string[];
}

/** Times inside texts that are compared with now. */
export const comparedTexts: readonly Texts[] = [
  {
    does: "They become those of now before the next step of a rotation.",
    shownBy: rotation,
    texts: ["instance.secret_key.since", "instance.serving_process.seenAt"],
  },
  {
    does: "It becomes that of now when it is asked for.",
    shownBy: { file: "operators/rotation-from-ahead.test.ts", title: "the time since which an instance sends emails" },
    texts: ["instance.emails_since"],
  },
  {
    does: "The guard knows that the clock was ahead, and until when.",
    shownBy: { file: "retention/clock-guard.test.ts", title: "until when a clock was ahead is known" },
    texts: ["instance.purge_clock"],
  },
  {
    does: "The doctor says that the clock was wrong.",
    shownBy: { file: "startup/times-in-texts.test.ts", title: "a backup that was made while the clock was ahead" },
    texts: ["instance.backup_made_at"],
  },
  {
    does: "A wait after a restore that would last for longer than one that begins now begins again.",
    shownBy: { file: "backup/held-back.test.ts", title: "a wait that begins while the clock is a year ahead" },
    texts: ["instance.held_back.until"],
  },
  {
    does: "The secret before a rotation is sent along for as long: receivers may know no other.",
    shownBy: { file: "webhooks/earlier-secrets.test.ts", title: "until the time that was promised" },
    texts: ["webhook.earlier_secrets[].expiresAt"],
  },
  {
    does: "The guard keeps the reminder until the clock is trusted. Nothing else goes by it.",
    shownBy: { file: "startup/time-columns.test.ts", title: "reminders wait" },
    texts: ["form_count.hold.until"],
  },
];

/** Times inside texts that are shown, and compared with no clock. */
export const uncomparedTexts: readonly string[] = [
  ...["audit_entry.details.backupAt", "audit_entry.details.changes[].from", "audit_entry.details.changes[].to"],
  ...["audit_entry.details.since", "form_count.hold.since", "form_day.day", "mail.details.occurredAt"],
  ...["instance.held_back.since", "mail.details.since"],
];

/** Large numbers that are no times. */
export const numbers: readonly string[] = [
  ...["audit_entry.sequence", "audit_entry.change_number", "audit_head.sequence", "audit_head.removed_sequence"],
  ...["counted_bytes.bytes", "form_bin.stored", "form_count.bytes", "form_retention.days", "passkey.counter"],
  ...[
    "submission_tombstone.sequence",
    "attempt.id",
    "counted_bytes.id",
    "submission.sequence",
    "submission_bin.sequence",
  ],
];
