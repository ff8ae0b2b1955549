/**
 * Every call of `useMutation` and `useFields` of the dashboard, and how somebody gets over a lost answer there. The
 * name is the file, the function around the call, and what the call is named there. `tests/repository/lost-
 * answers.test.ts` compares the rows with the sources, and the tests that they name.
 */
export type ChangeRow =
  | { readonly recovery: Recovery; readonly test: NamedTest }
  /** The service is the same afterwards. */
  | { readonly nothing: string }
  /** A part of another change, which has the row. */
  | { readonly partOf: string }
  /** No test loses this answer; why that does no harm. */
  | { readonly untried: string };

/**
 * `shown`: the page reads again what is, and what was pressed is gone. `same`: pressed again, it asks for what is so,
 * and nothing more comes of it, or what comes of it is in a list. `found`: what was done is found, or sent again with
 * the same ids. `said`: the page says what may have been done.
 */
export type Recovery = "shown" | "same" | "found" | "said";

export interface NamedTest {
  readonly file: string;
  /** A part of its title. */
  readonly title: string;
}

/** By the case of the row's name, in one of the files of cases. */
export const byCase: NamedTest = {
  file: "lost-changes",
  title: "is shown truly, and harms nothing when it is pressed again",
};

const lostAnswers = (title: string): NamedTest => ({ file: "lost-answers", title });
const lostFactor = (title: string): NamedTest => ({ file: "lost-second-factor", title });
const usedLinks = (title: string): NamedTest => ({ file: "used-links", title });
const recoveryKey: NamedTest = { file: "recovery-key", title: "it is begun again, and nothing is doubled" };
const withoutAnswer: NamedTest = {
  file: "form-envelopes",
  title: "is taken away and put back without an answer",
};

const shown = (test = byCase): ChangeRow => ({ recovery: "shown", test });
const same = (test = byCase): ChangeRow => ({ recovery: "same", test });
const found = (test = byCase): ChangeRow => ({ recovery: "found", test });
const said = (test = byCase): ChangeRow => ({ recovery: "said", test });
const nothing = (why: string): ChangeRow => ({ nothing: why });
const partOf = (name: string): ChangeRow => ({ partOf: name });
const untried = (why: string): ChangeRow => ({ untried: why });

const reads = nothing("it only reads");
const inBrowser = nothing("it stays in the browser");
const listEntry = untried("`changeList` loads the list again, and adds no entry that is there");

