import { type EnvelopeContent, RefusalError } from "@sealpost/envelope";
import type { Kem } from "@sealpost/wire";
import type { OpeningKey } from "../open.ts";
import { parseOpeningKey } from "../private-key.ts";

/**
 * The keys of an opened envelope, ready for opening; the hybrid ones where the runtime or `kem` knows those. Rejects with the refusal `wrong_key`
 * where the parts of one do not fit each other.
 */
export function importEnvelopeKeys({ formId, keys }: EnvelopeContent, kem?: Kem): Promise<readonly OpeningKey[]> {
  return Promise.all(
    keys.map(async ({ version: keyVersion, fingerprint, privateKey, hybridFingerprint, hybridPrivateKey, seed }) => {
      const hybrid = hybridPrivateKey !== null && { hybridFingerprint, hybridPrivateKey };
      try {
        // The reply key follows from the seed, and key logs name it.
        const file = { formId, keyVersion, fingerprint, privateKey, seed, ...hybrid };
        return await parseOpeningKey(file, "This", kem);
      } catch {
        throw new RefusalError("wrong_key");
      }
    }),
  );
}
