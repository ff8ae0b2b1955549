/** Sentences about the operator's identity provider: a code of the address, what happened, and what to do. */
export const oidc = {
  signInWith: (name: string) => `Sign in with ${name}`,
  confirmWith: (name: string) => `Confirm with ${name} instead`,
  section: "Linked sign-ins",
  sectionIntro: (name: string) =>
    `Sign in with ${name} as well. It signs you in, and opens no submission: that takes your keys.`,
  linkWith: (name: string) => `Link with ${name}`,
  linked: "Your sign-in is linked. You can use it from now on.",
  linkedOn: "Linked ",
  usedOn: "last sign-in ",
  neverUsed: "not used yet",
  nameless: "Unnamed person",
  ofAnother: "From a provider that this instance no longer uses",
  unlink: "Unlink",
  unlinkOf: (name: string) => `Unlink ${name}`,
  unlinkIntro: "You can no longer sign in with it, and the sessions that it opened end, except this one.",
  unlinked: "The link has ended.",
  noPassword:
    "Your account has no password: this is your only way in. To set one, sign out and use the link for a forgotten password, or ask the server's operator.",
  refusals: {
    away: ["The identity provider does not answer", "Try again in a moment. Signing in with a password still works."],
    busy: [
      "Too many people are signing in at this moment",
      "Try again in a minute. Signing in with a password still works.",
    ],
    misconfigured: [
      "The identity provider is not set up as this instance expects",
      "Ask the server's operator: sealpost-server doctor shows the reason.",
    ],
    cancelled: [
      "You were not signed in",
      "The identity provider says that the sign-in was cancelled or refused there.",
    ],
    expired: [
      "This sign-in has expired",
      "It took longer than 15 minutes, was used before, or began in another browser. Begin again.",
    ],
    refused: [
      "The identity provider's answer was not accepted",
      "It was not made for this instance and this sign-in. Begin again; if it happens again, ask the server's operator.",
    ],
    clock: [
      "The clocks differ",
      "The clock of this server and that of the identity provider differ by more than a minute. The server's operator can correct them. Signing in with a password still works.",
    ],
    email_missing: [
      "The identity provider gave no email address",
      "Its administrator can add one, or allow this instance to see it.",
    ],
    email_taken: [
      "Another account here has your email address",
      "If it is yours, sign in to it as before, and link this sign-in on the account page.",
    ],
    not_admitted: [
      "You have no account here",
      "Sign-up is closed. Ask an owner for an invitation, and sign in by its link.",
    ],
    not_in_group: [
      "You are not in a group that may sign in",
      "Ask the administrator of your identity provider, or the server's operator. Sign in again when you have been added.",
    ],
    groups_missing: [
      "The identity provider does not say which groups you belong to",
      "Its administrator has to send them to this instance.",
    ],
    first_account: [
      "There is no account on this instance yet",
      "The first one is created with the set-up address that the service prints when it starts.",
    ],
    invitation_ended: [
      "This invitation was used or taken back, or is too old",
      "Ask the person who invited you for a new one.",
    ],
    invitation_other_address: [
      "This invitation is for another email address",
      "Sign in at the identity provider as the person with that address, or ask for an invitation to the address that it has for you.",
    ],
    inviter_not_trusted: [
      "This invitation does not let you sign in here",
      "You are not in a group that may sign in, and the organization that invited you may not let in people from outside these groups. Ask the server's operator.",
    ],
    disabled: ["This account is disabled", "The server's operator can enable it again."],
    linked_elsewhere: ["This sign-in is linked to another account here", "Unlink it there first, on its account page."],
    linked_already: [
      "Your account is already linked to another person at this identity provider",
      "Unlink that one first, below.",
    ],
    session_changed: ["You signed in again in the meantime", "Begin again in this session."],
    not_fresh: [
      "The identity provider does not say that you have just signed in",
      "Enter the password of your account instead. The provider's administrator can add the claim auth_time.",
    ],
    code_needed: [
      "The identity provider does not replace your second factor",
      "Enter the password and a code of your app instead.",
    ],
    other_person: [
      "You signed in as another person",
      "Use the one that is linked to this account, or sign out there first.",
    ],
    full: ["This instance has no room for a new account", "Tell the server's operator."],
  },
} as const;
