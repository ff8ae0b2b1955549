/** Every text that a visitor can meet, in English. The `messages` option replaces any of them. */
export const englishMessages = {
  sending: "Sending…",
  sent: "Thank you. Your answers were sent.",
  sent_before:
    "The answers that you sent first have arrived. What you changed since then was not sent: send again to send it as well.",
  invalid: "Please check the marked fields.",
  file: "This form cannot send files. Please remove the file from “{field}”. Nothing was sent.",
  offline:
    "No connection. Your answers are kept on this page and sent when the connection is back. Please keep the page open.",
  unavailable:
    "The service does not answer as it should. Your answers are kept on this page and sent again soon. Please keep the page open.",
  rate_limited:
    "Too many answers are arriving right now. Yours are sent in {seconds} seconds. Please keep the page open.",
  not_found: "This form no longer exists. Nothing was sent.",
  origin_refused: "This website may not use this form. Nothing was sent.",
  insecure: "This page was not loaded over HTTPS, so your answers cannot be encrypted. Nothing was sent.",
  unsupported: "This browser cannot encrypt your answers. Please use a newer one. Nothing was sent.",
  key_refused: "The key of this form is not the expected one. Nothing was sent.",
  privacy: "Personal data could not be removed from your answers. Nothing was sent.",
  too_large: "Your answers are too long to be sent. Nothing was sent.",
  refused: "The service did not accept your answers.",
  misconfigured: "This form is not set up correctly. Nothing was sent.",
} as const;

export type MessageName = keyof typeof englishMessages;
export type Messages = Readonly<Record<MessageName, string>>;

/** Why nothing was accepted (yet). `offline`, `unavailable` and `rate_limited` are tried again by themselves. */
export type ErrorCode = Exclude<MessageName, "sending" | "sent" | "sent_before">;
