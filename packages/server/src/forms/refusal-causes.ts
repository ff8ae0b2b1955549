import { createHash } from "node:crypto";
import { noticedCauses } from "../mail/mail.ts";
import type { Code } from "../problems/codes.ts";
import type { Form } from "./form.ts";

/** Causes for which visitors are refused, and which a form's owners can end: by its settings, or on the page. */
export const refusalCauses = ["old_key", ...noticedCauses] as const;
export type RefusalCause = (typeof refusalCauses)[number];

/** The settings that each cause is about: after a change of these, it is another one. */
const concerned: Readonly<Record<RefusalCause, (form: Pick<Form, "keyVersion" | "settings">) => unknown>> = {
  old_key: ({ keyVersion }) => keyVersion,
  origin: ({ settings }) => settings.allowedOrigins,
  unsealed: ({ settings }) => settings.encryption,
  too_large: ({ settings }) => settings.submissionBytesMax,
  hourly_limit: ({ settings }) => settings.submissionsPerHour,
  form_markup: () => null,
  trapped: () => null,
};

const printLength = 16;

/** A short text that differs where the settings do. */
export function printConcerned(form: Pick<Form, "keyVersion" | "settings">, cause: RefusalCause): string {
  const values = JSON.stringify(concerned[cause](form));
  return createHash("sha256").update(values).digest("base64url").slice(0, printLength);
}

/** The endpoints that visitors' browsers ask: of the embed and programs, or of plain HTML forms. */
export type PublicSide = "json" | "html";

/** Whether owners hear of a refusal: by its cause, or why not. */
export type Hearing =
  | { readonly cause: RefusalCause /** Where it says so; both when omitted. */; readonly side?: PublicSide }
  | { readonly unheard: string };

const ofSender = { unheard: "the sender alone can have caused it: no setting and no page that works otherwise does" };
const ofMoment = { unheard: "it passes in a moment, and the sender tries again" };
const ofOthers = { unheard: "no visitor's request gets this answer" };
const ofOperator = { unheard: "the server's operator is notified, by the log and the metrics" };

/**
 * Every refusal of a public submission, by its code, and whether the form's owners hear of it. A test looks through the sources for what is missing here.
 * An old key is not among them: pages refuse by themselves, and say so (`refused-key-routes.ts`).
 */
export const publicRefusals = {
  // By the form's settings, or by its page
  origin_not_allowed: { cause: "origin" },
  payload_plain_refused: { cause: "unsealed" },
  html_form_needs_script: { cause: "unsealed" },
  body_too_large: { cause: "too_large" },
  submission_too_large: { cause: "too_large" },
  hourly_limit_reached: { cause: "hourly_limit" },
  html_form_without_files: { cause: "form_markup" },
  html_form_too_many_fields: { cause: "form_markup" },
  html_form_without_answers: { cause: "form_markup" },
  html_form_trapped: { cause: "trapped" },
  // A form with another `enctype`, or with `method="get"`.
  form_encoding_expected: { cause: "form_markup" },
  method_not_allowed: { cause: "form_markup", side: "html" },

  // Heard of in another way
  quota_reached: { unheard: "owners get emails about a full form and a full account, and see it on every page" },
  storage_full: ofOperator,
  key_version_closed: {
    unheard: "owners chose the time; the embed seals to the newest key, once the page is loaded again",
  },

  // Nothing that owners could end
  form_not_found: { unheard: "there is no form, and so no owner" },
  too_many_requests: { unheard: "it is the sender's own number of requests" },
  invalid_request: ofSender,
  html_form_malformed: ofSender,
  body_compressed: ofSender,
  json_expected: ofSender,
  key_version_unknown: ofSender,
  unstorable_text: ofSender,
  submission_exists: ofSender,
  submission_id_taken: ofSender,
  submission_deleted: ofSender,
  http_request_too_slow: ofSender,
  uploads_busy: ofMoment,
  form_busy: ofMoment,
  submission_check_busy: ofMoment,
  submission_check_too_slow: ofMoment,
  database_unavailable: ofOperator,
  internal_error: ofOperator,
  secret_missing: ofOperator,

  // In the same files
  address_not_found: ofOthers,
  form_held: ofOthers,
  invalid_form_settings: ofOthers,
  organization_full: ofOthers,
  precondition_failed: ofOthers,
  precondition_missing: ofOthers,
  unknown_query_parameter: ofOthers,
} as const satisfies Readonly<Partial<Record<Code, Hearing>>>;

/** The cause of a refusal that owners hear of. */
export function causeOf(code: string | undefined, side: PublicSide): RefusalCause | undefined {
  if (code === undefined || !Object.hasOwn(publicRefusals, code)) return undefined;
  const hearing: Hearing = publicRefusals[code as keyof typeof publicRefusals]; // just asked
  if ("unheard" in hearing) return undefined;
  return hearing.side === undefined || hearing.side === side ? hearing.cause : undefined;
}
