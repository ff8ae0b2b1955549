import type { Generated } from "kysely";

export interface SubmissionTable {
  /** Arrival order; the table's primary order on both databases. */
  sequence: Generated<number>;
  form_id: string;
  id: string;
  key_version: number;
  /** `sp1`, `sp2` or `plain1`; decides which of the columns below hold something. */
  version: string;
  data: Uint8Array | null;
  key: Uint8Array | null;
  iv: Uint8Array | null;
  /** The fields of a plain payload, as JSON text. */
  fields: string | null;
  timestamp: number;
  received_at: number;
  /** Keyed digest of the fields of a plain submission as they were posted, where they were stripped (`Submission`). */
  posted_digest: string | null;
}

/** Tombstone of a deleted submission, kept for a while: so that a late retry does not bring it back, and an export can resume after it. */
export interface SubmissionTombstoneTable {
  id: string;
  form_id: string;
  received_at: number;
  sequence: number;
  /** `inBin` while the submission can still be restored. */
  deleted_at: number;
}

/** A submission that was moved to the bin; its row in `submission` is gone, and a tombstone keeps a retry of its post away. */
export interface BinnedSubmissionTable extends Omit<SubmissionTable, "sequence"> {
  sequence: number;
  binned_at: number;
}

export interface FormBinTable {
  form_id: string;
  /** Submissions in the bin that readers see. */
  stored: number;
  /** Submissions moved there before this are deleted for good, though its rows may still wait for the purge. Every reader obeys it. */
  visible_from: Generated<number>;
}
