import type { Form } from "@sealpost/sdk";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { ReaderChange } from "../envelopes/sweep.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
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
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly rows: readonly ReaderRow[];
  readonly onClose: () => void;
}) {
  const [change, setChange] = useState<ReaderChange>();
  if (change !== undefined)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <SweepProgress change={change} context={context} forms={[form]} />
        {change.remove.length > 0 && <p className="text-muted">{words.rotate}</p>}
      </Dialog>
    );
  const shown = rows.filter(({ reads }) => reads !== "gone");
  const isFixed = ({ id, role }: ReaderRow) => id === context.personId || role === "recovery";
  const free = shown.filter((row) => !isFixed(row));
  return (
    <ActionDialog
      action={words.submit}
      isPending={false}
      onClose={onClose}
      onConfirm={(data) => setChange(toChange(free, data.getAll("reader")))}
      title={words.title}
    >
      <p className="text-muted">{words.intro}</p>
      <ul className="max-h-80 overflow-y-auto rounded-lg border border-line px-3 py-1">
        {shown.map((row) => (
          <li key={row.id}>
            <label className="flex items-start gap-3 py-1.5 pointer-coarse:min-h-11">
              <input
                className="mt-1"
                defaultChecked={isFixed(row) || row.reads === "all" || row.reads === "some"}
                disabled={isFixed(row)}
                name="reader"
                type="checkbox"
                value={row.id}
              />
              <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
                <ReaderName isSelf={row.id === context.personId} row={row} />
                {row.reads === "other_key" && (
                  <span className="block w-full text-muted text-sm">{words.acceptKey(row.name)}</span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p className="text-muted text-sm">{words.fixed}</p>
    </ActionDialog>
  );
}

/** Who is ticked reads, and nobody else. */
function toChange(rows: readonly ReaderRow[], ticked: readonly unknown[]): ReaderChange {
  const isTicked = ({ id }: ReaderRow) => ticked.includes(id);
  return {
    add: rows.filter(isTicked).map(({ id }) => id),
    remove: rows.filter((row) => !isTicked(row) && row.reads !== "none").map(({ id }) => id),
  };
}
