import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { TextField } from "../ui/field.tsx";

/** Above so many the number is typed: a press too many never takes a whole list. */
const typedAbove = 20;

/** Asks before several submissions are moved to the bin, or any is deleted for good. */
export function ConfirmDeletion({
  count,
  binDays,
  isForGood,
  keptCount = 0,
  onClose,
  onConfirm,
}: {
  readonly count: number;
  readonly binDays: number;
  readonly isForGood: boolean;
  /** Others that are not here, where all that are here are deleted. */
  readonly keptCount?: number;
  readonly onClose: () => void;
  readonly onConfirm: () => unknown;
}) {
  const texts = text.bin;
  const isTyped = count > typedAbove;
  const fields = useFields({
    initial: { count: "" },
    passing: "confirmation",
    check: (typed) =>
      isTyped && typed.count.replace(/[\s.,']/g, "") !== String(count)
        ? { count: texts.typedDiffers(count) }
        : undefined,
    send: onConfirm,
  });
  return (
    <FormDialog
      action={isForGood ? texts.deleteForGood(count) : texts.moveToBin(count)}
      fields={fields}
      look={isForGood ? "danger" : "primary"}
      onClose={onClose}
      title={isForGood ? texts.askForGood(count) : texts.askMove(count)}
    >
      <p>{isForGood ? texts.askForGoodHint : texts.askMoveHint(binDays)}</p>
      {keptCount > 0 && <p>{text.submissions.missing.kept(keptCount)}</p>}
      {isTyped && (
        <TextField
          {...fields.text("count")}
          autoComplete="off"
          className="max-w-40"
          data-focus
          inputMode="numeric"
          label={texts.typeCount(count)}
        />
      )}
    </FormDialog>
  );
}
