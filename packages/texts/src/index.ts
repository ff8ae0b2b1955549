export { chooseLanguage, wantedMax } from "./choose-language.ts";
export type { Formats } from "./formats.ts";
export type { Language, MailTexts, Parts, ServedTexts } from "./language.ts";
export { languages } from "./languages.ts";
export type { PluralForms } from "./plurals.ts";
