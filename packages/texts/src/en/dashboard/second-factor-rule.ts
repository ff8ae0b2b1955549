import { plural } from "../plurals.ts";
export const secondFactorRule = {
  title: "Second factor for all members",
  intro:
    "Require that every member signs in with a second factor. Forms, webhooks and API keys continue whatever members do.",
  off: "Not required: each member decides.",
  since: (date: string) => `Required since ${date}.`,
  from: (date: string) => `Required from ${date} on. Until then members are reminded.`,
  lacking: (count: number) =>
    plural(count, {
      one: "One member has none yet: marked above.",
      other: `${count} members have none yet: they are marked above.`,
    }),
  change: "Change",
  require: "Require",
  dialogTitle: "Require a second factor",
  dialogIntro:
    "From that day on, members without a second factor are led to set one up, and can do nothing else in this organization until then.",
  date: "From",
  dateHint: "A week or two gives everybody time.",
  save: "Require it",
  stop: "Stop requiring it",
  ownFirst: "Turn on a second factor of your own first.",
  toAccount: "Go to your account",
  none: "no second factor",
  saved: "The rule is saved.",
  remind: (name: string, date: string) =>
    `${name} requires a second factor from ${date} on. Turn yours on in time, so that nothing stops you.`,
  thisOrganization: "This organization",
  neededTitle: "Set up a second factor to continue",
  neededIntro: (name: string) =>
    `${name} requires a second factor of all members. Turn on codes of an authenticator app in your account, or add a passkey: it takes two minutes. Then you can continue here.`,
  setUp: "Set up a second factor",
  others: "Or switch to another organization:",
};
