const storageKey = "sealpost-invitation";

/**
 * The token of an invitation's link, from after the # of the address, which browsers send to nobody. Taken out of the address
 * when the app starts, and kept for this tab alone: the way to accepting leads through a sign-in or a reload.
 */
export function takeInvitationToken(): void {
  if (window.location.pathname !== "/invitation") return;
  const token = /^#([\w-]{1,100})$/.exec(window.location.hash)?.[1];
  if (token !== undefined) sessionStorage.setItem(storageKey, token);
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

export const findInvitationToken = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined;

export const forgetInvitationToken = (): void => sessionStorage.removeItem(storageKey);
