import type { OpeningKey, FormKey as PublishedKey } from "@sealpost/sdk";
import type { LoggedKey } from "@sealpost/wire";

/** A published key as an entry of a key log names it. `held`: keys that are open here, one of which may know its reply key. */
export function toLogged(
  { version, fingerprint, hybridFingerprint }: PublishedKey,
  held: readonly OpeningKey[],
): LoggedKey {
  const own = held.find((key) => key.fingerprint === fingerprint && key.replyKey !== undefined);
  const replyKey = own?.replyKey ?? null;
  return { version, fingerprint, hybridFingerprint: hybridFingerprint ?? null, replyKey };
}

export function isSameKey(logged: LoggedKey, published: PublishedKey): boolean {
  const { version, fingerprint, hybridFingerprint } = published;
  return (
    logged.version === version &&
    logged.fingerprint === fingerprint &&
    logged.hybridFingerprint === (hybridFingerprint ?? null)
  );
}
