import { counted, plural } from "../plurals.ts";

export const keys = {
  lockedTitle: "These submissions are sealed",
  lockedIntro: (count: number) =>
    `${counted(count, { one: "submission is", other: "submissions are" })} here. Unlock the form with its private key to read ${plural(count, { one: "it", other: "them" })}.`,
  lockedMemory: "The key stays in the memory of this browser's open tabs. It is never sent anywhere.",
  lostLink: "You can't find the key?",
  choose: "Choose key file",
  paste: "Paste or type the key instead",
  scan: "Scan a recovery sheet",
  photo: "Choose a photo of it",
  pictures: {
    no_code:
      "No code was found in this picture. Take a photo of the code alone, from above, in good light and sharp, or type what is on the paper.",
    empty:
      "This file is empty. It may not have been downloaded to this device yet: open it once, then choose it again, or take another photo.",
    huge: "This picture is too large: more than 50 MB. Choose a smaller one, such as a screenshot of it or a photo of the code alone.",
    damaged:
      "This picture is damaged, or has more pixels than this browser can hold. Choose a smaller one, such as a screenshot of it.",
    unreadable: "This browser can't read that picture. Choose a JPEG or PNG, such as a screenshot of it.",
    document: "This is a PDF. Choose a picture of its page, such as a screenshot, or type what is on it.",
  },
  scanTitle: "Scan a recovery sheet",
  scanIntro: "Hold the code before the camera until it is read. The picture stays on this device.",
  scanRefused:
    "The camera can't be used here. Allow it in the browser's settings, choose a photo of the code, or type the lines.",
  pasteLabel: "Private key",
  pasteHint: "The whole content of the key file, the lines of a recovery sheet, or the key as JWK.",
  usePasted: "Use this key",
  leave: {
    title: "Leave what you typed?",
    hint: "The key that you typed or pasted was not used yet. It will be forgotten here.",
    leave: "Leave",
  },
  passphraseTitle: (file: string | undefined) => `${file ?? "This key"} has a passphrase`,
  passphrase: "Passphrase",
  passphraseUse: "Unlock",
  passphraseWrong: "This passphrase does not open the file",
  remember: "Remember on this device",
  rememberHint:
    "Kept in this browser for you alone, in a form that can open but not be read out, until you sign out or somebody else signs in. Not for shared computers.",
  keepsNoHybrid:
    "Not in this browser: it can keep this form's hybrid key only where it could be read out. Choose the key again at each visit, or use Chrome, Edge or Firefox.",
  cannotRemember:
    "This browser remembers nothing here, as in a private window. Untick “Remember on this device”, then choose the key again.",
  cannotRememberHybrid:
    "This browser can keep a hybrid key only where it could be read out, so nothing was kept. Untick “Remember on this device”, then choose the key again.",
  working: "Reading the key…",
  unlocked: (versions: string) => `Unlocked: key version ${versions}`,
  lock: "Lock",
  lockHint: "Forget the keys of this form in this browser",
  addKey: "Add another key",
  cut: "This key file is damaged: a part of it is missing. Use another copy of it.",
  notAKey:
    "This is not a key. Choose the file whose name begins with sealpost- and ends with .key.json or .age, or type the lines of the recovery sheet with their numbers, from 01 on.",
  otherForm: "This key belongs to another form",
  otherFormNamed: (name: string) => `This key belongs to the form “${name}”`,
  unknownKey: "This key does not belong to this form",
  fingerprintOf: (fingerprint: string) => `Its fingerprint is ${fingerprint}`,
  hybrid: "Hybrid key, against quantum computers",
  hybridHint:
    "A second key in the same file. It protects what is sealed today against computers of the future, which RSA may not withstand. This dashboard, the command line and the packages for JavaScript, Python and Go open what is sealed to it. PHP does not.",
  hybridFingerprint: "Hybrid fingerprint",
  hybridDifference: {
    swapped: {
      title: (version: number) => `The server names another hybrid key for version ${version} than your key file`,
      hint: "You can't open what visitors seal to it, and anyone who has its private half can. Ask who runs the server, and take the form off your page until it is explained.",
      hintOthers:
        "You can't open what visitors seal to it, and anyone who has its private half can. Tell an owner or a manager of your organization at once.",
    },
    hidden: {
      title: (version: number) => `The server names no hybrid key for version ${version}, but your key file has one`,
      hint: "What visitors send opens as before, but it is not protected against quantum computers. Ask who runs the server, or rotate the keys.",
      hintOthers:
        "What visitors send opens as before, but it is not protected against quantum computers. Tell an owner or a manager of your organization.",
    },
    added: {
      title: (version: number) => `The server names a hybrid key for version ${version} that is not unlocked here`,
      hint: "If you unlocked the form with a recovery sheet or a key without it, add the key file that has both. If your key file has no hybrid key, this one is not yours: do not use this form's snippets, and ask who runs the server.",
      hintOthers:
        "If you unlocked the form with a recovery sheet or a key without it, add the key file that has both. If your key file has no hybrid key, this one may be somebody else's: tell an owner or a manager of your organization.",
    },
  },
  damagedAge: "This age file is damaged, or not made with a passphrase",
  sheet: {
    title: "Recovery sheet",
    intro:
      "The private key of a form. Anyone who has it can read every submission of the form; without it nobody can. Keep it like a passport.",
    form: "Form",
    version: "Key version",
    created: "Made",
    fingerprint: "Fingerprint",
    hybridFingerprint: "Hybrid fingerprint",
    code: "The key as a code to scan",
    how: "To use it: where Sealpost asks for the key, scan the code with a camera, or type the lines below, each on a line of its own. Spaces and upper or lower case don't matter; the end of each line checks it, so a mistake is named with its line.",
  },
};
