import type { OpeningKey } from "@sealpost/sdk";

/**
 * A key of an envelope that was opened by a list for reading, or one that nothing but the server's word calls the form's: it may be a key of the server's own,
 * or of somebody who has put it into the envelope, and proves nothing about the form's.
 */
interface UnsureKey extends OpeningKey {
  readonly isForReading: true;
}

function isUnsure(key: OpeningKey): key is UnsureKey {
  return "isForReading" in key;
}

/**
 * Keys that are held already are left alone: what they opened stays open. One without its hybrid key gives way to the whole, and an unsure one to the
 * same that is sure.
 */
export function mergeKeys(before: readonly OpeningKey[], keys: readonly OpeningKey[]): readonly OpeningKey[] {
  const isKnown = (key: OpeningKey) =>
    before.some(
      (held) =>
        held.fingerprint === key.fingerprint &&
        (held.hybrid !== undefined || !key.hybrid) &&
        (!isUnsure(held) || isUnsure(key)),
    );
  const added = keys.filter((key) => !isKnown(key));
  if (added.length === 0) return before;
  const kept = before.filter(({ fingerprint }) => !added.some((key) => key.fingerprint === fingerprint));
  return [...kept, ...added];
}

/** Those by which a person may say that something is the form's. */
export function sureKeys(keys: readonly OpeningKey[]): readonly OpeningKey[] {
  return keys.filter((key) => !isUnsure(key));
}

/** Whether one of these has this fingerprint, and is not unsure. */
export function provesFingerprint(keys: readonly OpeningKey[], fingerprint: string | undefined): boolean {
  return sureKeys(keys).some((key) => [key.fingerprint, key.hybrid?.fingerprint].includes(fingerprint));
}
