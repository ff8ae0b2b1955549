/**
 * The library's routes that are open to the outside, each with its rate and the members that its body may have: whatever
 * else a body holds is dropped (`callbackURL` would make the library answer with a redirect). Every other one of its
 * paths is 404.
 */
export const passedThrough = [
  ["POST", "/sign-in/email", "sign_in", ["email", "password", "rememberMe"]],
  ["POST", "/sign-out", "api", []],
  ["GET", "/get-session", "api", []],
  ["GET", "/token", "api", []],
  ["GET", "/jwks", "api", []],
  // Asks for the password before, so it can be used to guess it.
  ["POST", "/change-password", "sign_in", ["currentPassword", "newPassword", "revokeApiKeys"]],
  ["GET", "/list-sessions", "api", []],
  ["POST", "/revoke-session", "api", ["token"]],
  ["POST", "/revoke-other-sessions", "api", []],
  ["POST", "/two-factor/enable", "sign_in", ["password"]],
  // Guesses are counted by the library, for each sign-in and each account. If they counted for the address, a stranger
  // with the same one could keep the owner from the second step, in any browser.
  ["POST", "/two-factor/verify-totp", "api", ["code"]],
  ["POST", "/two-factor/verify-backup-code", "api", ["code"]],
  ["POST", "/two-factor/generate-backup-codes", "sign_in", ["password", "code"]],
  ["POST", "/two-factor/disable", "sign_in", ["password", "code"]],
] as const;
