let token: string | undefined;

/**
 * The token of the emailed link, from after the # of the address, which browsers send to nobody. It is taken out of the
 * address at once, so that it stays in no history and is in nobody's way when the screen is shared.
 */
export function takeResetToken(): string | undefined {
  // A link that was cut or mangled is taken out as well: it may be most of one.
  token = /^#([\w-]{1,100})$/.exec(window.location.hash)?.[1] ?? token;
  if (window.location.hash !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  return token;
}

/** It was used, or is too old. */
export function forgetResetToken(): void {
  token = undefined;
}
