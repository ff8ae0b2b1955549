/** Components of more than 60 lines, and why each is not two. `architecture.test.ts` looks at both. */
export const longComponents: Readonly<Record<string, string>> = {
  "account/passkeys.tsx#Passkeys":
    "a list, and which dialog is open for which row of it: each part needs what the others set",
  "admissions/join-page.tsx#Join":
    "what is missing before somebody can answer, in the order in which it has to be done",
  "devices/receive-device.tsx#Following": "one branch for each state of the handing over, closed by the compiler",
  "instance/instance-invitations.tsx#InstanceInvitations":
    "the list, sending again and the dialog share one request, whose link is shown once",
  "key-copies/make-key.tsx#Ceremony":
    "the stages of making a key: their order is what is promised, and is read here in one place",
  "key-copies/own-passphrase.tsx#OwnPassphrase":
    "one form of two fields, and the question that may refuse what it took",
  "readers/bring-keys.tsx#BringKeys":
    "what was brought, and every answer to storing it, in the order in which they are said",
  "recovery/make-recovery-key.tsx#MakeRecoveryKey":
    "the stages of making a recovery key: their order is what is promised, and is read here in one place",
  "sign-in/address-page.tsx#Decide": "one decision by a link, and what each of its answers leads to",
  "submissions/export-dialog.tsx#ExportDialog": "one dialog: what the file lacks, its formats, and what became of it",
  "ui/dialog.tsx#Dialog": "one element with the events of the browser that close it, which are understood together",
  "your-key/your-key-page.tsx#YourKeyPage": "which one of the page's five activities is shown instead of its sections",
};
