import { type Language, languages } from "@sealpost/texts";
import type { Mail } from "./mail.ts";

/** The language of an email. Nobody can choose one yet, so it is the first of the list. */
export function languageOf(_mail: Pick<Mail, "accountId" | "subject">): Language {
  return languages[0];
}
