import type { OpeningKey } from "@sealpost/sdk";

/** A key that can never be read out: no other goes to another tab, or is remembered. Of a hybrid one, its X25519 half. */
export function isSealedKey({ cryptoKey, hybrid }: OpeningKey): boolean {
  return isSealed(cryptoKey) && (hybrid === undefined || isSealedHybrid(hybrid));
}

/** The part of a key that can never be read out, if any. */
export function sealedPartOf({ hybrid, ...key }: OpeningKey): OpeningKey | undefined {
  if (!isSealed(key.cryptoKey)) return undefined;
  return hybrid !== undefined && isSealedHybrid(hybrid) ? { ...key, hybrid } : key;
}

function isSealedHybrid({ decapsulationKey }: NonNullable<OpeningKey["hybrid"]>): boolean {
  return "x25519" in decapsulationKey && isSealed(decapsulationKey.x25519);
}

function isSealed(key: unknown): boolean {
  return key instanceof CryptoKey && !key.extractable;
}
