import { formatNumber } from "../format.ts";

export const admissions = {
  section: "Keys of members",
  intro:
    "Who reads submissions needs a key of their own, and to be in the signed list. You bring them in with a link that only they get: then no server can put another key in its place.",
  waiting: (count: number) =>
    count === 1 ? "One person waits to be brought in" : `${formatNumber(count)} people wait to be brought in`,
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
    "They lost theirs and made a new one, or their browser says that the list has another key. A new link brings the new one in, in the place of the old one.",
  linkTitle: (name: string) => `Bring in ${name}`,
  link: "Link",
  linkHint: (name: string) =>
    `It is shown only this once. Give it to ${name} yourself, in person, by phone or by a messenger, never by an email of this server. It works for 7 days, for their account alone.`,
  after: (name: string) => `When ${name} has answered, an owner or a manager brings them in here.`,
  share: "Share",
  copied: "I have passed it on",
  finishTitle: (name: string) => `Bring in ${name}?`,
  finishIntro: (name: string, email: string) =>
    `${name} (${email}) has answered with the link. Their key goes into the signed list, signed with yours.`,
  asRole: (role: string, by: string) => `As ${role}. The link was made by ${by}.`,
  replaces: (before: string) =>
    `The signed list has ${before} there, with another key: this one takes its place. Confirm only if it is the same person, and you know why they have another key.`,
  confirm: "Bring in",
  refuse: "Refuse the answer",
  refused: "The answer is refused. The person can answer again with the link.",
  done: (name: string) => `${name} is in the signed list.`,
  join: {
    title: "Join with your key",
    loading: "Checking the link …",
    none: "This link is not complete",
    noneHint: "Open all of it, also what follows the #. If that does not help, ask for a new one.",
    intro: (organization: string, role: string) =>
      `You are brought into “${organization}” as ${role}: you get the keys of the forms that you are to read.`,
    by: (name: string, id: string) => `Invited by ${name}, whom the signed list names as ${id}.`,
    needKey:
      "You need a key of your own first. It is made once, here in your browser, and opens everything that is shared with you.",
    makeKey: "Make your key",
    unlock: "Unlock your key, so that its public half can be sent.",
    answer: "Send my public key",
    again: "You have answered already. You can answer again.",
    doneTitle: "Your public key is on its way",
    done: (name: string) => `${name}, or another owner or manager, brings you in. You need not wait here.`,
    toStart: "To your forms",
    notNow: "Not now",
  },
} as const;
