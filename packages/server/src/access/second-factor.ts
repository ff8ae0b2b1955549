/**
 * A proof beyond the password: a code of an app, or one of the backup codes; what the identity provider asked for, where
 * the operator says that it counts; or a passkey, which has checked on its own that it is the person.
 */
export type SecondFactor = "app" | "provider" | "passkey";

/** Whether a session was opened with more than a password. */
export function hasSecondFactor(session: { readonly secondFactor: SecondFactor | undefined }): boolean {
  return session.secondFactor !== undefined;
}

/** Whether an organization that requires a second factor from a moment on requires it now; null: it does not. */
export function isSecondFactorRequired(from: number | null, now: number): boolean {
  return from !== null && from <= now;
}
