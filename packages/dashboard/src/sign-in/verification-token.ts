import { pages } from "../pages.ts";

let token: string | undefined;

/**
 * The token of the emailed link, from after the # of the address, which browsers send to nobody. Taken when the app starts,
 * because the way to the page may lead through a sign-in, and out of the address at once.
 */
export function takeVerificationToken(): void {
  if (window.location.pathname !== pages.verifyEmail.path) return;
  token = /^#([\w-]{1,100})$/.exec(window.location.hash)?.[1] ?? token;
  window.history.replaceState(window.history.state, "", window.location.pathname);
}
export const findVerificationToken = (): string | undefined => token;
