import { Type } from "typebox";
import type { AuditChange } from "../audit-log/audit-entry.ts";
import { closed, momentMax } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Form, FormKey } from "./form.ts";

/** The versions below `below` take nothing more from `at` on, in milliseconds since the Unix epoch; `null`: without end. */
export interface KeyClosing {
  readonly below: number;
  readonly at: number | null;
}

export const KeyClosingInput = closed(
  {
    below: Type.Integer({ minimum: 2, description: "The lowest version that stays open, at most the newest." }),
    at: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 0,
      maximum: momentMax,
      description:
        "From when on submissions that are sealed to an older version are refused, in milliseconds since the Unix epoch; a past time is now. What has ended by then stays ended. `null` takes all of them again, without end.",
    }),
  },
  { description: "Ends older versions of the form's key." },
);

/** Throws where `below` would end the newest version: visitors seal to it. */
export function requireOlder({ keyVersion }: Pick<Form, "keyVersion">, { below }: KeyClosing, field: string): void {
  if (below <= keyVersion) return;
  const details = { [field]: `Must be at most ${keyVersion}, the newest key version of this form` };
  throw new Problem("bad_request", "Invalid request", { details });
}

/** Whether what is sealed to this version is refused at `now`. */
export function isClosed({ closesAt }: Pick<FormKey, "closesAt">, now: number): boolean {
  return closesAt !== undefined && closesAt <= now;
}

export function describeClosing({ below, at }: KeyClosing): AuditChange[] {
  return [
    { setting: "closedBelow", from: null, to: below },
    { setting: "closesAt", from: null, to: at === null ? null : new Date(at).toISOString() },
  ];
}
