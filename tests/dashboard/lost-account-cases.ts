import { sql } from "kysely";
import { person } from "./dashboard.ts";
import {
  button,
  checked,
  dialog,
  fillDialog,
  inDialog,
  item,
  type LostCases,
  noDialog,
  ofForm,
  opened,
  status,
  title,
  type World,
} from "./lost-case.ts";

/** Everything was done forty days ago, and is chained again. */
async function makeLogOld({ dashboard, owner }: World): Promise<void> {
  const { database } = dashboard.service;
  const age = 40 * 86_400_000;
  await database
    .updateTable("audit_entry")
    .set(({ eb }) => ({ occurred_at: eb("occurred_at", "-", age), sequence: null, hash: null }))
    .where("account_id", "=", owner.id)
    .execute();
  await database.deleteFrom("audit_head").where("account_id", "=", owner.id).execute();
}

/** By the names of the rows in `change-rows.ts`. */
export const accountCases: LostCases = {
  "account/identity-actions.tsx#Rename.fields": {
    path: "/account",
    open: opened("Change name", fillDialog("Ada Renamed")),
    press: (page) => inDialog(page, "Save changes"),
    shows: (page) => page.getByText("Ada Renamed").first(),
    says: noDialog,
  },
  "account/passkeys.tsx#Name.fields": {
    path: "/account",
    open: opened("Rename 1", fillDialog("Key ring")),
    press: (page) => inDialog(page, "Save changes"),
    shows: (page) => item(page, "Key ring"),
    says: (page) => status(page, "The passkey has another name."),
  },
  "account/passkeys.tsx#Remove.removing": {
    path: "/account",
    open: opened("Remove Key ring"),
    press: (page) => inDialog(page, "Remove"),
    shows: (page) => page.getByText("You have no passkey yet."),
    says: (page) => status(page, "The passkey is removed."),
  },
  "account/sessions.tsx#Sessions.ending": {
    path: "/account",
    press: (page) => button(page, "End all others"),
    shows: (page) => status(page, "There is no other session."),
  },
  "account/shorten-log.tsx#RemoveEntries.removing": {
    path: "/audit-log",
    begin: makeLogOld,
    open: async (page) => {
      await opened("Archive and shorten")(page);
      await inDialog(page, "Check and download").click();
    },
    press: (page) => inDialog(page, /^Remove \d+ entries$/),
    shows: (page) => dialog(page).getByRole("alert"),
    says: noDialog,
  },
  "your-key/ways-section.tsx#RemovedWays.restoring": {
    path: "/account/key",
    press: (page) => page.getByRole("list", { name: "Removed" }).getByRole("button", { name: "Restore" }),
    shows: (page) => item(page, "Words or passphrase. Added"),
  },
  "your-key/ways-section.tsx#Remove.removing": {
    path: "/account/key",
    open: async (page) => item(page, "Words or passphrase. Added").getByRole("button", { name: "Remove" }).click(),
    press: (page) => inDialog(page, /^Remove/),
    shows: (page) => item(page, "Words or passphrase. Can be restored"),
    says: noDialog,
  },
  "instance/instance-invitations.tsx#InstanceInvitations.inviting": {
    path: "/instance?view=accounts",
    open: opened("Invite somebody", fillDialog("newest@example.com")),
    press: (page) => inDialog(page, "Make the invitation"),
    shows: (page) => item(page, "newest@example.com"),
    says: (page) => title(page, "The invitation is ready"),
  },
  "instance/instance-invitations.tsx#InstanceInvitations.revoking": {
    path: "/instance?view=accounts",
    press: (page) => button(page, "Take back: new@example.com"),
    shows: (page) => page.getByRole("alert"),
  },
  "instance/organization-list.tsx#ChangePlan.fields": {
    path: "/instance?view=organizations",
    open: opened("Change plan: Guild", (page) => dialog(page).getByLabel("Plan").selectOption("pro")),
    press: (page) => inDialog(page, "Save changes"),
    shows: (page) => item(page, /Guild.*pro/s),
    says: (page) => status(page, "The plan is changed."),
  },
  "instance/manage-account.tsx#ManageAccount.fields": {
    path: "/instance?view=accounts",
    open: opened("Manage: listed@example.com", (page) => dialog(page).getByRole("radio", { name: "Disable" }).check()),
    press: (page) => inDialog(page, "Disable the account"),
    shows: (page) => item(page, /listed@example.com.*disabled/s),
    says: (page) => status(page, "The account is disabled."),
  },
  "instance/email-list.tsx#EmailList.trying": {
    path: "/instance?view=emails",
    press: (page) => button(page, /^Try again:/).first(),
    shows: (page) => page.getByRole("alert"),
    says: (page) => status(page, "The email is on its way again."),
  },
  "account/account-page.tsx#Password.fields": {
    path: "/account",
    open: async (page) => {
      await page.getByLabel("Current password").fill("correct horse battery");
      await page.getByLabel("New password").fill("another horse battery");
    },
    press: (page) => button(page, "Change password"),
    shows: (page) => status(page, "sign in with the new password, or with the one before if that is refused"),
  },
};

/** The owner is asked whether the address is theirs, once. */
async function askForAddress({ dashboard }: World): Promise<void> {
  // The two databases have no word for false in common.
  const unverified = { verification: "trusted", email_verified: sql<boolean>`(1 = 0)` };
  await dashboard.service.database.updateTable("person").set(unverified).execute();
}

/** On an instance that sends emails. */
export const mailCases: LostCases = {
  "session/verify-first.tsx#VerificationMail.sending": {
    path: "/",
    begin: askForAddress,
    press: (page) => button(page, "Mail me a link"),
    shows: (page) => title(page, "Forms"),
  },
  "session/verification-banner.tsx#Asked.skipping": {
    path: "/",
    begin: askForAddress,
    press: (page) => button(page, "Don't ask again"),
    shows: (page) => title(page, "Forms"),
  },
  "ui/mail-switch.tsx#MailSwitch.saving": {
    path: ofForm("/settings"),
    press: (page) => page.getByRole("switch", { name: "Mail me about this form" }),
    shows: (page) => checked(page, "Mail me about this form", false),
    says: (page) => checked(page, "Mail me about this form", true),
  },
  "account/mail-section.tsx#MailSection.savingStorage": {
    path: "/account",
    press: (page) => page.getByRole("switch", { name: "Mail me about full storage" }),
    shows: (page) => checked(page, "Mail me about full storage", false),
    says: (page) => checked(page, "Mail me about full storage", true),
  },
  "account/identity-actions.tsx#Move.fields": {
    path: "/account",
    open: opened("Change address", fillDialog("ada@example.org")),
    press: (page) => inDialog(page, "Send the emails"),
    shows: (page) => page.getByText("The move to ada@example.org waits"),
    says: noDialog,
  },
  "account/identity-actions.tsx#IdentityActions.cancelling": {
    path: "/account",
    press: (page) => button(page, "End the move"),
    shows: (page) => button(page, "Change address"),
  },
  "sign-in/use-sign-out.ts#useSignOut": {
    path: "/",
    open: (page) => button(page, "Account menu").click(),
    press: (page) => page.getByRole("menuitem", { name: "Sign out" }),
    shows: (page) => status(page, "You are signed out."),
  },
  // Nobody is signed in any more.
  "sign-in/reset-password-page.tsx#MailForm.fields": {
    path: "/reset-password",
    open: (page) => page.getByLabel("Email address").fill(person.email),
    press: (page) => button(page, "Mail me a link"),
    shows: (page) => page.getByRole("alert"),
    says: (page) => status(page, "If there is an account with this address, a mail is on its way."),
  },
};
