/** Pages of the link in an email that ends emails like it. */
export const unsubscribe = {
  open: {
    title: "Fewer emails",
    text: "Emails about new submissions, failing webhooks, keys that nobody has tried, and full forms. Those about the security of your account come in any case.",
    button: { form: "No more about this form", account: "No more about any of your forms" },
  },
  done: {
    title: "Done",
    text: {
      form: "You get no more emails about this form. You can switch them on again in the dashboard.",
      account: "You get no more emails about any of your forms. You can switch them on again in the dashboard.",
    },
  },
  ended: {
    title: "This link has ended",
    text: "Emails were switched on again after it was sent, it is older than 90 days, or you are no longer an owner. Use the link of a newer email, or switch emails off in the dashboard.",
  },
  unknown: {
    title: "This link is not complete",
    text: "Open it again from the mail, or copy all of it.",
  },
} as const;
