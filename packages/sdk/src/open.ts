import { hybridVersion, type Kem } from "@sealpost/wire";
import {
  type HybridOpeningKey,
  type Opened,
  type OpeningKey as RsaOpeningKey,
  type Sealed,
  open as wireOpen,
} from "@sealpost/wire/open";

/** A private key ready for opening, never exportable: the RSA key and, where its version has one, the hybrid key. */
export interface OpeningKey extends RsaOpeningKey {
  readonly hybrid?: HybridOpeningKey;
  /** The public half of the version's reply key, where its seed, form and version are known. It opens nothing. */
  readonly replyKey?: string;
}

/**
 * Opens a sealed payload with whichever of `keys` fits: `sp1` with their RSA keys, `sp2` with their hybrid ones. With
 * `expectedFingerprint` (from the form's list of keys, of either key of the version) only that version's key is used.
 * `kem` is for runtimes that do not know hybrid keys.
 */
export function open(
  sealed: Sealed,
  keys: readonly OpeningKey[],
  expectedFingerprint?: string,
  kem?: Kem,
): Promise<Opened> {
  const halves = keys.flatMap((key) => (key.hybrid === undefined ? [key] : [key, key.hybrid]));
  const isExpected = (key: { readonly fingerprint: string } | undefined) => key?.fingerprint === expectedFingerprint;
  // One key may be there twice: without its hybrid key, as on a recovery sheet, and with it.
  const pairs = keys.filter((key) => isExpected(key) || isExpected(key.hybrid));
  const half = sealed.payload.version === hybridVersion ? pairs.find(({ hybrid }) => hybrid)?.hybrid : pairs[0];
  const expected = expectedFingerprint === undefined ? undefined : (half?.fingerprint ?? expectedFingerprint);
  return wireOpen(sealed, halves, expected, kem);
}
