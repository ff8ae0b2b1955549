import type { SecurityText } from "../../mail-values.ts";
import { paragraphs } from "../../paragraphs.ts";
import { takeBack } from "./security.ts";

/** Nothing where no form sends to an address that a member chose who could not choose it now. */
function sayWebhooksLeft(forms: number): readonly string[] {
  if (forms === 0) return [];
  const still = forms === 1 ? "One form still sends" : `${forms} forms still send`;
  return [
    `${still} to a webhook address that they chose, and could not choose now. The audit log says which. If it is theirs, change it.`,
  ];
}

/** Emails about an organization, its API keys, members and forms, by event. */
export const organizationSecurity = {
  api_key_created: {
    subject: "A new API key",
    sentence: ({ at }) => `An API key was made for your account on ${at}.`,
    line: "API keys made",
    remedy: `${takeBack} Revoke the key first if you do not know it.`,
  },
  api_key_ends: {
    subject: "An API key ends soon",
    sentence: () => "An API key of your account ends within a week. Programs that use it are refused from then on.",
    line: "API keys that end soon",
    remedy: "If it is still needed, make a new key, give it to the program, and revoke the one that ends.",
  },
  plan_changed: {
    subject: "Your organization is on another plan",
    sentence: ({ at }) => `The server's operator put your organization on another plan on ${at}.`,
    line: "changes of the plan",
    remedy: "What is stored stays. A plan bounds how many API keys can be made, and how much can be stored.",
  },
  organization_ending: {
    subject: "Your organization will be deleted",
    sentence: ({ at }) =>
      `On ${at} an owner decided to delete your organization after 30 days, with its forms, submissions, API keys and audit log.`,
    line: "times it was decided to delete the organization",
    remedy: "Any owner can keep it until then. If no owner did this, keep it, and change your password.",
  },
  organization_kept: {
    subject: "Your organization is kept",
    sentence: ({ at }) => `On ${at} an owner decided to keep your organization after all. It is not deleted.`,
    line: "times it was decided to keep the organization",
    remedy: "If no owner did this, change your password.",
  },
  webhook_url_changed: {
    subject: "A form's webhook address was changed",
    sentence: ({ at }) => `One of your forms sends its events to another address since ${at}.`,
    line: "webhook addresses changed or taken away",
    remedy: `${takeBack} Then set the address right.`,
  },
  sealing_changed: {
    subject: "A form's encryption was changed",
    sentence: ({ at }) => `Encryption was switched on or off for one of your forms on ${at}.`,
    line: "forms whose encryption was changed",
    remedy: `${takeBack} Then set the form's encryption right.`,
  },
  stripping_changed: {
    subject: "Stripping of personal data was changed for a form",
    sentence: ({ at }) =>
      `On ${at} it was changed whether, or which, personal data is stripped from what visitors send to one of your forms. What is stripped is gone before anything is stored.`,
    line: "forms whose stripping of personal data was changed",
    remedy: `${takeBack} Then set the form's stripping right.`,
  },
  keeping_shortened: {
    subject: "A form keeps submissions for fewer days",
    sentence: ({ at }) =>
      `On ${at} one of your forms was set to keep its submissions, or those in its bin, for fewer days. What is older than that is deleted for good.`,
    line: "forms that keep submissions for fewer days",
    remedy: `${takeBack} Then set the form's days right.`,
  },
  form_deleted: {
    subject: "A form was deleted",
    sentence: ({ at }) => `A form of yours was deleted with all its submissions on ${at}.`,
    line: "forms deleted",
    remedy: takeBack,
  },
  second_factor_rule_changed: {
    subject: "Your organization's second-factor requirement was changed",
    sentence: ({ at }) =>
      `On ${at} an owner changed whether, or from when, your organization requires its members to have a second factor.`,
    line: "changes of the second-factor requirement",
    remedy: `${takeBack} Then restore the requirement.`,
  },
  recovery_rule_changed: {
    subject: "Whether your organization wants a recovery key was changed",
    sentence: ({ at }) =>
      `On ${at} an owner changed whether forms of your organization may get keys while it has no recovery key.`,
    line: "changes of the requirement of a recovery key",
    remedy: `${takeBack} Then restore the requirement.`,
  },
  member_invited: {
    subject: "Somebody was invited to your organization",
    sentence: ({ at }) => `A person was invited to your organization as an owner, a manager or an auditor on ${at}.`,
    line: "invitations of owners, managers or auditors",
    remedy:
      "If no owner did this, change your password: that also ends the invitations that you made. Then remove anyone who has accepted one.",
  },
  member_joined: {
    subject: "Your organization has a new member",
    sentence: ({ at }) => `A person accepted an invitation to your organization on ${at}.`,
    line: "new members",
    remedy: "If you do not know them, remove them, and change your password.",
  },
  member_changed: {
    subject: "The rights of a member were changed",
    sentence: ({ at, webhookForms }) =>
      [
        `A member of your organization got another role or other forms on ${at}.`,
        ...sayWebhooksLeft(webhookForms),
      ].join(" "),
    line: "changed rights of members",
    remedy: "If no owner did this, change your password and restore the role.",
  },
  member_removed: {
    subject: "A member left or was removed from your organization",
    sentence: ({ at, webhookForms }) =>
      [
        `A member of your organization left or was removed on ${at}. The API keys that they had made were revoked.`,
        ...sayWebhooksLeft(webhookForms),
      ].join(" "),
    line: "members who left or were removed",
    remedy: "If no owner did this, change your password. Programs that used one of their keys need a new one.",
  },
  member_list_begun: {
    subject: "Your organization's signed list of members was begun",
    sentence: ({ at }) =>
      `An owner made the first entry of your organization's signed list of members, with a key of their own, on ${at}. From now on the list says who is given the keys of forms, and its owners bring the others in.`,
    line: "signed lists of members begun",
    remedy:
      "The audit log says who it was. If no owner knows of this, somebody else has that owner's session: its owner changes their password, and replaces their key. Until that is clear give nobody access to a form by the list, and make no form with an envelope.",
  },
  member_list_changed: {
    subject: "The signed list of members was changed",
    sentence: ({ at }) =>
      `An entry was added to your organization's signed list of members on ${at}. Whom it names, and with which key, decides who is given the keys of forms.`,
    line: "entries added to the signed list of members",
    remedy: "If you do not know of this, ask the owners and managers before you give anybody access to a form.",
  },
  recovery_key_made: {
    subject: "Your organization has a new recovery key",
    sentence: ({ at }) =>
      `A recovery key was added to your organization's signed list of members on ${at}. Anyone with its sheets can read everything that is sealed for the organization from now on, and become an owner of the list.`,
    line: "recovery keys added to the signed list of members",
    remedy:
      "The audit log says who made it. If the owners do not know of this, an owner makes another one in its place, and rotates the keys of the forms; and the owner who is said to have made it changes their password, and replaces their key.",
  },
  recovery_key_used: {
    subject: "Your organization's recovery key was used",
    sentence: ({ at }) =>
      `On ${at} somebody with the recovery sheets of your organization became an owner of its signed list of members, or an owner with another key. They can read everything that is sealed for the organization.`,
    line: "uses of the recovery key",
    remedy:
      "The audit log says who it was. If the owners do not know of this, remove that member, make a new recovery key, and rotate the keys of your forms.",
  },
  admission_answered: {
    subject: "Somebody waits to be brought in",
    sentence: ({ at }) =>
      `A member of your organization answered a link with their public key on ${at}. An owner or a manager who is in the signed list has to bring them in.`,
    line: "members who wait to be brought in",
    remedy: "If nobody has sent such a link, bring nobody in, and ask the owners and managers.",
  },
  envelopes_removed: {
    subject: "The keys of a form are no longer in an envelope",
    sentence: ({ at }) =>
      `On ${at} the envelope with a form's private keys was taken out of use. Its readers can open new submissions only with a key file.`,
    line: "forms whose envelopes were removed",
    remedy: "An owner can restore it within 30 days. If no owner did this, do that, and change your password.",
  },
  form_handed_over: {
    subject: "A form went to another organization",
    sentence: ({ at }) => `A form was handed over between two organizations on ${at}; you own one of them.`,
    line: "forms handed over",
    remedy: "If no owner did this, change your password, and hand the form back.",
  },
  form_hold_set: {
    subject: "A form is under legal hold",
    sentence: ({ at }) =>
      `A legal hold on one of your forms was set or changed on ${at}: nobody can delete anything of the form until an owner lifts it.`,
    line: "legal holds set or changed",
    remedy: "If no owner did this, change your password, and lift the hold.",
  },
  form_hold_lifted: {
    subject: "A form's legal hold was lifted",
    sentence: ({ at }) =>
      `The legal hold on one of your forms was lifted on ${at}. Submissions that are too old, or that were in the bin for too long, are deleted from now on.`,
    line: "legal holds lifted",
    remedy: "If no owner did this, set the hold again at once, and then change your password.",
  },
  form_hold_over: {
    subject: "The date of a legal hold has come",
    sentence: ({ at }) =>
      `The legal hold on one of your forms was to last until ${at}. It continues until an owner lifts it.`,
    line: "legal holds whose date has come",
    remedy: "Lift the hold if it is no longer needed, or set a later date.",
  },
  deletions_held_back: {
    subject: "The server was restored from a backup",
    sentence: ({ at, days }) =>
      `The server's operator restored it from a backup, and it is in use again since ${at}. What was changed after the backup is undone: submissions that came in since are missing, legal holds that were set since are gone, and forms keep submissions for as long as they did then. If it had been decided to delete your organization, that is called off. Nothing is deleted for its age for ${days === 1 ? "one day" : `${days} days`}.`,
    line: "restores of the server from a backup",
    remedy:
      "Until then, set legal holds again, and look at how long each form keeps submissions and those in its bin. The audit log says from when the backup is.",
  },
  keys_rotated: {
    subject: "A form has a new key pair",
    sentence: ({ keyVersion }) =>
      `One of your forms has a new key pair, version ${keyVersion}. New submissions are sealed to it.`,
    line: "forms with a new key pair",
    remedy: `${takeBack} Then rotate the form's keys again with a pair of your own.`,
  },
  visitors_refused: {
    subject: "Visitors of a form are refused",
    sentence: ({ at, snippet }) =>
      paragraphs(
        `Visitors of a page with one of your forms are refused since ${at}: the page names a key that the form has no longer. What they type is not sent. Replace the snippet on the page with this one, which names the new key:`,
        snippet,
        "This server says that it is your key. Compare its fingerprint with the one in your key file first.",
      ),
    line: "forms whose pages name a former key, so that visitors are refused",
    remedy: "There is one such email for each rotation. The form's pages here say until when it was seen.",
  },
  audit_log_shortened: {
    subject: "Your audit log was shortened",
    sentence: ({ at }) =>
      `On ${at} an owner removed the oldest entries from your organization's audit log, after exporting them. Entries of the last 30 days stay.`,
    line: "times the audit log was shortened",
    remedy: `${takeBack} The log has an entry that says who did it, and how many entries went. Ask that owner for the exported file.`,
  },
} as const satisfies Readonly<Record<string, SecurityText>>;
