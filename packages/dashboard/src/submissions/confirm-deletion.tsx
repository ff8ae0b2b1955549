import { useState } from "react";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useErrorFocus } from "../ui/use-field-errors.ts";

/** Above so many the number is typed: a press too many never takes a whole list. */
const typedAbove = 20;

/** Asks before several submissions are moved to the bin, or any is deleted for good. */
export function ConfirmDeletion({
  count,
  binDays,
  isForGood,
  isPending = false,
  error = null,
  onClose,
  onConfirm,
}: {
  readonly count: number;
  readonly binDays: number;
  readonly isForGood: boolean;
  readonly isPending?: boolean;
  readonly error?: unknown;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  const [mistake, setMistake] = useState<{ readonly typed: string } | null>(null);
  const form = useErrorFocus(mistake);
  const texts = text.bin;
  const isTyped = count > typedAbove;
  return (
    <ActionDialog
      action={isForGood ? texts.deleteForGood(count) : texts.moveToBin(count)}
      form={form}
      isPending={isPending}
      look={isForGood ? "danger" : "primary"}
      onClose={onClose}
      onConfirm={(data) => {
        const typed = String(data.get("count") ?? "").replace(/[\s.,']/g, "");
        const isRight = !isTyped || typed === String(count);
        setMistake(isRight ? null : { typed });
        if (isRight) onConfirm();
      }}
      title={isForGood ? texts.askForGood(count) : texts.askMove(count)}
    >
      {error !== null && <ErrorNotice error={error} />}
      <p>{isForGood ? texts.askForGoodHint : texts.askMoveHint(binDays)}</p>
      {isTyped && (
        <TextField
          autoComplete="off"
          className="max-w-40"
          data-focus
          error={mistake === null ? undefined : texts.typedDiffers(count)}
          inputMode="numeric"
          label={texts.typeCount(count)}
          name="count"
        />
      )}
    </ActionDialog>
  );
}
