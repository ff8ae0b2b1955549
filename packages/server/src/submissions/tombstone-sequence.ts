/** The most that the column `sequence` of a tombstone holds on PostgreSQL. */
export const tombstoneSequenceMax = 2_147_483_647;

/** A submission's number in the two columns that a tombstone has for it (0006-wide-tombstones). */
export function tombstoneSequence(sequence: number) {
  return { sequence: Math.min(sequence, tombstoneSequenceMax), wide_sequence: sequence };
}
