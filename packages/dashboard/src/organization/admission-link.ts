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

/** A link that was answered, and the members who can approve it. */
export interface AnsweredLink {
  readonly admissionId: string;
  readonly organizationId: string;
  /** By the server's word. */
  readonly organizationName: string;
  /** The name of the member who made the link. */
  readonly maker: string;
  /** Names of the other owners and managers. */
  readonly others: readonly string[];
}

/** The answer was sent: the link is used, and its person, who comes back to the page, reads by whose link it was, not a question for another. */
export function endAdmissionLink(person: string, answered: AnsweredLink): void {
  forgetAdmissionLink();
  sessionStorage.setItem(answeredKey, JSON.stringify({ person, answered }));
}

/** Deletes whose link somebody else has answered in this tab. */
export function forgetAnsweredOfOthers(person: string): void {
  if (findAnswered(person) === undefined) sessionStorage.removeItem(answeredKey);
}

/** The link that this person has answered in this tab. */
export function findAnswered(person: string): AnsweredLink | undefined {
  const stored = sessionStorage.getItem(answeredKey);
  if (!stored?.startsWith("{")) return undefined; // nothing, or what a page of an older version has left in this tab
  const kept = JSON.parse(stored) as { readonly person: string; readonly answered: AnsweredLink }; // written above
  return kept.person === person ? kept.answered : undefined;
}
