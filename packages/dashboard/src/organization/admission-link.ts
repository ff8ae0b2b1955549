import { pages } from "../pages.ts";
import { findInvitationToken, keepInvitationToken } from "./invitation-token.ts";

const storageKey = "sealpost-admission";
const answeredKey = "sealpost-admission-answered";

/**
 * The part of a link that brings somebody in that follows its #, which browsers send to nobody. Taken out of the address when the app starts, and kept
 * for this tab alone until it was used: the way there leads through a sign-in, and a page on which a key is made.
 */
export function takeAdmissionLink(): void {
  if (window.location.pathname !== pages.join.path) return;
  const fragment = window.location.hash.slice(1);
  if (fragment !== "" && fragment.length <= 300) keepAdmissionLink(fragment);
  else if (!isSamePage()) forgetAdmissionLink();
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

/** Loaded again, come back to, or led to by another page, as after a sign-in elsewhere: not an address that somebody has typed without its end. */
function isSamePage(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]; // of this type
  return entry?.type !== "navigate" || document.referrer !== "";
}

/** The fourth part of a link, if there is one, is an invitation for an account, which is accepted on a page of its own. */
export function keepAdmissionLink(fragment: string): void {
  const [admissionId, secret, head, token, ...more] = fragment.split(".");
  const hasToken = token !== undefined && more.length === 0 && keepInvitationToken(token);
  sessionStorage.removeItem(answeredKey);
  sessionStorage.setItem(storageKey, hasToken ? `${admissionId}.${secret}.${head}` : fragment);
}

/**
 * Gives what puts the links of this tab back. For signing out as somebody for whom they are not, after which the browser deletes everything that it
 * kept: who signs in next is the one for whom they are.
 */
export function holdLinks(): () => void {
  const [fragment, token] = [findAdmissionLink(), findInvitationToken()];
  return () => {
    if (token !== undefined) keepInvitationToken(token);
    if (fragment !== undefined) keepAdmissionLink(fragment);
  };
}

export const findAdmissionLink = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined;

export function forgetAdmissionLink(): void {
  sessionStorage.removeItem(storageKey);
  sessionStorage.removeItem(answeredKey);
}

/** The answer was sent: the link is used, and who comes back to the page reads by whose link it was, not a question for another. */
export function endAdmissionLink(maker: string): void {
  forgetAdmissionLink();
  sessionStorage.setItem(answeredKey, maker);
}

/** The name of the member whose link was answered in this tab. */
export const findAnswered = (): string | undefined => sessionStorage.getItem(answeredKey) ?? undefined;