export const changeRows: Readonly<Record<string, ChangeRow>> = {
  "account/account-page.tsx#Password.fields": said(),
  "account/account-page.tsx#RememberedKeys.forgetting": inBrowser,
  "account/audit-head.tsx#AuditHead.exporting": reads,
  "account/delete-account.tsx#DeleteAccount.fields": said(lostAnswers("leads to the page that says so")),
  "account/export-section.tsx#ExportSection.exporting": reads,
  "account/identity-actions.tsx#IdentityActions.cancelling": shown(),
  "account/identity-actions.tsx#Rename.fields": same(),
  "account/identity-actions.tsx#Move.fields": same(),
  "account/leaving-banner.tsx#LeavingBanner.keeping": shown(lostAnswers("is not said to be leaving")),
  "account/linked-sign-ins.tsx#LinkedSignIns.linking": nothing("it leads to the provider"),
  "account/linked-sign-ins.tsx#Unlink.ending": found({ file: "identity-provider", title: "links their sign-in" }),
  "account/new-backup-codes.tsx#NewBackupCodes.making": nothing("codes are proposed, and count later"),
  "account/new-backup-codes.tsx#Keep.keeping": said(lostFactor("no code on paper is worth nothing")),
  "account/mail-section.tsx#MailSection.savingStorage": shown(),
  "account/passkeys.tsx#Passkeys.adding": said({ file: "passkeys", title: "whose answer was lost" }),
  "account/passkeys.tsx#Name.fields": same(),
  "account/passkeys.tsx#Remove.removing": found(),
  "account/sessions.tsx#Sessions.ending": shown(),
  "account/shorten-log.tsx#ArchiveLog.fields": reads,
  "account/shorten-log.tsx#RemoveEntries.removing": same(),
  "account/set-up-second-factor.tsx#SetUpSecondFactor.enabling": nothing("a secret is proposed, and counts later"),
  "account/set-up-second-factor.tsx#FirstCode.fields": said(lostFactor("who never hears that it is on")),
  "admissions/bring-in-section.tsx#BringInSection.revoking": shown(),
  "admissions/enter-invitation.tsx#EnterInvitation.fields": inBrowser,
  "admissions/finish-dialog.tsx#BringIn.bringing": untried(
    "`bringIn` begins with a look whether the list has the entry",
  ),
  "admissions/finish-dialog.tsx#Finish.refusing": untried("the next press reads that there is no answer to refuse"),
  "admissions/invite-with-key.tsx#Invite.inviting": untried("the next invitation takes the place of the one before"),
  "admissions/join-page.tsx#Join.answering": untried("the same answer is taken again"),
  "admissions/link-dialog.tsx#NewLink.making": same(),
  "api-keys/api-keys-page.tsx#RevokeApiKey.revoking": found(),
  "api-keys/create-api-key.tsx#NewApiKey.fields": said(),
  "api-keys/lost-keys.tsx#LostKeys.revoking": partOf("api-keys/api-keys-page.tsx#RevokeApiKey.revoking"),
  "deliveries/delivery-details.tsx#DeliveryDetails.resending": same(),
  "devices/give-device.tsx#GiveDevice.beginning": reads,
  "devices/give-device.tsx#useGiving.giving": untried("the page says that the other device may be unlocked"),
  "devices/receive-device.tsx#ReceiveDevice.asking": untried("the next request takes the place of the one before"),
  "form/name-step.tsx#NameStep.fields": inBrowser,
  "forms/bin-section.tsx#BinSection.saving": shown(lostAnswers("a form's legal hold and the days of its bin")),
  "forms/delete-form.tsx#ConfirmDelete.fields": found(),
  "forms/hand-over.tsx#HandOver.fields": found(lostAnswers("a form that was handed over")),
  "forms/hold-section.tsx#SetHold.fields": shown(lostAnswers("a form's legal hold and the days of its bin")),
  "forms/hold-section.tsx#LiftHold.lifting": same(),
  "forms/retention-section.tsx#RetentionForm.fields": partOf("forms/retention-section.tsx#useRetention.saving"),
  "forms/retention-section.tsx#useRetention.saving": same(),
  "forms/use-make-form.ts#useMakeForm.making": found({
    file: "envelopes",
    title: "where only the answer was lost the form counts as created",
  }),
  "forms/use-new-form.ts#useNewForm.making": inBrowser,
  "forms/use-new-form.ts#useCreating.creating": found({ file: "new-form", title: "a form whose answer was lost" }),
  "forms/use-settings.ts#useSettings.fields": said(lostAnswers("sealing that was turned off")),
  "instance/email-list.tsx#EmailList.trying": same(),
  "instance/instance-invitations.tsx#InstanceInvitations.inviting": same(),
  "instance/instance-invitations.tsx#InstanceInvitations.revoking": shown(),
  "instance/instance-invitations.tsx#AskAddress.fields": partOf(
    "instance/instance-invitations.tsx#InstanceInvitations.inviting",
  ),
  "instance/list-controls.tsx#ListControls.fields": reads,
  "instance/manage-account.tsx#ManageAccount.fields": same(),
  "instance/organization-list.tsx#ChangePlan.fields": same(),
  "key-copies/make-key.tsx#useKeeping": untried("the same key and copies are sent again, which the service knows"),
  "key-copies/own-passphrase.tsx#OwnPassphrase.fields": inBrowser,
  "key-copies/unlock-personal-key.tsx#ByPassphrase.fields": reads,
  "key-copies/unlock-personal-key.tsx#ByPasskey.unlocking": reads,
  "key-copies/unlock-personal-key.tsx#BySheet.unlocking": reads,
  "key-copies/use-sheet-lines.ts#useSheetLines.fields": inBrowser,
  "key-copies/words-steps.tsx#TypedWords.fields": inBrowser,
  "key-log/end-key-log.tsx#Asked.doing": untried("the log is read again, and the button is gone with what it ended"),
  "key-log/key-log-section.tsx#Signing.signing": untried("another entry with the same key names the same signers"),
  "key-versions/end-versions.tsx#EndVersions.fields": same(),
  "key-versions/use-rotation.ts#useRotation.making": inBrowser,
  "key-versions/use-rotation.ts#useRotation.rotating": found({ file: "form-parts", title: "keys are rotated after" }),
  "keys/key-picker.tsx#PassphraseForm.fields": inBrowser,
  "keys/key-picker.tsx#PasteForm.fields": inBrowser,
  "keys/save-key.tsx#SaveKey.fields": inBrowser,
  "members/choose-organization.tsx#ChooseOrganization.switching": partOf(
    "members/organization-items.tsx#OrganizationItems.switching",
  ),
  "members/create-organization.tsx#NewOrganization.fields": found(),
  "members/delete-organization.tsx#DeleteOrganization.deleting": shown(),
  "members/ending-banner.tsx#EndingBanner.keeping": shown(),
  "members/invitation-list.tsx#InvitationList.revoking": shown(),
  "members/invitation-page.tsx#Accept.accepting": found(usedLinks("is recognized as accepted")),
  "members/invite-dialog.tsx#NewInvitation.fields": partOf("members/invite-dialog.tsx#useInviting.inviting"),
  "members/invite-dialog.tsx#useInviting.leading": inBrowser,
  "members/invite-dialog.tsx#useInviting.inviting": same(),
  "members/member-dialogs.tsx#ChangeMember.fields": same(),
  "members/member-dialogs.tsx#RemoveMember.removing": found(),
  "organization/leave-section.tsx#LeaveOrganization.leaving": shown(),
  "members/organization-items.tsx#OrganizationItems.switching": shown(),
  "members/rename-organization.tsx#Rename.fields": same(),
  "members/second-factor-needed.tsx#SecondFactorNeeded.switching": partOf(
    "members/organization-items.tsx#OrganizationItems.switching",
  ),
  "members/second-factor-rule.tsx#SecondFactorRule.saving": same(),
  "members/second-factor-rule.tsx#AskDay.fields": partOf("members/second-factor-rule.tsx#SecondFactorRule.saving"),
  "offline/attached-files.tsx#AttachedFile.opening": inBrowser,
  "readers/add-program.tsx#AddProgram.fields": listEntry,
  "readers/ask-losing.tsx#AskAbout.fields": inBrowser,
  "readers/bring-back.tsx#Question.bringing": untried("it follows a head: a second one is refused by the first"),
  "readers/bring-keys.tsx#BringKeys.storing": untried("the form is read again, and its keys are found in the envelope"),
  "readers/change-form-readers.tsx#ChangeFormReaders.fields": inBrowser,
  "readers/clear-envelope.tsx#ClearEnvelope.clearing": untried(
    "it follows a head: a second one is refused by the first",
  ),
  "readers/change-listed-role.tsx#Confirm.changing": listEntry,
  "organization/other-organizations.tsx#Switches.switching": partOf(
    "members/organization-items.tsx#OrganizationItems.switching",
  ),
  "readers/accept-list.tsx#Accept.accepting": inBrowser,
  "readers/envelope-section.tsx#AcceptEnvelope.accepting": inBrowser,
  "readers/organization-question.tsx#OtherOrganization.choosing": inBrowser,
  "readers/organization-question.tsx#OtherOrganization.returning": partOf(
    "members/organization-items.tsx#OrganizationItems.switching",
  ),
  "readers/confirm-members.tsx#ConfirmMembers.fields": listEntry,
  "readers/form-names.tsx#ShownNames.settling": untried(
    "both names are read again, and the button is gone once they are the same",
  ),
  "readers/look-through.tsx#AskAccept.fields": inBrowser,
  "readers/let-log-decide.tsx#LetLogDecide.deciding": inBrowser,
  "readers/look-at-envelope.tsx#LookAtEnvelope.looking": inBrowser,
  "readers/look-at-forms.tsx#useLooking.answering": inBrowser,
  "readers/look-at-forms.tsx#useLooking.looking": reads,
  "readers/offer-forms.tsx#ChooseForms.fields": inBrowser,
  "readers/organization-names.tsx#Differing.settling": untried(
    "both names are read again, and the button is gone once they are the same",
  ),
  "readers/remove-envelope.tsx#useRemoving.removing": found(withoutAnswer),
  "readers/remove-envelope.tsx#RestoreEnvelope.restoring": shown(withoutAnswer),
  "readers/rotate-forms.tsx#useRotating.looking": reads,
  "readers/rotate-forms.tsx#useRotating.rotating": found({
    file: "envelopes",
    title: "where only the answer was lost the form counts as created",
  }),
  "readers/save-files.tsx#SaveFiles.fields": inBrowser,
  "readers/seen-again.tsx#SeenAgain.noting": inBrowser,
  "readers/take-out.tsx#Removing.removing": listEntry,
  "recovery/confirm-first.tsx#Ask.fields": listEntry,
  "recovery/finish-recovery-key.tsx#FinishRecoveryKey.finishing": found(recoveryKey),
  "recovery/make-recovery-key.tsx#MakeRecoveryKey.making": inBrowser,
  "recovery/make-recovery-key.tsx#MakeRecoveryKey.keeping": found(recoveryKey),
  "recovery/recovery-page.tsx#RemoveRecoveryKey.removing": untried("it follows a head: a second entry is refused"),
  "recovery/recovery-rule.tsx#RecoveryRule.saving": shown(),
  "recovery/split-choice.tsx#SplitChoice.fields": inBrowser,
  "recovery/use-recovery-page.tsx#UseRecovery.checking": reads,
  "recovery/use-recovery-page.tsx#BecomeOwner.becoming": found(recoveryKey),
  "session/identity-provider.tsx#ProviderSignIn.leaving": nothing("it leads to the provider"),
  "session/passkey-confirm.tsx#PasskeyConfirm.confirming": nothing("the session is as good as a new one, or not"),
  "session/password-dialog.tsx#PasswordDialog.fields": said(lostFactor("who never hears that it is off")),
  "session/provider-confirm.tsx#ProviderConfirm.leaving": nothing("it leads to the provider"),
  "session/verification-banner.tsx#Asked.skipping": shown(),
  "session/verify-first.tsx#VerificationMail.sending": shown(),
  "sign-in/address-page.tsx#Decide.deciding": said(usedLinks("has a link to the next step")),
  "sign-in/code-step.tsx#CodeForm.fields": untried("a code that was used is refused, and another one is typed"),
  "sign-in/passkey-sign-in.tsx#PasskeySignIn.entering": nothing("a session nobody has the cookie of"),
  "sign-in/reset-password-page.tsx#MailForm.fields": same(),
  "sign-in/reset-password-page.tsx#NewPasswordForm.fields": said(usedLinks("has a link to the next step")),
  "sign-in/sign-in-page.tsx#PasswordForm.fields": nothing("a session nobody has the cookie of"),
  "sign-in/sign-up-page.tsx#useSignUp.fields": said(usedLinks("finds the way to sign in")),
  "sign-in/use-sign-out.ts#useSignOut": found(),
  "submissions/bin-page.tsx#useBin.restoring": shown(),
  "submissions/bin-page.tsx#useBin.deleting": said(),
  "submissions/confirm-deletion.tsx#ConfirmDeletion.fields": partOf("submissions/bin-page.tsx#useBin.deleting"),
  "submissions/export-dialog.tsx#ExportDialog.exporting": inBrowser,
  "submissions/use-bin-moves.ts#useBinMoves.moving": said(lostAnswers("a press of Delete that is repeated")),
  "submissions/use-bin-moves.ts#useBinMoves.undoing": said(lostAnswers("Undo whose answer was lost")),
  "ui/mail-switch.tsx#MailSwitch.saving": shown(),
  "ui/not-found.tsx#PageMissing.trying": reads,
  "usage/limits-section.tsx#LimitsSection.saving": same(),
  "usage/shared-usage.tsx#SharedUsage.taking": shown(),
  "webhooks/webhook-page.tsx#AddressForm.fields": same(),
  "webhooks/webhook-page.tsx#Redirects.redirecting": shown(),
  "webhooks/webhook-page.tsx#Test.testing": same(),
  "webhooks/webhook-secret.tsx#WebhookSecretSection.revealing": reads,
  "webhooks/webhook-secret.tsx#RotateDialog.rotating": said(
    lostAnswers("a webhook secret that may have been replaced"),
  ),
  "your-key/add-passkey.tsx#usePasskeyFields": untried("`sendAttempt` sends the same copy again, as for words"),
  "your-key/brought-in.tsx#Ask.fields": nothing("what is said here goes into the change of the forms that follows"),
  "your-key/brought-in.tsx#AskBroughtIn.fields": untried("`signOver` begins with the list of the moment"),
  "your-key/carry-over.tsx#InOrganization.carrying": untried("`signOver` begins with the list of the moment"),
  "your-key/former-section.tsx#Restoring.restoring": untried(
    "the key is read again; a second try reads that it has changed",
  ),
  "your-key/key-changing.tsx#useAdding": found({
    file: "own-passphrase",
    title: "and a strong one is a way to unlock",
  }),
  "your-key/sign-list-once.tsx#InOrganization.signing": untried("`signOver` begins with the list of the moment"),
  "your-key/ways-section.tsx#RemovedWays.restoring": shown(),
  "your-key/ways-section.tsx#Remove.removing": found(),
};
