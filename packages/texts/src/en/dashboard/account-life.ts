import { formatDate, formatNumber } from "../formats.ts";
import { plural } from "../plurals.ts";

const forms = (count: number) => plural(count, { one: "One form", other: `${formatNumber(count)} forms` });
const submissions = (count: number) =>
  plural(count, { one: "one submission", other: `${formatNumber(count)} submissions` });

export const accountLife = {
  rename: "Change name",
  renameTitle: "Change your name",
  name: "Name",
  nameHint: "Members of your organizations see it.",
  move: "Change address",
  moveTitle: "Move to another email address",
  moveIntro:
    "Both addresses get an email, and both have to confirm within a day. For seven days the one until now can undo it.",
  newAddress: "New email address",
  moveNow: "Send the emails",
  moveWaits: (email: string, until: number) =>
    `The move to ${email} waits until both addresses have confirmed it, at most until ${formatDate(until)}.`,
  moveEnded: "The move is ended. The links in its emails do nothing any more.",
  moveCancel: "End the move",
  exportTitle: "Your data",
  exportIntro:
    "Everything that this server knows about you, as one JSON file: account, sessions, organizations, API keys without their values, invitations, emails and audit entries. What forms received is exported with the forms.",
  exportButton: "Export my data",
  exporting: "The file is being written…",
  exported: "The file was saved with your downloads.",
  exportFile: "sealpost-account.json",
  guide: "What happens then",
  deleteTitle: "Delete your account",
  deleteIntro: "After 30 days, in which signing in brings it back. First you see what goes with it.",
  deleteButton: "Delete account",
  deleteNow: "Delete my account",
  loading: "Looking what belongs to it…",
  deleteEffects: [
    "You are signed out everywhere now. Sign in within 30 days to keep the account.",
    "Forms accept submissions until the end, so remove them from your pages first. API keys and webhooks work until then.",
    "Backups keep what they have until the operator deletes them.",
  ],
  fates: {
    deleted: (name: string, count: number, stored: number) =>
      `${name} is deleted with it: nobody else belongs to it. ${forms(count)} and ${submissions(stored)} go.`,
    left: (name: string) => `${name} stays with the others who own it. Your API keys there are revoked.`,
    needs_owner: (name: string) =>
      `${name} needs another owner first: others belong to it, and nobody else owns it. Make one of them an owner, or delete it.`,
  },
  held: (names: readonly string[]) =>
    `Legal holds keep it, and with it your account, until an owner lifts them: ${names.join(", ")}.`,
  unnamed: "An organization without a name",
  confirmLabel: (email: string) => `Type ${email} to confirm`,
  confirmDiffers: "That is not your email address.",
  leaving: "Your account will be deleted",
  leavingHint: (at: number) => `It is deleted for good from ${formatDate(at)} on, with what belongs to it.`,
  keep: "Keep my account",
  ending: "This organization will be deleted",
  endingHint: (at: number) =>
    `It is deleted for good from ${formatDate(at)} on, with its forms and submissions. Nobody joins it until then.`,
  keepOrganization: "Keep the organization",
  restored: "The server was restored from a backup",
  restoredHint: (until: number) =>
    `Submissions, legal holds and settings of since then are gone. Nothing is deleted for its age before ${formatDate(until)}: set legal holds again until then, and look at how long each form keeps submissions.`,
  deleteOrganization: "Delete",
  deleteOrganizationTitle: (name: string) => `Delete “${name}”?`,
  deleteOrganizationNow: "Delete the organization",
  organizationEffects: [
    "It is deleted after 30 days, with its forms, submissions, API keys and audit log.",
    "All owners are notified by email, and each of them can keep it until then. Nobody joins it meanwhile.",
    "Forms accept submissions until the end, so remove them from your pages first.",
    "Accounts of members stay.",
  ],
  address: {
    confirmIntro:
      "An account is to be moved to another email address. Confirm it in the browser in which you are signed in.",
    undoIntro: "Your account was moved to another email address. If it was not you, undo that.",
    confirm: "Confirm the move",
    refuse: "It was not me: refuse it",
    undo: "Undo the move",
    signInFirst: "Sign in to the account first. You come back here, to confirm.",
    signIn: "Sign in",
    moved: "The account has the new address from now on. Sign in with it next time.",
    waiting: "Confirmed. The move is made as soon as the other address has confirmed it too.",
    refused: "The move is refused. If you did not ask for it, change your password: somebody else knows it.",
    undone:
      "The address is yours again. Everybody was signed out, API keys are revoked, and a second factor added since then is removed. If members of your organizations were changed from your account, their other owners get an email and decide; where there is no other owner, the changes are taken back. Set a new password now: the old one does not work any more.",
    setPassword: "Set a new password",
    mayBeUndone:
      "If you pressed the button a moment ago, it may have worked. Then the address is yours again, and the old password does not work any more: set a new one.",
    mayHaveWorked:
      "If you pressed a button a moment ago, it may have worked. Your account page shows which address you have now.",
    toAccount: "To your account",
    missing: "Open the whole link in the email.",
    toForms: "To your forms",
  },
};
