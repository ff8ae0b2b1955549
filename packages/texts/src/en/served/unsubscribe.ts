/** Pages of the link in an email that ends emails like it. */
export const unsubscribe = {
  open: {
    title: "Fewer emails",
    text: "Emails about new submissions, failing webhooks, keys that nobody has tried, and full storage. Those about the security of your account come in any case.",
    button: { form: "No more about this form", storage: "No more about full storage" },
  },
  /** The second choice, on the same page. */
  all: "No more emails like these from this organization",
  done: {
    title: "Done",
    text: {
      form: "You get no more emails about this form. You can switch them on again in the dashboard.",
      storage: "You get no more emails about full storage. You can switch them on again in the dashboard.",
      organization:
        "You get no more emails like these from this organization. You can switch them on again in the dashboard.",
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
