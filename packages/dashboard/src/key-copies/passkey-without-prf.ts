/** The passkey was used, and has no PRF: it can sign in, but open nothing. */
export class PasskeyWithoutPrf extends Error {}
