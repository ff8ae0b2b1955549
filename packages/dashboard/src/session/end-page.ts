import { lockInAllTabs } from "@sealpost/vault";
import { releasePage } from "../browser/held.ts";
import { lockAllForms } from "../browser/lock-all-forms.ts";
import { pages } from "../pages.ts";
import { findPagePerson } from "./page-person.ts";

/** Why the sign-in page says somebody is there. */
export const signInReasons = [
  "ended",
  "signed-out",
  "leaving",
  "joining",
  "joining-words",
  "second-factor",
  "password",
] as const;
export type SignInReason = (typeof signInReasons)[number];

/** Closes every key that this page's person has open, or anybody where that is not known, in every tab. Remembered keys stay. */
export function lockAllKeys(): void {
  lockInAllTabs();
  lockAllForms(findPagePerson());
}

/**
 * Loads another page in place of this one, or the same again, whatever this one holds: its memory ends with it. Until then nothing is shown or can be
 * pressed. Not with an entry of the history, which could bring this page back as it was. Never resolves.
 */
export function leavePage(path?: string): Promise<never> {
  releasePage();
  document.body.hidden = true;
  if (path === undefined) window.location.reload();
  else window.location.replace(path);
  return new Promise(() => {});
}

/** The session has ended: so does the page. Never resolves. */
export function endPage(reason: SignInReason, next?: string): Promise<never> {
  lockAllKeys();
  return leavePage(`${pages.signIn.path}?${new URLSearchParams({ ...(next !== undefined && { next }), reason })}`);
}
