import { Button } from "../ui/button.tsx";
import type { FormFields } from "./use-fields.ts";

/** The button of a section of settings, and next to it the current setting. */
export function SaveLine({
  fields,
  label,
  state,
}: {
  readonly fields: FormFields;
  readonly label: string;
  /** In a sentence. */
  readonly state: string;
}) {
  return (
    <div className="flex flex-wrap items-center gap-4">
      <Button pending={fields.isPending} type="submit">
        {label}
      </Button>
      <p className="text-muted text-sm" role="status">
        {state}
      </p>
    </div>
  );
}
