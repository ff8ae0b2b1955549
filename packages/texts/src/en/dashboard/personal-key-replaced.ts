import { formatList as listed } from "../formats.ts";
import { counted } from "../plurals.ts";

export const personalKeyReplaced = {
  replace: {
    button: "Replace your key…",
    title: "Replace your key",
    section: "Stolen or lost",
    sectionIntro:
      "If somebody may have a copy of your key, or nothing of yours opens it any more, another key takes its place.",
    intro:
      "You make a new key, with new words and a new sheet. The key until now is kept for 30 days with all of its ways to unlock it, in which you can bring it back.",
    open: {
      action: "Make the new key",
      sentences: [
        "Did somebody get into your account? Change your password first: that ends all other sessions.",
        "The key until now signs for the new one, so that other members know who put it there.",
        "Anyone who has a copy of the key until now can read what was sealed until now, and what follows until the keys of your forms are rotated. Afterwards this page says who can do that.",
      ],
    },
    lost: {
      action: "I can't unlock it: make a new key",
      unlockFirst:
        "Your key is locked. If anything of yours can still unlock it, do that first: then the new key gets all of your forms by itself.",
      sentences: [
        "The new key opens nothing at first. An owner or a manager has to bring you in again, as a new member; then you read your forms as before.",
        "Are you the only owner? Then the organization's recovery key is what is left. Without it nobody can open what was sealed for you alone.",
        "If you find the words, the sheet or a device again within 30 days, bring the key until now back.",
      ],
    },
  },
  former: {
    title: "Former keys",
    intro:
      "Another key has taken their place. If it was not you, change your password, and bring yours back: all of its ways to unlock it come back too.",
    made: "Made ",
    replaced: ", replaced ",
    ways: (count: number) => `${counted(count, { one: "way", other: "ways" })} to unlock it.`,
    until: (date: string) => `Can be brought back until ${date}.`,
    restore: "Bring it back",
    restoreTitle: "Bring this key back?",
    restoreIntro:
      "It becomes your key again, with the ways to unlock it that it had. The key in use becomes a former one, and can be brought back for 30 days in turn: nothing is lost by this.",
    restoreOwn: "Never bring back a key that you did not make yourself at that time.",
    restorePassword: "If somebody else has replaced your key, change your password as well: that ends their session.",
    done: "The key is back. Unlock it with its words, its sheet or its passkey.",
  },
  changed: {
    title: "Your key was replaced",
    hint: "This browser has seen another key of yours. If you have replaced it yourself, or brought one back, use the one that the server has now. If not, do not unlock anything: change your password, and bring your key back below.",
    formerTitle: "The server shows a key that you had replaced",
    formerHint:
      "This browser has seen the newer one. If you have brought the former key back yourself, use it. If not, somebody else has done so, or the server shows old data: change your password, and bring the newer key back below.",
    accept: "I did that: use this key",
  },
  signOnce: {
    title: "Before you need another device",
    intro: (name: string) =>
      `You may change who reads in ${name}, and your key has signed nothing in its list of members yet.`,
    hint: "If you lost this device now, the next one would only read until somebody brings you in again. Sign the list once: that adds an entry about yourself, which changes nothing.",
    action: "Sign the list once",
    done: "Signed. On your next device you can change who reads from the start.",
    more: "What is a list for reading?",
  },
  carryOver: {
    title: "Your forms and the new key",
    intro: (name: string) =>
      `Puts your key into the list of members of ${name}, in the place of the former one, and into its forms. Do it in each organization to which you belong.`,
    listHasFormer: "The list of members still has your former key.",
    action: "Carry your forms over",
    rather: {
      title: "Was the key stolen?",
      hint: (names: readonly string[]) =>
        `Then ask one of these to bring you in again, with the new key, under Members, and carry nothing over: ${listed(names)}. They are shown everything that was brought in with the stolen key, and nobody has had theirs. If you carry your forms over, you are asked yourself.`,
    },
    broughtIn: {
      title: "You brought these in: was it you?",
      intro:
        "They are in the list of members, or have a key or a role there, by an entry that your former key has signed. If somebody else had that key, it may have been them. Say yes only where you remember it; if you are not sure of somebody, ask them to read their key to you.",
      edges: (edges: readonly ("keys" | "role" | "name")[]) =>
        edges.length === 3
          ? "Brought in with your former key."
          : `Set with your former key: ${listed(edges.map((edge) => ({ keys: "the key", role: "the role", name: "the name" })[edge]))}.`,
      answers: (isPerson: boolean) => ({
        known: isPerson ? "It was me, and this is their key" : "It was me, and I know this key",
        remove: isPerson
          ? "It was not me: remove them from the list"
          : "It was not me, or I don't need it: remove it from the list",
        unsure: isPerson
          ? "I can't say: they stay in the list, and nothing more is sealed for them"
          : "I can't say: it stays in the list, and nothing more is sealed for it",
      }),
    },
    putReaders: {
      title: "Who reads on in these forms?",
      intro:
        "Your former key, or somebody who has left, has put these readers into the forms. Tick those whom you have put there yourself, or know to read the form. All others are taken out.",
      keeps: (name: string) => `${name} reads on`,
      action: "Change the forms",
    },
    inList: "The list of members has your key.",
    onlyReads: (writers: readonly string[]) =>
      `Your forms open as before: the former key travels along. Ask an owner or a manager to accept your new key, with “Look through all forms” under Members${writers.length === 0 ? "" : `: ${listed(writers)}`}.`,
    askToRotate:
      "If somebody may have a copy of the former key, ask them to rotate the keys of these forms as well: what is sealed from then on is closed to that copy.",
    rotate:
      "If somebody may have a copy of the former key, rotate the keys of these forms now, on the Keys page of each: what is sealed from then on is closed to them.",
    noFormerKey: "Somebody has to bring you in again",
    noFormerKeyHint:
      "The former key is not open here, so it can't sign for the new one. Ask an owner or a manager of the organization to bring you in, on their Members page.",
    nothingSeen: {
      title: (name: string) => `Your forms in ${name} were not carried over, and this device can't do it`,
      hint: "The list of members has another key of yours, and this device has never seen that one: it can't tell whether it is really yours. Choose one of these ways.",
      otherBrowser:
        "If you still have a browser that has seen the former key, open this page there and carry your forms over.",
      bringBack:
        "If you have the words, the sheet or a passkey of the former key, bring it back below, use it, and unlock it. Then replace it again, and carry your forms over at once.",
      bringIn: (admitters: readonly string[]) =>
        `Otherwise ask an owner or a manager to bring you in again, under Members${admitters.length === 0 ? "" : `: ${listed(admitters)}`}. They give you a link.`,
      recovery: "If nobody else can, use the recovery sheets of the organization.",
      toFormerKeys: "Show the former keys",
      toRecovery: "Recover with the sheets",
    },
    more: "About lost keys",
  },
} as const;
