/**
 * Every sentence that the API answers, by its code: the member `code` of an answer, and of each field in `detailCodes`.
 * Programs branch on codes and pages translate them, so a code keeps its meaning and never goes; a sentence may be worded
 * better at any time. `{}` stands for what differs. docs/codes.md says of each what to do.
 */
export const sentences = {
  // Any request
  invalid_request: "Invalid request",
  unknown_query_parameter: "Unknown query parameter: {}",
  unstorable_text: "Texts can't hold the character U+0000",
  credential_invalid: "Invalid or missing authentication",
  api_key_incomplete: "This API key is incomplete: {}",
  permission_missing: "This API key does not have the permission{}",
  role_insufficient: "Your role in this organization does not allow this",
  confirm_organization_deletion: "Add ?confirm=DELETE_ORGANIZATION to delete this organization and all its forms",
  organization_ending: "This organization is about to be deleted, so nobody joins it: ask an owner to keep it",
  organization_none: "You do not belong to this organization. Switch to another one, or ask its owners.",
  foreign_site: "This request came from another site",
  session_stale: "Sign in again to do this",
  email_unverified: "Verify your email address first: open the link in the mail that was sent to you",
  address_not_found: "There is nothing at this address",
  file_not_found: "There is no such file",
  method_not_allowed: "This address knows {}",
  no_proxy: "This service is not a proxy",
  service_unknown_host: "The service does not know itself by this name: set SEALPOST_BASE_URL",
  address_too_long: "The address has more than {} characters",
  body_too_large: "The request body is too large",
  json_expected: "Send the body as application/json",
  body_compressed: "Send the body uncompressed",
  http_malformed: "This is not a valid HTTP request",
  http_headers_too_large: "The request's headers are too large",
  http_chunk_extensions_too_large: "The request's chunk extensions are too large",
  http_request_too_slow: "The request took too long to arrive",
  too_many_requests: "Too many requests. Please try again later.",
  too_many_changes: "An account makes at most {} changes within a day",
  changed_meanwhile: "Somebody else was faster. Please try again.",
  internal_error: "Something went wrong on our side",
  database_unavailable: "The database does not answer{}",
  service_stopping: "The service is stopping",

  // Forms and their keys
  form_not_found: "Form not found",
  invalid_form_settings: "Invalid form settings",
  form_name_taken: "A form with this name already exists",
  form_busy: "The form is being changed, please try again",
  too_many_forms: "An account has at most {} forms. Delete one that is not needed first.",
  too_many_key_versions: "A form has at most {} key pairs. Make a new form.",
  key_version_not_found: "The form has no such key version",
  key_making_busy:
    "Too many key pairs are being made at this moment. Please try again, or send a publicKey of your own.",
  form_held:
    "This form has been under legal hold since {}: nothing of it can be deleted until an owner of the organization lifts the hold",
  confirm_form_deletion: "Add ?confirm=DELETE_FORM to delete this form and all its submissions",

  // Submissions
  submission_not_found: "Submission not found",
  submission_exists: "This submission exists already",
  submission_id_taken: "Another submission with this id exists already",
  submission_deleted: "The submission with this id was deleted",
  submission_too_large: "This form takes submissions of at most {} bytes",
  submission_check_busy: "Too many long texts are being checked for personal data at this moment. Please try again.",
  submission_check_too_slow: "The submission took too long to check",
  hourly_limit_reached: "This form takes no more submissions within this hour",
  quota_reached: "This form is full: it takes no more submissions at the moment",
  storage_full: [
    "The service has no room for submissions at the moment",
    "The service has no room for anything new at the moment. Deleting is still possible.",
  ],
  origin_not_allowed: "This form does not accept submissions from this site",
  confirm_submissions_deletion: "Add ?confirm=DELETE_SUBMISSIONS to delete submissions of this form",
  confirm_bin_emptying: "Add ?confirm=EMPTY_BIN to delete for good what is in the bin of this form",

  // HTML forms without script
  html_form_needs_script: "Not sent: this form needs JavaScript",
  html_form_without_files: "Not sent: this form cannot take files",
  html_form_malformed: "Not sent: the form could not be read",
  html_form_too_many_fields: "Not sent: this form has too many fields",

  // Webhooks
  delivery_not_found: "Delivery not found",
  delivery_content_deleted: "The submission was deleted, and with it what this delivery sent",
  too_many_resends: "This was sent {} times. The log has to forget some of them first.",
  too_many_webhook_secrets:
    "{} secrets of this form are valid: wait until the first of them ends ({}), or end all earlier ones with revokePrevious",
  test_interrupted: "The test was interrupted",

  // API keys
  api_key_not_found: "API key not found",
  api_key_foreign: "Access denied",
  api_key_body_wrong: "The body must be a JSON object",
  api_key_unknown_member: "Unknown member: {}",
  api_key_name_missing: "Key name is required",
  api_key_name_no_text: "Key name must be a text",
  api_key_name_too_long: "Key name must be at most {} characters",
  api_key_name_control_characters: "Key name must not contain control characters",
  api_key_permissions_no_list: "Permissions must be a list",
  api_key_permissions_missing: "At least one permission is required",
  api_key_permission_unknown: "Invalid permission: {}",
  api_key_permission_above_role: "Your role in this organization does not hold the permission {}",
  api_key_forms_no_list: "Forms must be a list of form ids",
  api_key_forms_missing: "At least one form is required; leave forms out for all",
  api_key_forms_unknown: "Forms must be forms of this organization",
  too_many_api_key_forms: "A key is limited to at most {} forms; leave forms out for all",
  api_key_end_no_time: "The end of a key must be a time such as 2027-01-31T12:00:00Z",
  api_key_end_past: "The end of a key must be in the future",
  api_key_expired: "This API key has expired. Create a new one.",
  api_key_limited: "This API key is limited to named forms",
  too_many_api_keys: "Maximum number of API keys reached ({}). Delete an existing key first.",
  api_key_shown_once: "Save this key now: it is shown only this once and cannot be recovered.",

  // Accounts and sessions
  sign_in_wrong: "Email address or password is wrong",
  sign_in_incomplete: "Email address and password are needed, as texts",
  sign_up_closed: "Sign-up is closed on this instance",
  setup_token_needed:
    "Open the whole set-up address that the server printed when it started: only with its token (setupToken) can the first account be made",
  account_exists: "There is an account with this email address already",
  confirm_account_deletion: "Add ?confirm=DELETE_ACCOUNT to delete your account",
  account_deletion_needs_owner:
    "Others belong to the organization “{}”, and nobody else owns it: make one of them an owner first, or delete it",
  address_move_without_mail:
    "This instance sends no emails: ask its operator to move your account (sealpost-server account move)",
  address_moved_lately: "The address was changed within the last {} days: it can be changed again after that",
  address_link_unknown: "This link was used or refused, or is too old. Begin again, or sign in.",
  address_is_same: "Must be another address than the account has",
  account_disabled: "This account is disabled. The server's operator can enable it again.",
  email_needed: "An email address is needed, such as you@example.com",
  account_name_wrong: "The name must be text of at most {} characters",
  account_name_blank: "The name must not be blank",
  password_wrong: "The password is wrong",
  password_needed: ["A password is needed, as text", "The password is needed, as text"],
  password_too_short: "The password must have at least {} characters",
  password_too_long: "The password must have at most {} characters",
  password_blank: "The password must not be spaces alone",
  password_one_character: "The password must not be one character over and over",
  password_unchanged: "The new password must differ from the current one",
  password_guessable:
    "This password is easy to guess: take four words that do not belong together, or let a password manager make one",
  current_password_needed: "The password until now is needed, as text",
  password_queue_full: "Too many passwords are being checked at this moment. Please try again.",
  truth_value_needed: "It must be true or false",
  code_wrong: ["The code is wrong or too old", "The code is wrong or too old, or was used before"],
  code_needed: ["The code is needed, as text", "A code of the app or a backup code is needed, as text"],
  code_used: "This code was used before: enter the next one",
  code_used_sign_in: "This code was used before: sign in again, with the next one",
  code_time_over: "The time to enter the code is over: sign in again",
  codes_wrong_sign_in: "Too many wrong codes: sign in again",
  codes_wrong_wait: "Too many wrong codes. Please try again later.",
  backup_code_wrong: "The backup code is wrong or was used before",
  second_factor_on: "The second factor is on already",
  second_factor_off: "The second factor is off",
  second_factor_required: "This organization requires a second factor: turn one on in your account, then continue",
  second_factor_missing: "Turn on a second factor of your own first",
  date_too_far: "Must be within a year",
  session_not_found: "You have no session with this id",
  link_used: [
    "This link was used before, or is older than a day. Ask for a new one.",
    "This link was used before, or is older than an hour. Ask for a new one.",
  ],
  link_of_another_account: "This link is for another account: sign out, and sign in with its address.",
  link_incomplete: "The link's token and the new password are needed, as texts",
  identity_provider_away: "The identity provider does not answer. Please try again in a moment.",
  identity_provider_misconfigured:
    "The identity provider is not set up as this instance expects. Its operator finds out why with sealpost-server doctor.",
  identity_not_found: "You have no such linked sign-in",
  passkey_not_found: "You have no such passkey",
  passkey_unknown: "This passkey is not known here, or was removed: sign in with your password or another passkey",
  passkey_refused: "The passkey's answer could not be verified. Please try again.",
  passkey_expired: "That took too long, or was begun in another tab. Please try again.",
  passkey_user_unverified:
    "This passkey did not check that it is you: set up a PIN, a fingerprint or a face for it, then try again",
  passkey_copied:
    "This passkey was refused, since a copy of it may have been used: sign in with your password, remove it, and add another one",
  passkey_exists: "This passkey is in an account here already",
  passkey_last:
    "You need a second factor, and this is your last one: add another passkey or turn on codes of an app first",
  passkey_needed:
    "Confirm with one of your passkeys first. If you have lost them, set a new password by an emailed link, or ask the server's operator.",
  passkey_name_wrong: "A passkey's name must have 1 to {} characters, on one line",
  too_many_passkeys: "One person has at most {} passkeys. Remove one that is not needed first.",
  passkeys_unavailable:
    "Passkeys need an address with a name and HTTPS, or localhost. The server's operator sets it with SEALPOST_BASE_URL.",
  last_way_in: "This is your only way to sign in: set a password first, by the link for a forgotten one",
  no_mail: "This instance sends no emails. Its operator can verify your address.",
  too_many_emails: "Several emails were sent already. Look into the spam folder too.",

  // Organizations
  organization_not_found: "You belong to no organization with this id",
  organization_creation_closed: "On this instance only owners of an organization make another one",
  too_many_organizations: "One person owns at most {} organizations",
  member_not_found: "Member not found",
  member_already: ["This person is a member already", "You are a member of this organization already"],
  too_many_members: "An organization has at most {} members",
  last_owner: "An organization needs an owner: make another member an owner first",
  role_above: "Only an owner gives and ends the rights of owners, managers and auditors",
  invitation_not_found: "Invitation not found",
  invitation_unknown: "This invitation was used or taken back, or is older than 7 days. Ask for a new one.",
  invitation_other_address: "This invitation is for another email address: sign in with that one",
  invitation_for_new_account: "This invitation is to make an account, and you have one: there is nothing to accept",
  too_many_invitations: [
    "An organization has at most {} open invitations. Take one back first.",
    "An instance has at most {} open invitations. Take one back first.",
  ],
  too_many_invitations_today: [
    "An organization makes at most {} invitations within a day",
    "An instance makes at most {} invitations within a day",
  ],
  form_not_sealed:
    "A developer changes the webhook only of a form that seals, has no plain submissions and has delivered everything",
  not_owner_there: "You must own the organization that gets the form",
  organization_same: "Must be another organization",
  forms_not_named: "Must be forms of this organization",
  forms_needless: "Must be left out: this role is for all forms",
  organization_name_wrong: "Must be 1 to {} characters, without control characters",

  // The instance, for its operators
  operator_only: "This is for the instance's operators: sealpost-server account operator names them",
  operator_second_factor: "Operators need a second factor: turn it on in your account, then come back",
  operator_account: "This person is an operator. End that first, on the server, with sealpost-server account operator",
  leaves_without_owner:
    "Nobody else who can sign in owns {} of this person's organizations. Make another member an owner first, or send leavesWithoutOwner: true",
  address_reserved:
    "An account was moved away from this address within the last 7 days, which its owner can still undo: invite it after that",
  person_not_found: "There is no account with this id",
  instance_organization_not_found: "There is no organization with this id",
  mail_not_found: "There is no failed email with this id",
  mail_link_too_old: "The link in this email is too old by now: the person asks for a new one",

  // Fields
  field_required: "Is required",
  field_unknown: "Is not known here",
  field_invalid: "Is not valid",
  field_empty: "Must not be empty",
  field_too_short: "Must have at least {} characters",
  field_too_long: ["Must have at most {} characters", "Must be at most {} characters"],
  field_too_few: ["Must have at least {} entries", "Must have at least 1 entry"],
  field_too_many: "Must have at most {} entries",
  field_too_small: "Must be at least {}",
  field_too_large: ["Must be at most {}", "Is too large"],
  field_wrong_type: [
    "Must be a string",
    "Must be a number",
    "Must be an integer",
    "Must be a boolean",
    "Must be an array",
    "Must be an object",
    "Must be a string or null",
    "Must be an integer or null",
    "Must be an array or null",
    "Must be an object or null",
  ],
  field_not_json: "Must be valid JSON",
  field_not_one_line: "Must be one line, without control characters",
  field_half_character: "Must not contain half a character: type it again",
  webhook_url_invalid: [
    "Must be a valid HTTPS URL",
    "Must be a valid HTTPS URL: one that begins with https:// and leads to a public address. The server's operator can allow others with SEALPOST_WEBHOOK_ALLOW_NETWORKS",
  ],
  webhook_url_with_credentials: "Must not contain a user name or password",
  webhook_url_private:
    "Must not lead to a private, local or reserved address. The server's operator can allow it with SEALPOST_WEBHOOK_ALLOW_NETWORKS",
  webhook_url_missing: "Set the form's webhook URL first",
  origin_invalid:
    "Must be the beginning of an address, such as https://www.example.org, with nothing after it; https://*.example.org for every site below it; or * for any page",
  origin_several:
    "Must be a single address. Several are entries of their own; on the command line, commas separate them",
  origin_missing: "Must name at least one site, or * for any page",
  sealed_bytes_too_small: [
    "Must be at least {} on a form with encryption: an empty sealed submission takes nearly as much",
    "Must be at least {} on a form with a hybrid key: an empty sealed submission takes nearly as much",
  ],
  country_invalid: "Must be a country code of two capital letters, such as DE, or null",
  pii_type_unknown: "Must be a type of personal data, such as EMAIL_ADDRESS: /api/docs lists them",
  pii_types_invalid: "Must list at least one type of personal data, each once, or be null for all",
  hold_until_past: "Must be a moment that is still to come, in milliseconds since the Unix epoch, or null",
  retention_days_invalid: "Must be a whole number from 1 to {}, or null",
  period_invalid: "Must be day, week, month or year",
  cursor_invalid: "Must be the nextCursor of a page before",
  submission_id_invalid: ["Must be a submission id", "Must be a submission id: sub_ and 26 characters"],
  submission_id_unknown: "Must be the id of a submission of this form",
  audit_log_ends: "The log ends with entry {}",
  audit_entries_removed: "Entries up to {} were removed for their age",
  public_key_private: "Must be the public key only: this one contains private members, keep them to yourself",
  public_key_no_jwk: "Must be an RSA public key as JWK",
  public_key_members: "Must have exactly the members kty, n and e",
  public_key_no_rsa: "Must be an RSA key (kty: RSA)",
  public_key_exponent: "Must have the public exponent 65537 (e: AQAB)",
  public_key_no_modulus: "Must have a modulus n",
  public_key_encoding: "Must have a modulus n in base64url without padding or leading zeros",
  public_key_even: "Must have an odd modulus n",
  public_key_bits: "Must have {} to {} bits, this one has {}",
  public_key_known: "This form has had this key before: make a new pair",
  public_key_missing: "Must be there too: send the RSA key of the same version",
  hybrid_key_missing: "Must be there too: with a publicKey of your own the hybrid key is yours as well",
  hybrid_contradicted: "Must be true or left out with a hybridPublicKey",
  hybrid_key_no_jwk: "Must be a hybrid public key as JWK",
  hybrid_key_private: "Must be the public key only: this one contains its private member, keep it to yourself",
  hybrid_key_members: "Must have exactly the members kty, alg and pub",
  hybrid_key_algorithm: "Must be a key for MLKEM768-X25519 (kty: AKP)",
  hybrid_key_encoding: "Must have {} bytes in pub, in base64url without padding",
  key_version_invalid: "Must be a key version, counted from 1",
  key_version_unknown: "This form has no such key version",
  timestamp_invalid: "Must be milliseconds since the Unix epoch",
  payload_plain_refused: "This form accepts only encrypted submissions",
  payload_version_unknown: ["Must be sp1 or sp2", "Must be plain1"],
  payload_hybrid_refused: "Must be sp1: this key version has no hybrid key",
  payload_no_base64: "Must be base64 with padding and without white space",
  payload_length: ["Must hold {} bytes", "Must hold at least {} bytes"],
  payload_number_infinite: "Numbers must be finite",
  payload_too_deep: "Must be at most {} levels deep",
  payload_too_many_members: "Must have at most {} members",
  payload_name_too_long: "Names must have at most {} characters",
  field_wrong_choice: ['Must be "{}', "Must be one of {}", "Must be true", "Must be false"],
} as const satisfies Record<string, string | readonly string[]>;

