import type { Member } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { ReaderChange } from "../envelopes/sweep.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormNames } from "./form-names.tsx";
import { OrganizationNames } from "./organization-names.tsx";
import { ReaderName } from "./reader-name.tsx";
import type { ReaderRow } from "./reader-rows.ts";
import { SweepProgress } from "./sweep-progress.tsx";

const { readers: texts } = text;

const { change: words } = texts;

/** Chooses who reads a form, and seals its envelopes for them. */
export function ChangeFormReaders({
  context,
  form,
  rows,
  self,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly rows: readonly ReaderRow[];
  /** The person in the list. */
  readonly self: Pick<Member, "id">;
  readonly onClose: () => void;
}) {
  const [change, setChange] = useState<ReaderChange>();
  const shown = rows.filter(({ reads }) => reads !== "gone");
  const isFixed = ({ id, role }: ReaderRow) => id === self.id || role === "recovery";
  const free = shown.filter((row) => !isFixed(row));
  const fields = useFields({
    initial: { readers: free.filter(isReading).map(({ id }) => id) },
    send: ({ readers }) => setChange(toChange(free, readers)),
  });
  if (change !== undefined)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <SweepProgress change={change} context={context} forms={[form]} />
        {change.remove.length > 0 && <p className="text-muted">{words.rotate}</p>}
      </Dialog>
    );
  const fixed = { checked: true, disabled: true, readOnly: true };
  return (
    <FormDialog action={words.submit} fields={fields} onClose={onClose} title={words.title}>
      <OrganizationNames isTitled />
      <FormNames form={form} />
      <p className="text-muted">{words.intro}</p>
      <ul className="rounded-lg border border-line px-3 py-1">
        {shown.map((row) => (
          <li key={row.id}>
            <label className="flex items-start gap-3 py-1.5 pointer-coarse:min-h-11">
              <input {...(isFixed(row) ? fixed : fields.tickOf("readers", row.id))} className="mt-1" type="checkbox" />
              <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
                <ReaderName isSelf={row.id === self.id} row={row} />
                {isDoubtful(row) && <span className="block w-full text-muted text-sm">{words.doubtful(row.name)}</span>}
                {row.isUnproven && (
                  <span className="block w-full text-muted text-sm">
                    {row.isUnknown ? words.confirmUnknown(row.name) : words.confirm(row.name)}
                  </span>
                )}
                {row.reads === "other_key" && (
                  <span className="block w-full text-muted text-sm">{words.acceptKey(row.name)}</span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p className="text-muted text-sm">{words.fixed}</p>
    </FormDialog>
  );
}

/** Somebody has to say again that who was put there by nobody who may do so now reads on. */
function isReading({ reads, isUnproven }: ReaderRow): boolean {
  return (reads === "all" || reads === "some") && !isUnproven;
}

/** Whether the person should ask first. The one who sealed it for somebody before has thought about that. */
function isDoubtful({ reads, alike, ownWord }: ReaderRow): boolean {
  return reads === "none" && alike.length + ownWord.length > 0;
}

/** Who is ticked reads, and nobody else. */
function toChange(rows: readonly ReaderRow[], ticked: readonly string[]): ReaderChange {
  const isTicked = ({ id }: ReaderRow) => ticked.includes(id);
  return {
    add: rows.filter(isTicked).map(({ id }) => id),
    remove: rows.filter((row) => !isTicked(row) && row.reads !== "none").map(({ id }) => id),
  };
}
