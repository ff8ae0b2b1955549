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

/** `writerId`: the person who stored it, or who made the API key that did. */
export interface WrittenRevision extends EnvelopeRevision {
  readonly writerId: string;
}

/** The bytes of an envelope (SPECIFICATION.md section 15) in base64url. */
export const envelopeTextLengthMax = Math.ceil((envelopeBytesMax * 4) / 3);
export const envelopeTextDescription =
  "An envelope: an age file of at most 393,216 bytes for 1 to 64 readers, base64url without padding.";

/** One for every 32 key versions. */
export const envelopesMax = 32;
/** The last ones are for owners with a session, as are the last revisions below. */
export const envelopesForOwners = 8;
/** Where the integers of a column end, and those of an envelope (SPECIFICATION.md section 15). */
export const revisionMax = 2 ** 31 - 1;
/** The newest revisions of an envelope that stay, however old they are. */
export const revisionsKept = 20;
/** So long each revision stays after another one took its place (SPECIFICATION.md section 15); each writer's newest stays for good. */
export const daysKept = 90;
/** Revisions of one envelope within a day, by one person who is no owner with a session. */
export const revisionsPerDay = 64;
/** So long removed envelopes can be restored. */
export const restorableMilliseconds = 30 * dayMilliseconds;
/** Removals of one form that can be undone: what was removed may be the only way to its submissions. */
export const removalsMax = 10;
/** Revisions of one envelope under a legal hold, which keeps all of them. */
export const heldRevisionsMax = 8192;
export const heldRevisionsForOwners = 1024;
