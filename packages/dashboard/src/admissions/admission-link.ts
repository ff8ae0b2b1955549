const storageKey = "sealpost-admission";

/**
 * The part of a link that brings somebody in that follows its #, which browsers send to nobody. Taken out of the address when the app starts, and kept
 * for this tab alone until it was used: the way there leads through a sign-in, and a page on which a key is made.
 */
export function takeAdmissionLink(): void {
  if (window.location.pathname !== "/join") return;
  const fragment = window.location.hash.slice(1);
  if (fragment !== "" && fragment.length <= 200) sessionStorage.setItem(storageKey, fragment);
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

export const findAdmissionLink = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined;

export const forgetAdmissionLink = (): void => sessionStorage.removeItem(storageKey);
