import { Link } from "@tanstack/react-router";
import { mayHaveArrived } from "../api/describe-error.ts";
import { useForm } from "../form/form-frame.tsx";
import { text } from "../texts/text.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CrossIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import type { BinMoves } from "./use-bin-moves.ts";

const bar =
  "pointer-events-auto flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-raised py-2 pr-2 pl-4 shadow-float";

/**
 * Says what was deleted last, takes it back, and leads to the bin; stays until it is closed. Inside a dialog, which covers
 * the page, it is a part of the dialog.
 */
export function UndoBar({
  moves,
  isInDialog = false,
  isRaised = false,
}: {
  readonly moves: BinMoves;
  readonly isInDialog?: boolean;
  /** On a phone, above the bar of what is selected. */
  readonly isRaised?: boolean;
}) {
  const { gone, dismissGone } = moves;
  const texts = text.bin;
  return (
    <div
      className={
        isInDialog
          ? "w-full empty:hidden"
          : `pointer-events-none fixed inset-x-0 bottom-4 z-20 grid justify-items-center px-4 print:hidden ${isRaised ? "max-sm:bottom-16" : ""}`
      }
      role="status"
    >
      {gone > 0 && (
        <div className={bar}>
          <span>{texts.goneForGood(gone)}</span>
          <span className="ml-auto">
            <IconButton icon={<CrossIcon />} label={texts.dismiss} onClick={dismissGone} />
          </span>
        </div>
      )}
      {moves.last !== undefined && <LastMove last={moves.last} moves={moves} />}
    </div>
  );
}

function LastMove({
  last,
  moves: { restored, undo, dismiss, isUndoing },
}: {
  readonly last: NonNullable<BinMoves["last"]>;
  readonly moves: BinMoves;
}) {
  const { id: formId } = useForm();
  const texts = text.bin;
  return (
    <div className={bar}>
      <span>
        {last.isForGood
          ? texts.deletedForGood(last.count)
          : restored === undefined
            ? texts.moved(last.count)
            : texts.restoredAndLeft(restored, last.count)}
      </span>
      <span className="ml-auto flex items-center gap-1">
        {!last.isForGood && (
          <>
            <Button onClick={undo} pending={isUndoing} small>
              {texts.undo}
            </Button>
            <Link
              className="inline-flex min-h-8 items-center rounded-md px-2 font-medium text-accent text-sm"
              params={{ formId }}
              to="/forms/$formId/bin"
            >
              {texts.show}
            </Link>
          </>
        )}
        <IconButton icon={<CrossIcon />} label={texts.dismiss} onClick={dismiss} />
      </span>
    </div>
  );
}

/** The error of a failed action, where the list is. */
export function MoveFailed({ moves: { error, dismissError } }: { readonly moves: BinMoves }) {
  if (error === undefined) return null;
  const [failed, unsure] =
    error.what === "move" ? [text.bin.moveFailed, text.bin.moveUnsure] : [text.bin.undoFailed, text.bin.undoUnsure];
  const what = mayHaveArrived(error.reason) ? unsure : failed;
  return <ErrorNotice error={error.reason} onClose={dismissError} what={what} />;
}
