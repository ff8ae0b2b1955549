import type { ServedTexts } from "@sealpost/texts";
import type { MessagePage } from "../http/message-page.ts";
import type { Code } from "../problems/codes.ts";
import type { Problem } from "../problems/problem.ts";
import type { FullCode } from "../problems/waiting-codes.ts";
import { membersMax } from "../submissions/submission.ts";

type Texts = ServedTexts["htmlForms"];

/** A page of our own words alone: none repeats something that was sent. */
export type PageName = keyof Texts;

/** Codes that have a page of their own, which says more than their status: those of HTML forms, and where there is no room. */
type PageCode = FullCode | Extract<Code, `html_form_${string}`>;
const pageCodes = {
  html_form_needs_script: true,
  html_form_without_files: true,
  html_form_malformed: true,
  html_form_too_many_fields: true,
  html_form_trapped: true,
  html_form_without_answers: true,
  quota_reached: true,
  hourly_limit_reached: true,
  storage_full: true,
} as const satisfies Readonly<Record<PageCode, true>>;

/** Pages for people, by the status that programs get. */
const pagesOfStatus: Readonly<Record<number, PageName>> = {
  403: "other_site",
  404: "not_found",
  405: "only_posts",
  413: "too_long",
  429: "too_many_at_once",
  500: "broken",
  // Whether it was stored can't be known when the database went away in the midst of it.
  503: "unavailable",
};

export function pageOfProblem({ reason, status }: Pick<Problem, "reason" | "status">): PageName {
  return isPageCode(reason) ? reason : (pagesOfStatus[status] ?? "html_form_malformed");
}

function isPageCode(code: string): code is PageCode {
  return Object.hasOwn(pageCodes, code);
}

export function writePage(name: PageName, texts: Texts): MessagePage {
  const { title, text } = texts[name];
  return { title, text: typeof text === "string" ? text : text({ fieldsMax: membersMax }) };
}
