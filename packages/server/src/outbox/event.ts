import type { FormId, SubmissionId } from "@sealpost/wire";

/** In the place of an event's content: its body is built from the row of its submission, which is stored anyway. */
export const fromRow = Symbol("built from the submission's row");

/** Contract, section 9.1. */
export const eventKinds = ["submission.created", "submission.deleted", "form.updated", "form.keys_rotated"] as const;
export type EventKind = (typeof eventKinds)[number];

/** Something that happened to a form and is sent to its webhook URL, if it has one (contract, section 9.1). */
export interface NewEvent {
  readonly kind: EventKind;
  readonly formId: FormId;
  readonly formName: string;
  readonly occurredAt: number;
  readonly submissionId?: SubmissionId;
  /** A test: its delivery is sent in one turn and never retried, and its body says `test: true`. */
  readonly isTest?: boolean;
  /**
   * The members of the body besides `event`, `timestamp` and `form`, or how to make them: only if the form has a webhook URL.
   * `fromRow` is for the submission that this transaction stores.
   */
  readonly content: object | (() => object) | typeof fromRow;
}
