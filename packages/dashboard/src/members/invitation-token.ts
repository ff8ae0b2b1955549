const storageKey = "sealpost-invitation";

/**
 * The token of an invitation's link, from after the # of the address, which browsers send to nobody. Taken out of the address
 * when the app starts, and kept for this tab alone: the way to accepting leads through a sign-in or a reload.
 */
export function takeInvitationToken(): void {
  if (window.location.pathname !== "/invitation") return;
  keepInvitationToken(window.location.hash.slice(1));
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

/** Whether it is one by its form. */
export function keepInvitationToken(token: string): boolean {
  const isToken = /^[\w-]{1,100}$/.test(token);
  if (isToken) sessionStorage.setItem(storageKey, token);
  return isToken;
}

export const findInvitationToken = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined;

export const forgetInvitationToken = (): void => sessionStorage.removeItem(storageKey);
