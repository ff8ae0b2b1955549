import { account } from "./english/account.ts";
import { apiKeys } from "./english/api-keys.ts";
import { auditLog } from "./english/audit-log.ts";
import { bin } from "./english/bin.ts";
import { common } from "./english/common.ts";
import { formKeys } from "./english/form-keys.ts";
import { forms } from "./english/forms.ts";
import { keys } from "./english/keys.ts";
import { personalData } from "./english/personal-data.ts";
import { secondFactor } from "./english/second-factor.ts";
import { session } from "./english/session.ts";
import { settings } from "./english/settings.ts";
import { statistics } from "./english/statistics.ts";
import { submissions } from "./english/submissions.ts";
import { webhooks } from "./english/webhooks.ts";

/** Every text of the app, in English; those of the opener alone are in `english/offline.ts`. A translation is another set of the files in `english/`, with the same members. */
export const text = {
  account,
  apiKeys,
  auditLog,
  bin,
  common,
  formKeys,
  forms,
  keys,
  personalData,
  secondFactor,
  session,
  settings,
  statistics,
  submissions,
  webhooks,
};
