import type { AccountId, ApiKeyId, FormId } from "@sealpost/wire";
import type { Principal } from "../access/principal.ts";

/** Everything that the audit log tells, with what it means for the document. */
export const auditActions = {
  "account.created": "The account was made.",
  "account.verified": "The account's email address was verified, or the operator vouched for it.",
  "account.disabled": "The operator disabled the account; that ended all sessions.",
  "account.enabled": "The operator enabled the account again.",
  "account.sessions_ended": "The operator ended all sessions.",
  "account.restored":
    "The operator restored the instance from a backup: everything is as it was at `details.backupAt`, the password too. `details.counts` says how many sessions ended, and how many API keys are valid again (`keysRestored`) or were revoked (`keysRevoked`).",
  "account.plan_changed": "The operator put the account on another plan.",
  "account.keys_revoked": "The operator revoked all API keys that the person had made.",
  "account.invited": "An operator invited somebody to the instance, to make an account.",
  "account.invitation_ended":
    "An invitation to the instance was taken back, replaced by another one for the same address, or ended with the rights of who made it.",
  "account.invitation_accepted": "Somebody made an account by an invitation to the instance.",
  "operator.named": "The person became an operator of the instance.",
  "operator.ended": "The person is no operator of the instance any more.",
  "mail.tried_again": "An operator had an email tried again that could not be sent.",
  "account.renamed":
    "The person changed their name; `details.changes` says from what to what. It is in the log of each organization that they belong to.",
  "account.address_move_requested": "A move to another email address was asked for; both addresses have to confirm it.",
  "account.address_move_refused": "The address before refused the move to another one.",
  "account.address_moved": "The account has another email address; for seven days the one before can undo that.",
  "account.address_move_undone":
    "The address before undid the move to another one: it is the account's again, all sessions ended, API keys were revoked, a second factor that was turned on since a day before the move is taken back, as are changes of members where no owner is left who can decide, and a new password has to be set by a mailed link.",
  "account.exported":
    "The person exported what the instance knows about them; recorded at most once an hour for each session.",
  "account.deletion_requested": "The account is to be deleted after 30 days; that ended all sessions.",
  "account.kept": "The account is kept after all.",
  "organization.deletion_requested": "The organization is to be deleted after 30 days.",
  "organization.kept": "The organization is kept after all.",
  "session.started": "Somebody signed in.",
  "session.ended": "Somebody signed out.",
  "session.confirmed":
    "Who was signed in entered the password again, or used a passkey; recorded at most once an hour for each session.",
  "session.revoked": "A session was ended from another one.",
  "session.others_revoked": "All sessions but one were ended.",
  "sign_in.failed":
    "A sign-in failed by a wrong password or a wrong code, or a wrong code was entered within the session that is named; recorded at most once an hour, the rest is counted.",
  "sign_in.failures_counted": "How many passwords and codes were wrong since the entry before, within an hour at most.",
  "sign_in.limited": "Too many sign-ins were tried; recorded at most once an hour.",
  "password.changed": "The password was changed, by who knew the one before; that ended all other sessions.",
  "password.limited": "Too many passwords were tried within a session; recorded at most once an hour for each session.",
  "password.reset": "The operator set another password.",
  "password.reset_by_mail": "A new password was set by a mailed link.",
  "second_factor.begun":
    "A secret and backup codes were made; the second factor is on when its first code was entered.",
  "second_factor.enabled": "Signing in needs a code from now on.",
  "second_factor.disabled": "Signing in needs no code any more.",
  "second_factor.reset":
    "The operator took the second factor away, passkeys too; or the address before did, which undid a move.",
  "second_factor.locked": "Too many wrong codes: none is taken for 15 minutes.",
  "second_factor.backup_code_used": "A backup code was used up.",
  "second_factor.backup_codes_replaced": "New backup codes were made; the ones before are worth nothing.",
  "identity.linked":
    "A person of the identity provider can sign in to the account: the account was made by their first sign-in, or its owner linked them.",
  "identity.unlinked":
    "A person of the identity provider, or `count` of them, can't sign in to the account any more; that ended the sessions that they had opened.",
  "passkey.added": "A passkey was added: it opens the account without the password and the code.",
  "passkey.removed":
    "A passkey, or `count` of them, can't sign in to the account any more; that ended the sessions that they had opened.",
  "personal_key.made":
    "A person made their personal key; `details.changes` says which ways to unlock it were stored with it.",
  "personal_key.replaced":
    "A person put another personal key in the place of theirs; `details.changes` says which ways to unlock it were stored with it. It can be undone for 30 days.",
  "personal_key.restored": "A personal key that had been replaced was brought back, with its ways to unlock it.",
  "personal_key.given": "The personal key was sealed for another device that is signed in as its person.",
  "key_copy.added": "A way to unlock the personal key was added; `details.changes` says which.",
  "key_copy.removed": "A way to unlock the personal key was removed; it can be restored for 30 days.",
  "key_copy.restored": "A way to unlock the personal key that was removed was restored.",
  "key_copy.read":
    "A sealed copy of the personal key was fetched, to be unlocked; recorded at most once an hour for each session.",
  "passkey.refused":
    "A passkey was refused, since its counter went back: somebody may have a copy of it; recorded at most once an hour.",
  "api_key.created": "An API key was made.",
  "api_key.revoked": "An API key was revoked.",
  "organization.created": "The organization was made, by a person who belongs to another one or has none.",
  "organization.renamed":
    "The organization got another name, also that of its one person with their own; `details.changes` says from what to what.",
  "organization.usage_taken_over":
    "An owner took over the usage of the organization, which somebody had left behind: what it stores counts for them from then on.",
  "organization.second_factor_rule_changed":
    "An owner changed from when the organization requires a second factor of its members; `details.changes` says from what to what.",
  "organization.recovery_rule_changed":
    "An owner changed whether the organization wants a recovery key in its signed list of members.",
  "member.invited": "Somebody was invited; `details.changes` says to which role.",
  "member.invitation_ended": "An invitation was taken back, or replaced by another one for the same address.",
  "member.joined":
    "A person accepted an invitation, the operator added them, or an undone move of an address brought them back; `details.changes` says to which role.",
  "member.changed": "A member's role or named forms were changed; `details.changes` says from what to what.",
  "member.removed": "A member was removed; that revoked the API keys they had made.",
  "member.left": "A member left; that revoked the API keys they had made.",
  "member.address_move_undone":
    "The address before took back the account of a member, or of a former one, after `count` members had been changed from it, or with rights that it gave. Nobody's membership was changed by that: the owners who can decide got an email.",
  "member_list.changed":
    "An entry was added to the organization's signed list of members; `details.changes` says which, and what it does.",
  "member_list.recovered":
    "The organization's recovery key was used: with it, the member became an owner of the signed list, or an owner with other keys; `details.changes` says in which entry.",
  "member_list.given_back":
    "Entries of the organization's signed list of members that the service had lost, after a restored backup say, were given back; `details.changes` says which. Their signers are in the list.",
  "admission.made":
    "An owner or manager offered to bring a person into the signed list; `details.changes` says with which role.",
  "admission.answered": "The person answered with the public halves of their personal key.",
  "admission.answer_refused": "An answer did not fit: it was not made with the link. Nobody was brought in.",
  "admission.ended": "The offer was taken back, or replaced by another one for the same person.",
  "envelope.written":
    "A form's private keys were stored in another revision of an envelope; `details.changes` says which.",
  "envelopes.removed": "A form's envelopes were taken out of use; they can be restored for 30 days.",
  "envelopes.restored": "A form's envelopes were restored.",
  "key_log.entry_added": "An entry was added to a form's key log; `details.changes` says its number.",
  "key_log.removed": "A form's key log was given up: pages that pin it send nothing any more.",
  "form.handed_over":
    "A form went to another organization of the same owner; `details.changes` says to which host its webhook continues (`webhookHost`), and whether with the secret that is known here (`webhookSecret`).",
  "form.taken_over":
    "A form came from another organization of the same owner; `details.changes` says to which host its webhook continues (`webhookHost`), and whether with the secret that is known there (`webhookSecret`).",
  "form.created":
    "A form was made; `details.changes` says which settings differ from the default, its webhook address among them.",
  "form.updated": "A form's name or settings were changed; `details.changes` says from what to what.",
  "form.deleted": "A form was deleted, with all its submissions.",
  "form.hold_set":
    "A legal hold was set on a form: nothing of it is deleted from then on. Or its reason or date was changed; `details.changes` says from what to what.",
  "form.hold_lifted": "A form's legal hold was lifted.",
  "form.keys_rotated": "A form got a new key pair.",
  "form.keys_closed":
    "It was set from when on a form takes nothing more for older versions of its key; `details.changes` says below which version and from when.",
  "webhook_secret.shown": "A webhook secret was read; recorded at most once an hour for each reader.",
  "webhook_secret.rotated": "A form got a new webhook secret.",
  "mails.turned_on": "Emails about the form, or about all forms, were turned on.",
  "mails.turned_off": "Emails about the form, or about all forms, were turned off.",
  "submissions.read":
    "Somebody began to list, open or export the form's submissions; recorded at most once an hour for each reader. Beyond 2,000 entries a day about what a person reads they name no form.",
  "submissions.read_counted": "What that reader has read since then, within an hour at most.",
  "submissions.exported": "An export of submissions began; recorded at most once an hour for each reader.",
  "submissions.binned": "Submissions were moved to the bin.",
  "submissions.restored": "Submissions were restored from the bin.",
  "submissions.bin_emptied": "All that was in the bin was deleted for good.",
  "submissions.deleted": "Submissions were deleted for good together.",
  "submissions.deleted_singly":
    "Somebody began to delete the form's submissions for good one by one; recorded at most once an hour for each person or API key.",
  "submissions.deletions_counted": "How many they have deleted so since then, within an hour at most.",
  "audit_log.exported": "The audit log was exported; recorded at most once an hour for each reader.",
  "audit_log.shortened":
    "An owner removed the log's oldest entries, after an export; `details.changes` says from which head to which the log begins, `details.counts` how many entries that are.",
} as const;
export type AuditAction = keyof typeof auditActions;

