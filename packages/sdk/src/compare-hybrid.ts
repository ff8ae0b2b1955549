import type { FormKey } from "./api-types.ts";
import type { OpeningKey } from "./open.ts";

type NamedKey = Pick<FormKey, "fingerprint" | "hybridFingerprint">;

/** The hybrid key's fingerprint of a version: of the owner's key file where that has one, whatever the server says. */
export function findHybridFingerprint(named: NamedKey, held: readonly OpeningKey[]): string | undefined {
  return findHeld(named, held)?.hybrid?.fingerprint ?? named.hybridFingerprint;
}

/**
 * How the hybrid key that the server names for a version differs from the owner's key. `undefined` where it does not, or the
 * version is locked. `added` may also be a key off a recovery sheet without the hybrid one.
 */
export function compareHybrid(
  named: NamedKey,
  held: readonly OpeningKey[],
): "swapped" | "hidden" | "added" | undefined {
  const key = findHeld(named, held);
  if (key === undefined || key.hybrid?.fingerprint === named.hybridFingerprint) return undefined;
  if (key.hybrid === undefined) return "added";
  return named.hybridFingerprint === undefined ? "hidden" : "swapped";
}

/**
 * The fingerprint that a page is to name: of the hybrid key alone, where there is one. A page that names the RSA key of the same
 * version would seal to that one if the server hid the hybrid key. Of an unlocked version it is the owner's own, always.
 */
export function pinOf(named: NamedKey, held: readonly OpeningKey[]): string {
  const { hybrid, fingerprint } = findHeld(named, held) ?? {};
  return hybrid?.fingerprint ?? fingerprint ?? named.hybridFingerprint ?? named.fingerprint;
}

/** The RSA key says which version a key file is of, and the file which hybrid key belongs to it. */
function findHeld({ fingerprint }: NamedKey, held: readonly OpeningKey[]): OpeningKey | undefined {
  return held.find((key) => key.fingerprint === fingerprint);
}
