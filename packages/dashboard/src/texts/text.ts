import { account } from "./english/account.ts";
import { apiKeys } from "./english/api-keys.ts";
import { bin } from "./english/bin.ts";
import { common } from "./english/common.ts";
import { fieldErrors } from "./english/field-errors.ts";
import { formKeys } from "./english/form-keys.ts";
import { forms } from "./english/forms.ts";
import { keys } from "./english/keys.ts";
import { pages } from "./english/pages.ts";
import { secondFactor } from "./english/second-factor.ts";
import { session } from "./english/session.ts";
import { settings } from "./english/settings.ts";
import { submissions } from "./english/submissions.ts";

/**
 * The texts that many pages have, in English; those of single pages are imported from `english/` by them, and load with them.
 * A translation is another set of the files in `english/`, with the same members.
 */
export const text = {
  account,
  apiKeys,
  bin,
  common,
  fieldErrors,
  formKeys,
  forms,
  keys,
  pages,
  secondFactor,
  session,
  settings,
  submissions,
};
