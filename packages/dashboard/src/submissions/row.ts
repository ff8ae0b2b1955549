import type { OpenedSubmission } from "@sealpost/sdk";

/** A submission of the list: what the server knows of it, and what became of opening it. */
export interface Row {
  readonly id: string;
  readonly receivedAt: number;
  readonly timestamp: number;
  readonly keyVersion: number;
  /** Whether it was sealed to the version's hybrid key. */
  readonly isHybrid?: boolean;
  /** `undefined` until it was tried. */
  readonly opened: OpenedSubmission | undefined;
}