/** The first words of actions on a person's own account. All others are on an organization, which may have the same id and log. */
const personalSubjects = [
  ...["account", "operator", "session", "sign_in", "password", "second_factor", "identity", "passkey"],
  ...["personal_key", "key_copy"],
];
const actionNames = Object.keys(auditActions) as readonly AuditAction[]; // they are its keys
export const personalActions: readonly AuditAction[] = actionNames.filter(
  // The plan is the organization's.
  (action) => personalSubjects.includes(action.split(".")[0] ?? "") && action !== "account.plan_changed",
);

/**
 * The actor: a person's session or an API key of the account, the operator (at the command line, or the person whose id is
 * there on the instance page), or somebody who was not let in.
 */
export type AuditActor =
  | { readonly type: "session"; readonly id: string; readonly personId: AccountId }
  | { readonly type: "api_key"; readonly id: ApiKeyId; readonly madeBy?: AccountId }
  | { readonly type: "operator"; readonly personId?: AccountId }
  | { readonly type: "nobody" };

/** The target of the action, with its name at that time. */
export type AuditTarget =
  | { readonly type: "form"; readonly id: FormId; readonly name: string }
  | { readonly type: "api_key"; readonly id: ApiKeyId; readonly name: string }
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "member"; readonly id: AccountId; readonly name: string }
  | { readonly type: "invitation"; readonly id: string };

