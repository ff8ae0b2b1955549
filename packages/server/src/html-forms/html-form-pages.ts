import type { MessagePage } from "../http/message-page.ts";
import type { Sentence } from "../problems/codes.ts";
import type { FullCode } from "../problems/waiting-codes.ts";
import { membersMax } from "../submissions/submission.ts";

/** The contents of a page. Only our own words: no page ever repeats something that was sent. */
export type PageText = Omit<MessagePage, "buttons">;

/** A page whose title is also the message for programs. */
export type RefusalPage = PageText & { readonly title: Sentence };

export const thankYou: PageText = { title: "Thank you", text: "Your answers were sent." };

const goBack = "Use your browser's Back button: your answers should still be there.";

export const needsScript: RefusalPage = {
  title: "Not sent: this form needs JavaScript",
  text: `This form only takes answers that were encrypted in the browser, and that needs JavaScript. Nothing was stored. ${goBack} Then allow JavaScript for the page and send again.`,
};

export const noFiles: RefusalPage = {
  title: "Not sent: this form cannot take files",
  text: `Nothing was stored. ${goBack} Then remove the file and send again.`,
};

/** Pages for people, by the status that programs get. */
export const refusals: Readonly<Record<number, PageText>> = {
  403: {
    title: "Not sent: this form cannot be used on that website",
    text: "The owner of the form has not allowed the website that you came from. Nothing was stored.",
  },
  404: {
    title: "There is no such form",
    text: "It may have been deleted, or the address has a typing mistake. Nothing was stored.",
  },
  405: {
    title: "Forms are posted to this address",
    text: "It shows nothing by itself. To use it, set it as the action of an HTML form with method post.",
  },
  413: { title: "Not sent: the answers are too long", text: `Nothing was stored. ${goBack}` },
  429: {
    title: "Not sent: too many answers at once",
    text: `Nothing was stored. ${goBack} Please wait a minute and send again.`,
  },
  500: {
    title: "Not sent: something went wrong on our side",
    text: `Nothing was stored. ${goBack} Please send again in a while.`,
  },
  // Whether it was stored can't be known when the database went away in the midst of it.
  503: {
    title: "Perhaps not sent: the service is not available at the moment",
    text: `${goBack} Please send again in a minute.`,
  },
};

/** Where there is no room, each code has a page of its own: it says more than the status. */
export const fullPages: Readonly<Record<FullCode, PageText>> = {
  quota_reached: {
    title: "Not sent: this form is full",
    text: `It takes no more answers at the moment. Nothing was stored. ${goBack} Keep a copy of them, and send again in an hour.`,
  },
  hourly_limit_reached: {
    title: "Not sent: this form takes no more answers within this hour",
    text: `Nothing was stored. ${goBack} Keep a copy of them, and send again in an hour.`,
  },
  storage_full: {
    title: "Not sent: there is no room for answers at the moment",
    text: `Nothing was stored. ${goBack} Keep a copy of them, and send again later.`,
  },
};

export const malformed: RefusalPage = {
  title: "Not sent: the form could not be read",
  text: `Nothing was stored. ${goBack}`,
};

export const tooManyFields: RefusalPage = {
  title: "Not sent: this form has too many fields",
  text: `A form can have at most ${membersMax.toLocaleString("en")}. Nothing was stored. ${goBack}`,
};
