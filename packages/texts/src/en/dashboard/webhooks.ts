import { formatNumber } from "../formats.ts";
import { counted, plural } from "../plurals.ts";

export const webhooks = {
  unknownError: "It failed for a reason that this version has no words for",
  urlTitle: "Address",
  urlIntro:
    "Every event is posted here as JSON, signed, and tried up to six times in 27 hours. Submissions travel in their stored form: what is sealed stays sealed.",
  receiversLink: "How to write a receiver",
  url: "Webhook address",
  hybridHint:
    "This form has a hybrid key, against quantum computers. A receiver that does not know such keys gets submissions that it can't open: rotate to a version without one, or update the receiver.",
  urlHint: "HTTPS only, such as https://www.example.org/sealpost. Leave it empty to send nothing.",
  redirects: "My receiver answers by redirect",
  redirectsHint:
    "For Google Apps Script and others that answer 302 or 303 with a page: that page is asked for, and if it is there the event counts as delivered. Leave it off for all others, or a redirect to a sign-in page would count too.",
  save: "Save address",
  saved: "The address is saved.",
  removed: "No webhook is sent any more.",
  active: "Active",
  none: "Not set",
  testTitle: "Test",
  testIntro:
    "Sends one submission.created event with sample data, sealed as this form's submissions are and marked as a test. No retries.",
  test: "Send a test",
  testing: "Waiting for the receiver, up to 30 seconds, and before that for others who test at this moment…",
  testGood: (code: number | undefined, duration: number) =>
    `Delivered: the receiver answered ${code ?? ""} in ${formatNumber(duration)} ms`,
  testBad: (error: string) => `Not delivered: ${error}`,
  testNeedsUrl: "Set an address first.",
  secretTitle: "Signing secret",
  secretIntro: "The receiver checks with it that a request came from here and was not changed.",
  secret: "Webhook secret",
  secretKnown: (when: string) => `The organization that had this form until ${when} knows the secret`,
  secretKnownHint:
    "Somebody there could send your receiver events that look as if they came from here. Rotate it when the receiver can take another one.",
  reveal: "Show secret",
  hide: "Hide secret",
  previousUntil: (when: string, count: number) =>
    plural(count, {
      one: `The previous secret is still valid until ${when}.`,
      other: `${formatNumber(count)} earlier secrets are still valid, the last of them until ${when}.`,
    }),
  rotate: "Rotate secret",
  rotateTitle: "Rotate the signing secret?",
  rotateIntro: [
    "A new secret is made at once. Each earlier one stays valid for 24 hours after it was replaced.",
    "During these hours a receiver that knows only one of them keeps working: every request is signed with all of them, and when one is refused the next is tried.",
    "Put the new secret into your receiver within the 24 hours.",
  ],
  rotateNow: "Rotate",
  rotatedUnseen:
    "The secret was rotated, and could not be shown. Choose “Show secret” to see the new one: earlier ones end within 24 hours.",
  revokedUnseen: "The earlier secrets have ended. The present one could not be shown.",
  revokeTitle: "End all earlier secrets now",
  revokeIntro:
    "For when an earlier secret has leaked. Receivers that still use one refuse every request until they know the new one.",
  revoke: "End it now",
  logTitle: "Deliveries",
  logIntro: (days: number) =>
    `Kept for ${counted(days, { one: "day", other: "days" })}. A delivery shows up with its first finished attempt.`,
  filter: "Show",
  filters: { all: "All", success: "Delivered", failed: "Failed" },
  ofSubmission: "Only of the submission",
  ofAll: "Show all deliveries",
  refresh: "Refresh",
  emptyTitle: "No deliveries yet",
  emptyIntro: "As soon as an event is posted to your receiver, it is listed here with the answer.",
  noneFound: "No delivery of this kind",
  status: { success: "Delivered", failed: "Failed", waiting: "Waiting" },
  isTest: "Test",
  retries: (count: number) => plural(count, { one: "1 retry", other: `${formatNumber(count)} retries` }),
  nextAttempt: "Next try ",
  nextAttemptDue: "Next try now",
  answered: (code: number) => `HTTP ${code}`,
  noAnswer: "No answer",
  duration: (milliseconds: number) => `${formatNumber(milliseconds)} ms`,
  details: "Details of this delivery",
  attempts: "Attempts",
  attempt: (number: number) => `Attempt ${number}`,
  repeated: {
    connection_closed: "again, on a new connection",
    secret_refused: "again, with another valid secret",
    interrupted: "again, after an interruption",
  },
  body: "Body as it was sent",
  bodyGone: "The body was wiped because its submission was deleted.",
  resend: "Send again",
  resent: "It is on its way again, as a new delivery.",
  more: "Show more",
  id: "Delivery id",
};