/** An action of an account. Holds nothing that was submitted, and no address. */
export interface NewAuditEntry {
  readonly accountId: AccountId;
  readonly action: AuditAction;
  readonly actor: AuditActor;
  readonly occurredAt: number;
  readonly target?: AuditTarget | undefined;
  /** How many things it was done to. */
  readonly count?: number | undefined;
  readonly details?: AuditDetails | undefined;
}

/** More about an action. Never content: settings of forms and keys, and numbers. */
export interface AuditDetails {
  readonly changes?: readonly AuditChange[];
  /** In an entry that counts: when that began, in milliseconds. */
  readonly since?: number;
  /** In an entry about a restore: when the backup was made, in milliseconds. */
  readonly backupAt?: number;
  readonly counts?: AuditCounts;
}

export type AuditValue = string | number | boolean | null | readonly string[];

/** One changed setting. */
export interface AuditChange {
  readonly setting: string;
  readonly from: AuditValue;
  readonly to: AuditValue;
}

/** A time (milliseconds since the Unix epoch) as the value of a changed setting: ISO 8601; null for none. */
export function writeAuditTime(time: number | null | undefined): string | null {
  return time == null ? null : new Date(time).toISOString();
}

/** How often what happened. */
export const auditCounts = [
  "lists",
  "opened",
  "exports",
  "submissions",
  "passwords",
  "codes",
  "sessions",
  "keysRestored",
  "keysRevoked",
  "entries",
] as const;
export type AuditCounts = { readonly [Name in (typeof auditCounts)[number]]?: number };

export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
}

/** The account and the actor of an entry, from the credential of a request. */
export function byPrincipal(principal: Principal): Pick<NewAuditEntry, "accountId" | "actor"> {
  const { accountId } = principal;
  return principal.kind === "session"
    ? { accountId, actor: { type: "session", id: principal.sessionId, personId: principal.personId } }
    : { accountId, actor: { type: "api_key", id: principal.keyId, madeBy: principal.madeBy } };
}
