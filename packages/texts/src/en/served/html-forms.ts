import { formatNumber } from "../formats.ts";

const goBack = "Use your browser's Back button: your answers should still be there.";

/** Answers to forms that post without a script. A page never repeats anything that was sent. Those named like a code of the API belong to it. */
export const htmlForms = {
  sent: { title: "Thank you", text: "Your answers were sent." },
  html_form_needs_script: {
    title: "Not sent: this form needs JavaScript",
    text: `This form only takes answers that were encrypted in the browser, and that needs JavaScript. Nothing was stored. ${goBack} Then allow JavaScript for the page and send again.`,
  },
  html_form_without_files: {
    title: "Not sent: this form cannot take files",
    text: `Nothing was stored. ${goBack} Then remove the file and send again.`,
  },
  html_form_malformed: {
    title: "Not sent: the form could not be read",
    text: `Nothing was stored. ${goBack}`,
  },
  html_form_too_many_fields: {
    title: "Not sent: this form has too many fields",
    text: ({ fieldsMax }: { readonly fieldsMax: number }): string =>
      `A form can have at most ${formatNumber(fieldsMax)}. Nothing was stored. ${goBack}`,
  },
  html_form_trapped: {
    title: "Not sent: a field that has to stay empty was filled in",
    text: `Nothing was stored. ${goBack} Empty that field and send again. If you can't see it, your browser has filled it in by itself: keep a copy of your answers, load the page again, and type them in by hand.`,
  },
  html_form_without_answers: {
    title: "Not sent: this form is not set up correctly",
    text: `The names of all its fields begin with an underscore, and such fields are never stored. Please tell the owner of the website. ${goBack}`,
  },
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
  other_site: {
    title: "Not sent: this form cannot be used on that website",
    text: "The owner of the form has not allowed the website that you came from. Nothing was stored.",
  },
  not_found: {
    title: "There is no such form",
    text: "It may have been deleted, or the address has a typing mistake. Nothing was stored.",
  },
  only_posts: {
    title: "Forms are posted to this address",
    text: "It shows nothing by itself. To use it, set it as the action of an HTML form with method post.",
  },
  only_sealed: {
    title: "This form is filled in on its own page",
    text: `There is nothing to see at this address: answers are encrypted on the page with the form. If you have just sent the form, nothing was stored. ${goBack} Then allow JavaScript for the page and send again.`,
  },
  too_long: { title: "Not sent: the answers are too long", text: `Nothing was stored. ${goBack}` },
  too_many_at_once: {
    title: "Not sent: too many answers at once",
    text: `Nothing was stored. ${goBack} Please wait a minute and send again.`,
  },
  broken: {
    title: "Not sent: something went wrong on our side",
    text: `Nothing was stored. ${goBack} Please send again in a while.`,
  },
  unavailable: {
    title: "Perhaps not sent: the service is not available at the moment",
    text: `${goBack} Please send again in a minute.`,
  },
} as const;
