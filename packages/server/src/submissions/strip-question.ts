import type { PiiType } from "@sealpost/pii";

/** A form's settings for stripping; the package's own defaults where it has none. */
export interface StripOptions {
  readonly types?: readonly PiiType[];
  readonly country?: string;
}

/** A request to the thread: the fields as JSON. */
export interface StripThreadQuestion {
  readonly fields: string;
  readonly options: StripOptions;
}

/** The thread's answer: the stripped fields as JSON, or the name of the error. */
export type StripThreadAnswer = { readonly fields: string } | { readonly failed: string };
