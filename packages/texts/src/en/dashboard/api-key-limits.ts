import { counted } from "../plurals.ts";

/** The limits of an API key: forms, and a last day. */
export const apiKeyLimits = {
  reach: "Forms",
  allForms: "All forms",
  allFormsHint: "Those that you see, also ones that come later.",
  someForms: "Only some forms",
  someFormsHint: "For a program that is about these. The key sees no other, makes none, and reads no usage.",
  formsHint: "They can't be changed later. Another key can be for others.",
  noForms: "There is no form yet. Make one first.",
  expiry: "Expires",
  expiryHint: "From then on the key is refused. All owners get an email a week before.",
  expiries: {
    never: "Never",
    month: "In 30 days",
    quarter: "In 90 days",
    year: "In a year",
    date: "On a date",
  },
  date: "Last day",
  dateHint: "The key works until the end of this day.",
  dateWrong: "Choose a day from today on",
  onlyForms: "Only for: ",
  expires: "Expires ",
  expiresInDays: (days: number, date: string) =>
    `Expires in ${counted(days, { one: "day", other: "days" })}, on ${date}`,
  expired: "Expired",
  expiredAt: (date: string) => `Expired on ${date}. Programs that use it are refused. Create another, then revoke it.`,
};
