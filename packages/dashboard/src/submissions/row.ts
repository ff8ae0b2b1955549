import type { OpenedSubmission } from "@sealpost/sdk";

/** The outcome of opening one. `not_loaded`: the program that opens did not arrive, which says nothing about the submission. */
export type Outcome =
  | OpenedSubmission
  | { readonly opened: false; readonly sealed: true; readonly reason: "not_loaded"; readonly message: string };

/** A submission of the list: what the server knows of it, and what became of opening it. */
export interface Row {
  readonly id: string;
  readonly receivedAt: number;
  readonly timestamp: number;
  readonly keyVersion: number;
  /** Whether it was sealed to the version's hybrid key. */
  readonly isHybrid?: boolean;
  /** `undefined` until it was tried. */
  readonly opened: Outcome | undefined;
}
