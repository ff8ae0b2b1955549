/** A passphrase of one's own, and the sign-in password that must not be one. */
export const ownPassphrase = {
  title: "Choose a passphrase",
  intro:
    "People choose what others guess, so this takes more than a password: six or more words that have nothing to do with each other, or twenty characters that a password manager drew. No quotation, no song.",
  label: "Passphrase",
  hint: "Upper and lower case and punctuation count; spaces at its ends do not. It is sent nowhere.",
  repeat: "Passphrase once more",
  entry: (email: string) => `${email} (key)`,
  bitsSoFar: (bits: number, needed: number) => `Too easy to guess so far: ${bits} of ${needed} bits, by estimate.`,
  strong: "Hard enough to guess, by estimate.",
  empty: "Type the passphrase that is to open your key, or go back and take the six words.",
  weak: "This is too easy to guess. Add words that have nothing to do with the others.",
  uncommon:
    "It has an invisible or unknown character, which other devices may not be able to type. Type it instead of pasting it, or leave that character out.",
  repeatIt: "Type it once more here.",
  differs: "This is not what you typed above. Show both to compare them.",
  isPassword: "This is your sign-in password, which the server sees whenever you sign in. Choose another passphrase.",
  likePassword: "Without what it has in common with your sign-in password this is too easy to guess.",
  passwordTitle: "Your sign-in password",
  passwordIntro:
    "The server sees it at each sign-in, so your key must not open with it. It is compared with the passphrase here; the passphrase itself is not sent.",
  /** Where a new sign-in password is set. */
  newPasswordOpens:
    "This opens your key: it is one of its passphrases. The server sees a sign-in password, and must not see that. Nothing was sent; choose another password.",
  /** Wherever a sign-in password is chosen. */
  passwordIsWords:
    "These are six words of the list that words of keys are drawn from. The server sees a sign-in password, and must not see the words of a key. Nothing was sent; choose another password.",
  keyHidden:
    "The server shows no key of yours, but this browser has seen one. So nobody can tell whether the new password would open it. Nothing was sent. Ask the person who runs the server; if you need another password at once, sign out, and set one with an emailed link, and none that has ever been a passphrase of your key.",
  seen: {
    title: "Your passphrase is your sign-in password",
    hint: "The server has seen it when you signed in, and with it anyone who runs the server could open your key. Replace your key under “Your key”, with another passphrase; a new password alone takes nothing back.",
  },
} as const;
