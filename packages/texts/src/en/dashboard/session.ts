export const session = {
  signIn: "Sign in",
  signInIntro: "Sign in to see your forms.",
  joinTitle: "Sign in to join",
  joinIntro: "Two steps: first your account, then your key.",
  signUpLink: "Create an account",
  signInLink: "Sign in instead",
  signUpIntro: "One account holds your forms. Your submissions stay sealed; only your keys open them.",
  setupIntro: "Create the first account. After this, sign-up is closed unless the operator opens it.",
  setupIntroOpen:
    "Create the first account. After this, anybody who reaches this address can sign up: SEALPOST_SIGNUP=open.",
  setupMissing:
    "There is no account yet. To create the first one, open the whole set-up address that the service prints when it starts: it ends with ?token=… and proves that this instance is yours.",
  setupWrong: "The token of this set-up address is not the one of this instance. Open the whole address once more.",
  setupWhere:
    "It is the last thing that the service has printed. Where that is kept in a log, one of these shows it; a restart prints it again:",
  revokeApiKeys: "Revoke all API keys",
  revokeApiKeysHint:
    "Somebody who had the old password may have made one. Programs that use one need a new key. Passkeys and sign-ins that were linked from inside the account end too, but for the passkey that you signed in with.",
  verifyNeeded: (email: string) =>
    `Open the link in the mail to ${email} to verify your address. Until then you can't make forms or API keys, turn on the second factor, or work in an organization that invited you.`,
  verifyOnce: (email: string) => `Is ${email} still your address? Notices and new passwords go there.`,
  verifySend: "Mail me a link",
  verifySent: "A mail is on its way. Its link works for a day. Look into the spam folder too.",
  verifyNotNow: "Don't ask again",
  verifying: "One moment: your address is being verified.",
  verified: "Your email address is verified.",
  verifiedBefore: (email: string) =>
    `It is ${email}. If the link was mailed to another address, sign out and sign in with that one.`,
  verifyMissing: "Open the link in the mail that was sent to you.",
  name: "Your name",
  email: "Email address",
  password: "Password",
  resetHint: "At least 10 characters, and not the words or the passphrase of your key.",
  passwordHint: "At least 10 characters. A sentence is easy to remember and hard to guess.",
  show: "Show",
  hide: "Hide",
  showPassword: "Show password",
  hidePassword: "Hide password",
  create: "Create account",
  mayBeCreated: "If you pressed the button a moment ago, it may have worked: sign in with the password that you chose.",
  freshTitle: "Enter your password again",
  freshIntro:
    "You signed in more than an hour ago. What you are about to do outlasts this session, so make sure that it is you.",
  reasons: {
    ended: "Your session has ended. Sign in again to continue.",
    joining:
      "You opened a link for your key. Sign in first, with the account that it is for. If you have none yet, look for the invitation in your email, make your account with it, and open this link again.",
    "joining-words":
      "You want to join with a code or six words. Sign in first, with the account that was invited. If you have none yet, look for the invitation in your email, make your account with it, and then open this address again.",
    "second-factor":
      "The second factor was to be turned on or off, and the answer did not arrive. You are signed out by it. Sign in again: where it is on, you are asked for a code.",
    password:
      "The password was to be changed, and the answer did not arrive. You are signed out by it: sign in with the new password, or with the one before if that is refused. API keys are revoked by it, unless you chose to keep them.",
    "signed-out": "You are signed out. The keys that were open in this browser are closed.",
    leaving:
      "Your account will be deleted in 30 days, and you are signed out. To keep it, sign in before then and choose “Keep my account”.",
  },
  promise: "Answers are sealed in your visitors' browsers. This server stores what it can't read.",
  closed: "Sign-up is closed on this instance",
  forgotLink: "Forgot your password?",
  forgotIntro: "A link to set a new one comes by mail.",
  forgotSend: "Mail me a link",
  forgotSent:
    "If there is an account with this address, a mail is on its way. Its link works for an hour. Look into the spam folder too.",
  forgotUnavailable: "This instance sends no emails. Its operator can set a new password for you.",
  resetTitle: "Set a new password",
  resetIntro: "You are then signed out everywhere. Keys and submissions are not affected.",
  resetPassword: "New password",
  resetSave: "Set password",
  resetDone: "Your password is set. Sign in with it.",
  resetAgain: "Ask for a new link",
  resetMayHaveWorked:
    "If you pressed the button a moment ago, it may have worked: sign in with the new password. If it is wrong, ask for a new link.",
  alreadySignedIn: "You are signed in",
  alreadySignedInAs: (email: string) => `This browser is signed in as ${email}.`,
  toMakeAnother: "To create another account, sign out first.",
  closedHint: "Ask its operator for an account.",
};
