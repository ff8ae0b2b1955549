import { pages } from "../pages.ts";

const storageKey = "sealpost-invitation";

/**
 * The token of an invitation's link, from after the # of the address, which browsers send to nobody. Taken out of the address
 * when the app starts, and kept for this tab alone: the way to accepting leads through a sign-in or a reload.
 */
export function takeInvitationToken(): void {
  if (window.location.pathname !== pages.invitation.path) return;
  keepInvitationToken(window.location.hash.slice(1));
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

/** Whether it is one by its form. */
export function keepInvitationToken(token: string): boolean {
  if (isToken(token)) sessionStorage.setItem(storageKey, token);
  return isToken(token);
}

/** The token of an invitation's address, where what follows its # is one by its form and nothing else. */
export function findTokenOf(url: string): string | undefined {
  const token = url.slice(url.indexOf("#") + 1);
  return url.includes("#") && isToken(token) ? token : undefined;
}

const isToken = (text: string): boolean => /^[\w-]{1,100}$/.test(text);

export const findInvitationToken = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined;

export const forgetInvitationToken = (): void => sessionStorage.removeItem(storageKey);
