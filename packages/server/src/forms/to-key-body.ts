import type { FormKey } from "./form.ts";

/** A key version as the API shows it. */
export function toKeyBody({ version, publicKey, fingerprint, hybrid, createdAt, madeBy, provedAt, closesAt }: FormKey) {
  return {
    version,
    publicKey,
    fingerprint,
    ...(hybrid && { hybridPublicKey: hybrid.publicKey, hybridFingerprint: hybrid.fingerprint }),
    createdAt,
    madeBy,
    provedAt: provedAt ?? null,
    ...(closesAt !== undefined && { closesAt }),
  };
}
