import { formatNumber, formatList as listed } from "../formats.ts";
import { plural } from "../plurals.ts";

export const admissions = {
  section: "Keys of members",
  intro:
    "Who reads submissions needs a key of their own, and to be in the signed list. You bring them in with a link that only they get: then no server can put another key in its place.",
  waiting: (count: number) =>
    plural(count, {
      one: "One person waits to be brought in",
      other: `${formatNumber(count)} people wait to be brought in`,
    }),
  unlock: "Unlock your key to bring people in.",
  answered: "has answered the link",
  sent: "has a link, and has not answered yet",
  missing: "is not in the signed list",
  make: "Bring in",
  makeOf: (name: string) => `Bring in: ${name}`,
  again: "New link",
  againOf: (name: string) => `New link: ${name}`,
  finish: "Look and bring in",
  finishOf: (name: string) => `Look and bring in: ${name}`,
  revoke: "Take back",
  revokeOf: (name: string) => `Take back: the link for ${name}`,
  revoked: "The link is taken back. It is worth nothing now.",
  otherKey: "Somebody has another key now",
  otherKeyHint:
    "They lost theirs and made a new one, or their browser says that the list has another key, or that it may not change anything yet. A new link brings the new one in, in the place of the old one.",
  linkTitle: (name: string) => `Bring in ${name}`,
  howTitle: "How do you reach them?",
  byLink: "By a messenger: make a link",
  byWords: "They are with me, or on the phone",
  link: "Link",
  qr: "The link as a code to scan",
  showQr: "Show it as a code to scan",
  wordsTitle: "Let them type these six words",
  wordsList: "The six words",
  wordsSteps: (address: string) => [
    "They sign in on their own device. Who has no account yet accepts your invitation first.",
    `There they open ${address}`,
    "They scan the code below, or type the six words that you read to them, and send their public key.",
  ],
  wordsHint: (name: string) =>
    `Nobody but ${name} may hear or see them. They work for 7 days or until ${name} is brought in, and only together with ${name}'s account. If ${name} is not in the list yet, they also end once somebody is taken out of it or gets a lesser role: then make others.`,
  wordsWaiting: (name: string) => `Waiting for ${name}. Keep this open, or come back to this page later.`,
  wordsClose: "Close",
  linkRole: (name: string, role: string) => `The link is for ${name} as ${role}.`,
  linkHint: (name: string) =>
    `What goes to ${name} must come from you, not from this server: only then can no server put another key in its place. Anyone who has it and can sign in as ${name} can answer with it.`,
  linkOnce: (name: string) =>
    `It is shown only this once. Give it to ${name} yourself, in person, by phone or by a messenger, never by an email of this server. It works for 7 days or until they are brought in, for their account alone. If they are not in the list yet, it also ends once somebody is taken out of it or gets a lesser role: then make another.`,
  after: (name: string) => `When ${name} has answered, an owner or a manager brings them in here.`,
  share: "Share",
  copied: "I have passed it on",
  finishTitle: (name: string) => `Bring in ${name}?`,
  finishIntro: (name: string, email: string) =>
    `${name} (${email}) has answered with the link. Their key goes into the signed list, signed with yours.`,
  asRole: (role: string, by: string) => `They come in as ${role}. The link was made by ${by}.`,
  replaces: (before: string) =>
    `The signed list has ${before} there, with another key: this one takes its place. Confirm only if it is the same person, and you know why they have another key.`,
  alike: (names: readonly string[]) =>
    `This looks like the name of ${listed(names)}. Bring them in only if you know that they are somebody else.`,
  confirm: "Bring in",
  refuse: "Refuse the answer",
  refused: "The answer is refused. The person can answer again with the link.",
  done: (name: string) => `${name} is in the signed list.`,
  invite: {
    choice: "Bring their key in with it: I give them a link myself",
    choiceHint:
      "They can read sealed submissions as soon as you confirm their key. Without it, you bring them in later on this page.",
    name: "Their name",
    nameHint: "For the signed list of members.",
    unlockTitle: "Unlock your key, to sign the link",
    summary: (name: string, email: string, role: string) => `${name} (${email}) as ${role}.`,
    notYet: "Nothing has been sent yet.",
    change: "Change what you entered",
    make: "Make invitation and link",
    again: "Try again: a new invitation and a new link then take the place of what was made.",
    strangeLink:
      "The server's invitation is not of the form that one has, and would have added something to your link. No link was made. Ask the person who runs the server.",
    ready: "Invitation and link are ready",
    one: (email: string) =>
      `One link for everything: with it ${email} makes an account, makes a key, and sends its public half.`,
    steps: (email: string) => [
      `The invitation for the account is on its way to ${email} by email, from this server.`,
      "The link for the key is below. Give it to them yourself: never by an email of this server.",
      "They can open them in any order, and each more than once. When their key has come, you confirm it on this page.",
    ],
    accountLink: "The email does not arrive?",
    accountLinkHint:
      "This is the invitation for the account. Anyone who has both links can join in their place: pass it on only if you must.",
    waiting: "They also have a link for their key.",
  },
  leaveLink: {
    title: "Close without the link?",
    hint: "It can't be shown again. Without it you take it back and make another.",
    leave: "Close",
  },
  join: {
    loading: "Checking the link …",
    enter: "You were given six words, or a code to scan",
    enterIntro:
      "An owner or a manager of your organization has them on their screen. If you were sent a link, open all of it, also what follows the #.",
    words: "The six words, or the whole link",
    wordsHint: "Spaces between them. They are not the words that unlock your own key, and are not sent anywhere.",
    check: "Continue",
    scan: "Scan the code",
    photo: "Choose a photo of the code",
    noCode: "There is no such code in this picture. Hold it closer, or type the words.",
    cutLink:
      "This is not the whole link. Copy all of it from the message, also what follows the #, or type the six words.",
    otherServer: (host: string) => `This code leads to another server, ${host}. Open it there, if you trust it.`,
    nothing: "Nobody waits for your key at this moment",
    nothingHint: (email: string) =>
      `You are signed in as ${email}. If you were invited by email, open the link in that email first, and then come back here. Words and links end after 7 days, and once you were brought in: ask for new ones.`,
    foreign: "This link does not work with this account",
    foreignReasons: (email: string) => [
      `You are signed in as ${email}. If the link is for another address, sign out, and sign in with that one.`,
      "If you were also invited by email and have not accepted yet, open the link in that email first, and then this one again.",
      "It ends after 7 days, when it is taken back, and once you were brought in. Ask for a new one.",
    ],
    signOut: "Sign out",
    verify: "Your email address has to be verified before you can send your key.",
    intro: (organization: string, role: string) =>
      `You are brought into “${organization}” as ${role}, and get the keys of the forms that you are to read.`,
    by: (name: string, id: string) => `Invited by ${name}, whom the signed list names as ${id}.`,
    needKey:
      "You need a key of your own first. It is made once, here in your browser, and opens everything that is shared with you.",
    makeKey: "Make your key",
    keyMade: {
      intro:
        "Both copies were read back and open your key. One step of joining is left: the organization still waits for its public half.",
      button: "Next: send your public key",
    },
    unfinishedTitle: "You have not joined with your key yet",
    unfinished: "Your public key has not been sent. Until it is, nobody can share a form with you.",
    unfinishedElsewhere: (organization: string) =>
      `Somebody of “${organization}” has a link or six words for you: open the link in this browser, or type the words.`,
    unfinishedLink: "Continue joining",
    unlock: "Unlock your key, so that its public half can be sent.",
    answer: "Send my public key",
    again: "You have answered already. You can answer again.",
    doneTitle: "Your public key is on its way",
    doneSteps: (maker: string, others: readonly string[]) => [
      `Tell ${maker} that you have answered. ${maker} confirms your key on the page Members, and chooses the forms that you read.`,
      others.length === 0
        ? `Nobody but ${maker} can do this at the moment.`
        : `These can do it as well: ${listed(others)}.`,
      "You need not wait here. This page and the page Forms say when it is done.",
    ],
    otherId:
      "The list of members has you already, with this key, under the id that you had before: you read and sign by it, and nothing has to be done. Nothing was sent. If you are to have another role or key there, an owner removes that entry first, and then makes a new link.",
    refusedTitle: "Your answer was refused",
    refused: (maker: string) =>
      `It did not fit the link. Open the whole link again and send your public key once more, or ask ${maker} for a new link.`,
    listedTitle: (organization: string) => `You are in “${organization}” with your key`,
    listed: (maker: string) =>
      `Your key is in the list of members. A form opens with it as soon as ${maker} has chosen you as its reader.`,
    goneTitle: "The link is no longer open",
    gone: (maker: string, organization: string) =>
      `You were brought in, or the link was taken back or has ended, as each link for newcomers does when somebody leaves the list of members. See whether the forms of “${organization}” open with your key; if not, ask ${maker} for a new link.`,
    toStart: "To your forms",
    notNow: "Not now",
  },
} as const;
