export const invitation = {
  joinTitle: (organization: string) => `Join “${organization}”`,
  unnamed: "an organization",
  intro: (role: string) => `You are invited as ${role}.`,
  as: { owner: "an owner", manager: "a manager", reader: "a reader", developer: "a developer", auditor: "an auditor" },
  accountTitle: "Create your account",
  accountIntro: "The operator of this server invited you. You get an organization of your own.",
  createAccount: "Create account",
  hasAccount: "You have an account already",
  loading: "One moment: the invitation is being looked up.",
  incomplete: "The link is not complete",
  incompleteHint: "Open the whole link: it has a # and a long row of characters after it.",
  invalid: "This invitation can't be used",
  invalidHint: "Ask the person who invited you for a new one. If you accepted it before, sign in.",
  keyNext: "First your account, then your key: this takes two steps.",
  usedKeyNext: "Continue with your key",
  usedKeyHint:
    "It was used, taken back, or is older than 7 days. If it was you who used it, sign in: your key comes next. If not, ask the person who invited you for a new one.",
  until: (time: string) => `It can be accepted until ${time}.`,
  newAccount: "Create account and join",
  haveAccount: "I have an account already",
  noAccount: "I have no account yet",
  signInFirst: "Sign in with the address that was invited; then you can accept.",
  fixedEmail: "The invitation is for this address.",
  accept: "Accept",
  signedInAs: (email: string) => `You are signed in as ${email}.`,
  otherAddress: (invited: string, own: string) =>
    `This invitation is for ${invited}, but you are signed in as ${own}. Sign out, then sign in or sign up with ${invited}. Or ask for an invitation to your own address.`,
  signOut: "Sign out and continue",
  notNow: "Not now",
};

/** “a reader”; a role that invitations do not know goes by its name. */
export const nameRole = (role: string): string =>
  role in invitation.as ? invitation.as[role as keyof typeof invitation.as] : role;
