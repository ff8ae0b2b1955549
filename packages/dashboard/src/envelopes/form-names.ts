import { asFormName, findSignedName } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { OpenedFormEnvelope } from "./open-form.ts";

/** A form by the server's word. */
export interface NamedForm {
  readonly id: string;
  readonly name: string;
}

export interface FormNames {
  /** By the envelope. */
  readonly signed: string;
  /** By the server. */
  readonly served: string;
  readonly isSame: boolean;
}

/** `undefined`: no envelope that opens says what the form is called. */
export function compareNames(
  { envelopes, forReading }: Record<"envelopes" | "forReading", readonly OpenedFormEnvelope[]>,
  { id, name }: NamedForm,
): FormNames | undefined {
  const signed = findSignedName(envelopes.length > 0 ? envelopes : forReading);
  if (signed === undefined) return undefined;
  return { signed, served: name, isSame: asFormName(id as FormId, name) === signed }; // an envelope that opens is of no other form
}
