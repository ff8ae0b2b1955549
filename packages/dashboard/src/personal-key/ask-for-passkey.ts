import { webauthn } from "age-encryption";
import type { PasskeySecrets } from "./passkey-prf.ts";

/** The passkey was used, and has no PRF: it can sign in, but open nothing. */
export class PasskeyWithoutPrf extends Error {}

/** The page's half of a passkey: `getCredential` is the prompt of the browser. */
class Prompt extends webauthn.WebAuthnIdentity {
  ask(nonce: Uint8Array): Promise<PasskeySecrets> {
    return this.getCredential(nonce);
  }
}

/** Shows the browser's prompt. Rejects with its `DOMException` where it was closed, and with `PasskeyWithoutPrf`. */
export async function askForPasskey(nonce: Uint8Array): Promise<PasskeySecrets> {
  try {
    return await new Prompt().ask(nonce);
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new PasskeyWithoutPrf();
  }
}
