import type { FormKey, OpeningKey } from "@sealpost/sdk";

type NamedKey = Pick<FormKey, "fingerprint" | "hybridFingerprint">;

/** The hybrid key's fingerprint of a version: of the owner's key file where that has one, whatever the server says. */
export function findHybridFingerprint(named: NamedKey, held: readonly OpeningKey[]): string | undefined {
  return findHeld(named, held)?.hybrid?.fingerprint ?? named.hybridFingerprint;
}

/** How the hybrid key that the server names for a version differs from the owner's key file. `undefined`: it does not, or no file is here. */
export function compareHybrid(named: NamedKey, held: readonly OpeningKey[]): "swapped" | "hidden" | undefined {
  const own = findHeld(named, held)?.hybrid;
  if (own === undefined || own.fingerprint === named.hybridFingerprint) return undefined;
  return named.hybridFingerprint === undefined ? "hidden" : "swapped";
}

/**
 * The fingerprint that a page is to name: of the hybrid key alone, where there is one. A page that names the RSA key of the same
 * version would seal to that one if the server hid the hybrid key.
 */
export function pinOf(named: NamedKey, held: readonly OpeningKey[]): string {
  return findHybridFingerprint(named, held) ?? named.fingerprint;
}

/** The RSA key says which version a key file is of, and the file which hybrid key belongs to it. */
function findHeld({ fingerprint }: NamedKey, held: readonly OpeningKey[]): OpeningKey | undefined {
  return held.find((key) => key.fingerprint === fingerprint);
}
