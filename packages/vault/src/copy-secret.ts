import type { CopySecret } from "@sealpost/envelope";
import { type AskPasskey, PasskeyIdentity } from "./passkey-prf.ts";

/** The secret for a copy, as a page gives it to a worker; a passkey is asked for when the copy is opened. */
export type CopySecretGiven =
  | { readonly passphrase: string }
  | { readonly identity: string }
  | { readonly passkey: "asked" };

export function secretOf(given: CopySecretGiven, askPasskey: AskPasskey): CopySecret {
  return "passkey" in given ? { passkey: new PasskeyIdentity(askPasskey) } : given;
}
