import type { FormKey as PublishedKey } from "@sealpost/sdk";
import type { LoggedKey } from "@sealpost/wire";

/** A published key as an entry of a key log names it. */
export function toLogged({ version, fingerprint, hybridFingerprint }: PublishedKey): LoggedKey {
  return { version, fingerprint, hybridFingerprint: hybridFingerprint ?? null };
}

export function isSameKey(logged: LoggedKey, published: PublishedKey): boolean {
  const { version, fingerprint, hybridFingerprint } = toLogged(published);
  return (
    logged.version === version && logged.fingerprint === fingerprint && logged.hybridFingerprint === hybridFingerprint
  );
}
