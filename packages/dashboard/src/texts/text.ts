import { account } from "./english/account.ts";
import { apiKeys } from "./english/api-keys.ts";
import { common } from "./english/common.ts";
import { forms } from "./english/forms.ts";
import { keys } from "./english/keys.ts";
import { session } from "./english/session.ts";
import { submissions } from "./english/submissions.ts";

/** Every text of the app, in English. A translation is another set of the files in `english/`, with the same members. */
export const text = { account, apiKeys, common, session, forms, keys, submissions };
