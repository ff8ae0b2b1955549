import { envelopeBytesMax } from "@sealpost/envelope/form";
import { dayMilliseconds } from "../time/clock.ts";

/** A revision of an envelope, without its bytes. */
export interface EnvelopeRevision {
  readonly lowestVersion: number;
  readonly revision: number;
  /** Hash of the file, base64url. */
  readonly hash: string;
  readonly bytes: number;
  readonly createdAt: number;
}

/** The bytes of an envelope (SPECIFICATION.md section 15) in base64url. */
export const envelopeTextLengthMax = Math.ceil((envelopeBytesMax * 4) / 3);
export const envelopeTextDescription =
  "An envelope: an age file of at most 393,216 bytes for 1 to 64 readers, base64url without padding.";

/** One for every 32 key versions. */
export const envelopesMax = 32;
/** The last ones are for owners with a session, as are the last revisions below. */
export const envelopesForOwners = 8;
/** The newest revisions of an envelope that stay, however soon they are replaced. */
export const revisionsKept = 20;
/** So long the last revision of each day stays as well. */
export const daysKept = 30;
/** So long removed envelopes can be restored. */
export const restorableMilliseconds = 30 * dayMilliseconds;
/** Removals of one form that can be undone: what was removed may be the only way to its submissions. */
export const removalsMax = 10;
/** Revisions of one envelope; a legal hold keeps all of them. */
export const revisionsMax = 1000;
export const revisionsForOwners = 100;

/**
 * Revisions that go when another one was added. The newest stay, and the last of each day (UTC) until a while after another one took its place, however
 * old it was by then: somebody who writes garbage as often as they can replaces the work of a day, and not the keys that were there the day before.
 * Without `now`, where the clock may be wrong, no day is too long ago.
 */
export function findDropped(
  revisions: readonly Pick<EnvelopeRevision, "revision" | "createdAt">[],
  now: number | undefined,
): readonly number[] {
  const newestFirst = revisions.toSorted((one, other) => other.revision - one.revision);
  const days = new Set<number>();
  return newestFirst.flatMap(({ revision, createdAt }, index) => {
    const day = Math.floor(createdAt / dayMilliseconds);
    const replacedAt = newestFirst[index - 1]?.createdAt;
    const isTooOld = now !== undefined && (replacedAt ?? now) <= now - daysKept * dayMilliseconds;
    const isLastOfDay = !days.has(day) && !isTooOld;
    days.add(day);
    return index < revisionsKept || isLastOfDay ? [] : [revision];
  });
}
