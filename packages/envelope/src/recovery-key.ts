import { encodeBase64Url } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import type { SigningKeys } from "./personal-key.ts";
import { hybridSeedOf } from "./recipient.ts";
import { signingKeyOf } from "./signature.ts";

/** Everything that follows from the 32 bytes of an organization's recovery key: it reads, and signs in the list of members. SPECIFICATION.md section 17. */
export async function deriveRecoveryKey(identity: string): Promise<SigningKeys> {
  const seed = hybridSeedOf(identity);
  if (seed === undefined) throw new TypeError("Not a hybrid identity");
  const key = await crypto.subtle.importKey("raw", seed, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode("sealpost-recovery-signing/1");
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const signingSeed = encodeBase64Url(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256)));
  const recipient = await identityToRecipient(identity);
  return { identity, recipient, signingSeed, signingKey: await signingKeyOf(signingSeed) };
}
