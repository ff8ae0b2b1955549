import { type PersonalKey, sealKeyCopy } from "@sealpost/envelope";
import { type AskPasskey, PasskeyRecipient } from "./passkey-prf.ts";

/** The way that opens a new copy; for a passkey its person is asked on the way. */
export type CopyWay = { readonly passphrase: string } | { readonly recipient: string } | { readonly passkey: "asked" };

/** Another sealed copy of the open key, SPECIFICATION.md section 16. */
export async function sealCopy(
  key: PersonalKey,
  way: CopyWay,
  askPasskey: AskPasskey,
): Promise<Uint8Array<ArrayBuffer>> {
  return sealKeyCopy(key, "passkey" in way ? { passkey: new PasskeyRecipient(askPasskey) } : way);
}
