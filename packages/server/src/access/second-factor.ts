/** A proof beyond the password: a code of an app, or one of the backup codes. */
export type SecondFactor = "app";

/** Whether a session was opened with more than a password. */
export function hasSecondFactor(session: { readonly secondFactor: SecondFactor | undefined }): boolean {
  return session.secondFactor !== undefined;
}
