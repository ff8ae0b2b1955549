/** Every text that a visitor can meet in the embed. Its `messages` option replaces any of them. */
export const messages = {
  sending: "Sending…",
  sent: "Thank you, your answers were sent.",
  sent_before: "Your first answers were sent, your changes were not. Please send again.",
  stripped: "Removed before sending: {fields}.",
  invalid: "Please check the marked fields.",
  file: "Not sent: files cannot be sent. Please remove “{field}”.",
  offline: "No connection. Please keep this page open, your answers will be sent.",
  unavailable: "No answer. Please keep this page open, your answers will be sent.",
  rate_limited: "Please keep this page open, your answers will be sent soon.",
  full: "Not sent: this form is full. Please keep this page open, it tries again. Or save your answers.",
  save: "Save your answers",
  not_found: "Not sent: this form no longer exists.",
  origin_refused: "Not sent: this form cannot be used on this website.",
  insecure: "Not sent: this form needs HTTPS and a newer browser.",
  key_refused: "Not sent: this form has the wrong key. Please save your answers, and tell its owner.",
  sealing: "Not sent: encryption failed. Please send again.",
  privacy: "Not sent: personal data cannot be removed.",
  trapped: "Not sent: this form has a field that must be empty. Please send again without it.",
  too_large: "Not sent: your answers are too long.",
  refused: "Your answers were not accepted.",
  misconfigured: "Not sent: this form is not set up correctly.",
} as const;

/** The same on pages that pin a key log: each says what is wrong with it, for the owner, and what the visitor can do. */
export const keyLogMessages = {
  key_log_gone:
    "Not sent: this form no longer has the list of keys that this page checks. Your answers are still here: save them, and tell the owner of this website.",
  key_log_forked:
    "Not sent: this form's list of keys is not the one that this page knows. Your answers are still here: save them, and tell the owner of this website.",
  key_log_short:
    "Not sent: this form's list of keys ends before the entry that this page knows. Your answers are still here: save them, and tell the owner of this website.",
  key_log_signer:
    "Not sent: a key of this form is not signed by somebody who may. Your answers are still here: save them, and tell the owner of this website.",
  key_log_damaged:
    "Not sent: this form's list of keys is damaged. Your answers are still here: save them, and tell the owner of this website.",
  key_log_long:
    "Not sent: this form's list of keys is too long. Your answers are still here: save them, and tell the owner of this website.",
  key_log_key:
    "Not sent: this form's key is not the newest of its list of keys. Your answers are still here: save them, and tell the owner of this website.",
} as const;
