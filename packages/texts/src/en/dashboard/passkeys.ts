export const passkeys = {
  title: "Passkeys",
  intro:
    "Sign in with a fingerprint, a face or a PIN, without a password and without a code. A passkey opens no submission: that takes your keys.",
  more: "About passkeys",
  list: "Your passkeys",
  none: "You have no passkey yet.",
  unsupported: "This browser has no passkeys. A current one has, on a phone or computer with a screen lock.",
  insecure:
    "Passkeys need HTTPS and a host name, or localhost: open this instance by such an address. Its operator sets it with SEALPOST_BASE_URL.",
  add: "Add a passkey",
  addedOn: "Added ",
  usedOn: "last used ",
  neverUsed: "not used yet",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  nameTitle: "Name this passkey",
  keepName: "Keep this name",
  nameIntro: "Your passkey is added. Give it a name by which you will know it again.",
  name: "Name",
  nameHint: "Such as the device or the password manager that keeps it.",
  remove: "Remove",
  removeOf: (name: string) => `Remove ${name}`,
  removeIntro:
    "You can no longer sign in with it, and the sessions that it opened or confirmed end, except this one. Remove it on the device as well.",
  added: "The passkey is added.",
  renamed: "The passkey has another name.",
  removed: "The passkey is removed.",
  signIn: "Sign in with a passkey",
  confirm: "Confirm with a passkey",
  confirmTitle: "Confirm with a passkey",
  confirmIntro:
    "You need a second factor, and yours is a passkey. If you have lost it, set a new password with the link at the sign-in page, or ask the server's operator.",
  neededTitle: "Confirm with your passkey to continue",
  neededIntro: (name: string) =>
    `${name} requires a second factor of all members, and you signed in with your password alone. If you have lost your passkeys, set a new password with the link at the sign-in page, or ask the server's operator.`,
  notUsed: "No passkey was used. Try again, or use your password.",
  ofKey:
    "This passkey unlocks your key, and can't sign in. Choose another one, or use your password; your key opens with it as before.",
  notAdded: "No passkey was added. Try again when you are ready.",
  known: "This device has a passkey for your account already.",
} as const;