export type Code = keyof typeof sentences;

type Filled<Text> = Text extends `${infer Before}{}${infer After}` ? `${Before}${string}${Filled<After>}` : Text;
type Texts = (typeof sentences)[Code];
/** One of the sentences above with something in its gaps: another one does not compile. */
export type Sentence = Filled<Texts extends infer Text ? (Text extends readonly (infer One)[] ? One : Text) : never>;

const pairs = Object.entries(sentences).flatMap(([code, texts]) =>
  (typeof texts === "string" ? [texts] : texts).map((text) => [text, code as Code] as const),
); // its own keys
const exact: ReadonlyMap<string, Code> = new Map(pairs.filter(([text]) => !text.includes("{}")));
/** The one that says most first: "Must be at least 3 on a form …" is also "Must be at least …". */
const gapped = pairs
  .filter(([text]) => text.includes("{}"))
  .map(([text, code]) => ({ parts: text.split("{}"), length: text.length, code }))
  .toSorted((one, other) => other.length - one.length);

/** The code of a sentence; `undefined` for one that is not listed, which tests do not let pass. */
export function codeOf(sentence: string): Code | undefined {
  return exact.get(sentence) ?? gapped.find(({ parts }) => fits(sentence, parts))?.code;
}

/** In one pass, since the text in a gap may be a stranger's, and long. */
function fits(sentence: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop() ?? "";
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const found = sentence.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= sentence.length - last.length;
}
