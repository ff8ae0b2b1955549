import { formatNumber, formatList as listed } from "../formats.ts";
import { counted, plural } from "../plurals.ts";
import { toRanges } from "../version-ranges.ts";
import { envelopeRefusals } from "./envelope-refusals.ts";

export const readers = {
  title: "Readers",
  self: "you",
  roles: {
    owner: "Owner",
    manager: "Manager",
    reader: "Reader",
    developer: "Developer",
    auditor: "Auditor",
    program: "Program",
    recovery: "Recovery key",
  },
  some: "reads some key versions",
  otherKey: "left, or got another key, since",
  gone: "has left, or may not read any longer",
  alike: (names: readonly string[]) => `looks like ${listed(names)}`,
  ownWord: (words: readonly ("keys" | "name")[]) =>
    words.length > 1
      ? "gave themselves this name and key"
      : words.includes("name")
        ? "gave themselves this name"
        : "gave themselves this key",
  unproven: "nobody who may add readers now is known to have put them here",
  unknown: "reads the newest keys alone, and nobody is known to have put them here",
  noAccess: "By the server's word, their role does not reach this form's submissions.",
  mayRead: "By the server's word, their role reaches this form.",
  outdatedTitle: "Somebody in this form's envelope has left since, or got another key or role",
  outdated:
    "Change the readers once, also without ticking anything else: then the envelope is sealed without them. To keep new submissions from them, rotate the keys as well.",
  strangers: (names: readonly string[]) =>
    `Not in the signed list of members yet, so nothing can be sealed for them: ${listed(names)}.`,
  membersLink: "Members",
  change: {
    action: "Change readers",
    title: "Who reads this form",
    intro:
      "Names and keys are those of the signed list of members, which the server can't change. What the server says about somebody stands next to the name, as a suggestion.",
    acceptKey: (name: string) =>
      `Tick this only if ${name} is to read this form again, and you know their key: ask them, on a way that you both trust. They left, or got another key, and may have been let in again by somebody who does not read this form. Otherwise they are left out.`,
    doubtful: (name: string) =>
      `Tick this only if you know that this is the ${name} whom you mean: ask them, in person or by phone. Anybody can take a name in the list.`,
    confirm: (name: string) =>
      `Tick this if ${name} is to read this form further. The one who put them here has left, or has another key or role by now, or this browser has only a manager's word for who it was.`,
    confirmUnknown: (name: string) =>
      `Tick this only if you know that ${name} is to read this form: they are not among the readers of the keys before, and nobody is known to have put them here. Otherwise they are left out when the envelope is next sealed.`,
    fixed: "You stay a reader of what you seal. The organization's recovery key always reads.",
    submit: "Seal for these readers",
    rotate:
      "Anyone whom you took out can't open this envelope. They may have kept the keys that were in it before: rotate the keys below, so that they can't open what comes from now on.",
  },
  program: {
    action: "Add a program",
    title: "A program as a reader",
    intro:
      "A receiver or the command line reads with a key of its own. Make it where the program runs, and paste the public half that it prints.",
    name: "Name of the program",
    alike: (names: readonly string[]) =>
      `This looks like the name of ${listed(names)}. Somebody who chooses readers by name could take one for the other.`,
    recipient: "Its public key",
    recipientHint: "Begins with age1pq1, and is about 2,000 characters long. Copy it from the program's own output.",
    malformed: "This is not the public half of a hybrid key: it has to begin with age1pq1, and to be copied as a whole",
    taken: "This key belongs to somebody else in the list, or your role may not add a program",
    submit: "Add and seal for it",
    headLabel: "Head of the list of members",
    head: "Pass this on to the person who runs the program, by a route other than this server. The program needs it at its first use (--list on the command line), and refuses any other list.",
    apiKey: "To fetch submissions, the program also needs an API key that may read them.",
  },
  takeOut: {
    title: (name: string) => `Take ${name} out of what is sealed`,
    intro: (name: string) =>
      `${name} reaches nothing here any longer. This takes them out of the signed list of members and of every form's envelope, and then offers new keys for the forms that they read.`,
    unlock: "Unlock your personal key to continue. If you close this, the pages Members and Forms remind you.",
    outOfList: (name: string) => `${name} is not in the signed list of members.`,
    introducedTitle: (name: string) => `Readers that ${name}, or somebody else who has left, put into forms`,
    introduced:
      "They keep reading. On the form's page Keys each of them is marked: confirm there that they are to read the form, or take them out.",
    introducedReaders: (names: readonly string[]) => listed(names),
  },
  standing: {
    title: (count: number) =>
      `${counted(count, { one: "member needs", other: "members need" })} somebody who vouches for them`,
    notice: (names: readonly string[]) =>
      `The person who brought them in, or gave them their key, has left or has another key: ${listed(names)}. Nothing more is sealed for them until you confirm them.`,
    action: "Look at them",
    intro:
      "The person who brought them in, or gave them their key, is not in the signed list any longer, or has another key there. A key can be anybody's, whatever name it has: ask them to read theirs to you, in person or by phone.",
    leavingTitle: (name: string) => `What becomes of the keys that ${name} brought in?`,
    leavingIntro: (name: string) =>
      `${name} has signed these entries of the list. A key can be anybody's, also ${name}'s own, whatever name it has: ask them to read theirs to you, in person or by phone.`,
    givingTitle: (name: string) => `Is this the key of ${name}?`,
    givingIntro: (name: string, role: string) =>
      `With the role ${role} this key signs for everybody. A key can be anybody's, whatever name it has, also that of the person who brought ${name} in: ask ${name} to read theirs to you, in person or by phone. If you can't say, give no such role.`,
    given: "I know them, and this is their key",
    vouchedBy: (names: readonly string[]) =>
      names.length === 0 ? "Nobody vouches for the key now." : `Vouched for the key so far: ${listed(names)}.`,
    key: "Key:",
    edges: (edges: readonly ("keys" | "role" | "name")[]) =>
      edges.length === 3
        ? "Brought in by somebody who leaves, or gets another role or key."
        : `Set by somebody who leaves, or gets another role or key: ${listed(edges.map((edge) => ({ keys: "the key", role: "the role", name: "the name" })[edge]))}.`,
    /** `date` is its writer's word. */
    entry: (number: number, date: string) => `Entry ${formatNumber(number)} of the list, ${date}.`,
    answers: (isPerson: boolean) => ({
      known: isPerson ? "I know them, and this is their key: they keep reading" : "I know this key: it keeps reading",
      remove: isPerson ? "Remove them from the list as well" : "Remove it from the list as well",
      unsure: isPerson
        ? "I can't say: they stay in the list, and nothing more is sealed for them"
        : "I can't say: it stays in the list, and nothing more is sealed for it",
    }),
    unsureTitle: (names: readonly string[]) => `Not confirmed: ${listed(names)}`,
    unsureHint:
      "They keep what they can open so far. The next time that a form's readers or keys are changed they are left out, and can't open what comes after that. The pages Members and Forms remind of it until an owner or a manager who knows the key confirms it.",
    askAgain: "Back to the answers",
    recoveredTitle: "Who reads on with your new key?",
    recoveredIntro:
      "You brought these in with a key that you no longer use, and that somebody else could have had. Confirm those whose key you know, and each will keep reading. Nothing more is sealed for the others.",
    submit: "Confirm",
    continue: "Continue",
  },
  noPlace:
    "An owner has to sign the next change of the list: 1,023 were signed since an owner's last one. Ask an owner to make this change; after it, others can make theirs again.",
  left: {
    title: (name: string) => `${name} can still be a reader of sealed forms`,
    intro: "They are in the signed list of members, and the server says that they are no longer a member.",
    action: (name: string) => `Take out ${name}`,
    lockedTitle: (count: number) =>
      plural(count, { one: "Something waits for your key", other: `${formatNumber(count)} things wait for your key` }),
    locked: "Unlock your key: then each has a button here that settles it.",
    lockedAction: "Unlock your key",
    roleTitle: (name: string, inList: string, byServer: string) =>
      `${name}: ${inList} in the signed list, ${byServer} by the server's word`,
    roleIntro: "The role in the signed list decides who may sign and read what is sealed. The server can't change it.",
    roleAction: (name: string) => `Change the list: ${name}`,
    roleDialog: (name: string, role: string) => `Enter ${name} as ${role}?`,
    roleHint: (name: string) =>
      `Only if you or another owner gave ${name} this role. Owners and managers sign for everybody; developers and auditors read nothing that is sealed. Afterwards look through all forms.`,
    roleSubmit: "Change the list",
    roleOutdated: (name: string) =>
      `The list has another key or role of ${name} than the one that you were shown, and nothing was changed. Begin again: you see then what it has.`,
    roleRefused: "Your own role in the signed list does not allow this. Ask an owner.",
    checkTitle: "Look through the readers of all forms",
    check:
      "Since this browser last looked through the forms, somebody left the signed list of members, or has another key.",
    checkIntro:
      "Each form is opened, and sealed once more where somebody reads who has left. Forms that are in order are not changed.",
    checkAction: "Look through all forms",
    accept: (name: string) => `${name} has a new key, and I know it`,
    acceptHint:
      "Ask them, on a way that you both trust. Without this they can't open what is sealed from now on with their new key.",
    accepted:
      "Was a former key stolen, or could somebody have a copy? Rotate the keys of the forms that it opened, on the Keys page of each: what is sealed from then on is closed to that copy.",
  },
  shownRotation: {
    title: "Who will read with the new key",
    count: (count: number) =>
      `${counted(count, { one: "person or program", other: "people and programs" })} will read with the new key`,
    hint: "They read everything that visitors send after the rotation. The server may show the envelope from before somebody was taken out. If somebody here should not read, take them out with “Change readers” first.",
    leftOut: "Left out, although they read this form until now:",
    reasons: {
      gone: "has left the list of members, or had a role there that may not read. If they should read on, choose them with “Change readers”.",
      other_key:
        "has another key, which nobody has accepted. If you know that it is theirs, choose them with “Change readers”.",
      unknown: "nothing says who let them read this form. If they should read on, confirm them with “Change readers”.",
      below:
        "reads what was sealed to earlier keys, and is no reader of the newer ones. If they should read on, choose them with “Change readers”.",
      unvouched: "nobody vouches for their key. Confirm it on the page Members, and choose them with “Change readers”.",
    },
  },
  rotate: {
    title: "New keys for these forms",
    intro:
      "They have read these forms, and may have kept the keys. With new keys they can't open what visitors send from now on.",
    readers:
      "Each form shows who will read with its new key. The server may show an envelope from before somebody was taken out: if somebody should not read, open Keys, and take them out with “Change readers” first.",
    lookProgress: "Forms that were looked at",
    lookState: (done: number, of: number) =>
      `Who will read: ${formatNumber(done)} of ${counted(of, { one: "form", other: "forms" })} looked at.`,
    lookAction: (count: number) => `Look at ${counted(count, { one: "form", other: "forms" })} again`,
    others:
      "Not rotated: the envelope or its readers changed after you were shown who would read. The names here are the new ones: look at them, and rotate again.",
    pinned:
      "A page whose snippet names a fingerprint refuses the new key until its snippet is changed. Rotate the keys of such a form on its own page, where the snippet can name both.",
    link: "How to rotate keys",
    keys: "Keys",
    action: (count: number) => `Rotate the keys of ${counted(count, { one: "form", other: "forms" })}`,
    state: (done: number, of: number) =>
      `${formatNumber(done)} of ${counted(of, { one: "form has", other: "forms have" })} new keys.`,
    progress: "Forms with new keys",
    current: (name: string) => `Now: ${name}.`,
    now: "Its keys are being rotated.",
    done: (version: number) => `Rotated: version ${version} is sealed for those who read the form now.`,
    none: "This form has no envelope.",
    otherName: (name: string) =>
      `Not rotated: its envelope calls this form “${name}”. If you mean that one, rotate it on its Keys page.`,
    farVersion: (newest: number, known: number) =>
      `Not rotated: the server says that it is at key version ${newest}, and the newest that is known here is ${known}. Look at its Keys page.`,
    lostKeys: (versions: readonly number[]) =>
      `Not rotated: the keys of ${versions.length === 0 ? "an envelope" : `version ${listed(toRanges(versions))}`} would be left behind. Look at its Keys page.`,
    otherPublished: "The server names another key for this form than its envelope has. Look at its Keys page.",
  },
  offer: {
    intro: (name: string) => `Choose what ${name} reads, with everything that was sealed before.`,
    hint: "Those that the server lets them reach are ticked. Only you decide for whom a form is sealed.",
    none: "There is no form yet.",
    submit: "Seal for them",
    later: "Not now",
  },
  sweep: {
    label: "Forms that are done",
    state: (done: number, of: number) => `${formatNumber(done)} of ${counted(of, { one: "form", other: "forms" })}`,
    keepOpen: "Keep this page open until it is through. It can be stopped and continued at any time.",
    waiting: "The server takes no more requests for a moment. This continues by itself, within two minutes.",
    stop: "Stop",
    stopping: "Stopping…",
    continue: "Continue",
    retry: "Try the others again",
    done: (changed: number) =>
      changed === 0
        ? "All forms are as they should be: nothing had to be changed."
        : `${counted(changed, { one: "form was", other: "forms were" })} changed.`,
    none: (count: number) =>
      `${counted(count, { one: "form has", other: "forms have" })} no envelope: key files open ${plural(count, { one: "it", other: "them" })}, as before.`,
    unsealed: (count: number, name: string) =>
      `${counted(count, { one: "form was", other: "forms were" })} not sealed for ${name}: ${plural(count, { one: "it has", other: "they have" })} no envelope`,
    unsealedHint: (name: string) =>
      `Without one, ${name} needs a key file to read. Put the keys into an envelope on the page Keys, and choose ${name} as a reader there.`,
    otherPublished:
      "Nothing was changed: the server denies a key that this form had, or does not say which keys it has. Try again later. If a backup was restored, accept the envelope as the server shows it, on the Keys page of this form.",
    otherName: (name: string) =>
      `Its envelope calls it “${name}”. If you mean that form, choose its readers on its page Keys.`,
    stopped: (count: number) => `${counted(count, { one: "form is", other: "forms are" })} still to do.`,
    failed: (count: number) => `${counted(count, { one: "form", other: "forms" })} could not be changed`,
  },
};

/** Why a form's readers could not be changed. What differs from the sentence for somebody who opens a form. */
export const sweepRefusals = {
  ...envelopeRefusals,
  not_a_reader: {
    title: "You do not read this form",
    hint: "Only somebody who reads a form can open it for others. Ask a manager or an owner who reads it.",
  },
  wrong_readers: {
    title: "Somebody whom you chose is not in the list of members, or may not read",
    hint: "Look at their role on the Members page, and try again.",
  },
  lost_envelope: {
    title: "The server took the change, but does not show it",
    hint: "The form opens as before. Try again; if it stays, ask who runs the server.",
  },
};
