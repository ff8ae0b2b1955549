import type { EnvelopeHead, SeenKey } from "./envelope-checks.ts";

/** A remembered key, of which the form's key log denies the hybrid key, the seed, or both. */
export interface DeniedKey extends Pick<SeenKey, "version" | "fingerprint"> {
  /** The value that is remembered. */
  readonly hybridFingerprint?: string;
  readonly seedHash?: string;
}

/** A head without these values, and with all others. */
export function withoutDenied(head: EnvelopeHead, denied: readonly DeniedKey[]): EnvelopeHead {
  const keys = head.keys.map((key): SeenKey => {
    const one = denied.find(({ version, fingerprint }) => version === key.version && fingerprint === key.fingerprint);
    const hybridFingerprint = one?.hybridFingerprint === key.hybridFingerprint ? null : key.hybridFingerprint;
    return { ...key, hybridFingerprint, seedHash: one?.seedHash === key.seedHash ? null : key.seedHash };
  });
  return { ...head, keys };
}
