import type { AuditAction } from "./audit-entry.ts";

/**
 * What bounds the entries of an action that one person leaves in one log, by however many sessions and API keys:
 *
 * - `changes`: 5,000 a day, by sessions and by API keys each; everybody but owners together 20,000.
 * - `rescuing`, `deleting`: as many again, each counted apart from all else: an owner's means against an intruder, and deleting, which
 *   must not wait because something else was changed.
 * - `reading`: once an hour for each reader and form, or each who deletes submissions one by one; `repeated`: once an hour for each session. Both together 2,000 a day; beyond it
 *   once an hour for the person, without the form.
 * - `by`: something else, which is said.
 */
export type ActionBound = "changes" | "rescuing" | "deleting" | "reading" | "repeated" | { readonly by: string };

const operator = { by: "an operator of the instance alone does it" } as const;
const signingIn = { by: "the rate of sign-ins" } as const;
const entering = { by: "the rate of passwords and codes" } as const;
const hourly = { by: "once an hour for the account and for each of its sessions, however many try" } as const;
const mailed = { by: "the emails that an account sends and answers in a day" } as const;
const invited = { by: "the invitations of a day" } as const;
const ending = { by: "each ends something that was begun by an action that is bounded" } as const;

/** Every action has a bound: one that is missing does not compile. */
export const actionBounds = {
  "account.created": { by: "once for each account" },
  "account.verified": { by: "once for each account" },
  "account.disabled": operator,
  "account.enabled": operator,
  "account.sessions_ended": operator,
  "account.restored": operator,
  "account.plan_changed": operator,
  "account.keys_revoked": operator,
  "account.invited": operator,
  "account.invitation_ended": operator,
  "account.invitation_accepted": { by: "once for each account" },
  "operator.named": operator,
  "operator.ended": operator,
  "mail.tried_again": operator,
  "account.renamed": { by: "20 names a day" },
  "account.address_move_requested": mailed,
  "account.address_move_refused": mailed,
  "account.address_moved": mailed,
  "account.address_move_undone": mailed,
  "account.exported": "repeated",
  "account.deletion_requested": signingIn,
  "account.kept": signingIn,
  "organization.deletion_requested": "changes",
  "organization.kept": ending,
  "session.started": signingIn,
  "session.ended": signingIn,
  "session.confirmed": "repeated",
  "session.revoked": signingIn,
  "session.others_revoked": signingIn,
  "sign_in.failed": hourly,
  "sign_in.failures_counted": hourly,
  "sign_in.limited": hourly,
  "password.changed": entering,
  "password.limited": "repeated",
  "password.reset": operator,
  "password.reset_by_mail": mailed,
  "second_factor.begun": entering,
  "second_factor.enabled": entering,
  "second_factor.disabled": entering,
  "second_factor.reset": operator,
  "second_factor.locked": "repeated",
  "second_factor.backup_code_used": entering,
  "second_factor.backup_codes_replaced": entering,
  "identity.linked": signingIn,
  "identity.unlinked": signingIn,
  // Each can be removed once.
  "passkey.added": "changes",
  "passkey.removed": ending,
  "personal_key.made": { by: "five keys a day" },
  "personal_key.replaced": { by: "five keys a day" },
  "personal_key.restored": "rescuing",
  "personal_key.given": { by: "the rate of requests of devices" },
  "key_copy.added": { by: "20 copies a day" },
  // Each can be restored once: that is a way out, and never refused.
  "key_copy.removed": "changes",
  "key_copy.restored": ending,
  "key_copy.read": "repeated",
  "passkey.refused": "repeated",
  "api_key.created": "changes",
  "api_key.revoked": ending,
  "organization.created": { by: "once for each organization, in its own log" },
  "organization.renamed": "changes",
  "organization.usage_taken_over": "changes",
  "organization.second_factor_rule_changed": "changes",
  "organization.recovery_rule_changed": "changes",
  "member.invited": invited,
  "member.invitation_ended": invited,
  "member.joined": invited,
  "member.changed": { by: "the changes of members within a day; what takes rights is never refused" },
  "member.removed": invited,
  "member.left": invited,
  "member.address_move_undone": mailed,
  "member_list.changed": "changes",
  "member_list.recovered": "changes",
  "member_list.given_back": "changes",
  "admission.made": "changes",
  "admission.answered": "changes",
  "admission.answer_refused": "changes",
  "admission.ended": "changes",
  "envelope.written": "changes",
  "envelopes.removed": "changes",
  "envelopes.restored": "changes",
  // Each can be removed once.
  "key_log.entry_added": "rescuing",
  "key_log.removed": ending,
  "form.handed_over": "changes",
  "form.taken_over": "changes",
  "form.created": "changes",
  "form.updated": "changes",
  "form.deleted": "rescuing",
  "form.hold_set": "changes",
  "form.hold_lifted": ending,
  "form.keys_rotated": "rescuing",
  "form.keys_closed": "rescuing",
  "webhook_secret.shown": "reading",
  "webhook_secret.rotated": "rescuing",
  "mails.turned_on": "changes",
  "mails.turned_off": "changes",
  "submissions.read": "reading",
  "submissions.read_counted": "reading",
  "submissions.exported": "reading",
  "submissions.binned": "deleting",
  "submissions.restored": "changes",
  "submissions.bin_emptied": "deleting",
  "submissions.deleted": "deleting",
  "submissions.deleted_singly": "reading",
  "submissions.deletions_counted": "reading",
  "audit_log.exported": "reading",
  // The way out of a full log.
  "audit_log.shortened": "rescuing",
} as const satisfies Readonly<Record<AuditAction, ActionBound>>;

const actionNames = Object.keys(actionBounds) as readonly AuditAction[]; // they are its keys

export function actionsOf(...bounds: readonly ActionBound[]): readonly AuditAction[] {
  return actionNames.filter((action) => bounds.includes(actionBounds[action]));
}

/** Actions that are counted apart from all other changes, and each list apart from the other ones. */
const lists = [actionsOf("changes"), actionsOf("rescuing"), actionsOf("deleting")] as const;

/**
 * Actions that a session or an API key can repeat at will. None of the others ends a take-over, so nobody can use up
 * an owner's way out; and what the API keys of a person do counts apart from what the person does.
 */
export const boundedActions: ReadonlySet<AuditAction> = new Set(lists.flat());

/** All actions that share the action's bound; `undefined`: nothing refuses it. */
export function countedWith(action: AuditAction): readonly AuditAction[] | undefined {
  return lists.find((actions) => actions.includes(action));
}

/** Actions of somebody who only reads, or is refused. Nothing refuses these, so beyond a number a day their entries say less. */
export const repeatedActions: readonly AuditAction[] = actionsOf("reading", "repeated");
