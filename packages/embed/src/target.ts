import type { FormId } from "@sealpost/wire";

/** A form of the page and the form of the service that it fills. */
export interface Target {
  readonly form: HTMLFormElement;
  readonly formId: FormId;
  readonly endpoint: string;
  /** The folder of the second scripts, the same as the first's. Ends in a slash. */
  readonly scriptFolder: string;
  /** Whether messages for which the page has no slot appear after the form. */
  readonly showMessages: boolean;
}
