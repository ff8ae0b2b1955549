import { formatExactly } from "@sealpost/wire";
import type { ReactNode } from "react";
import { formatDateTime } from "../texts/format.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CrossIcon, PrinterIcon } from "../ui/icons.tsx";
import { PrintedSubmission } from "./printed-submission.tsx";
import type { Row } from "./row.ts";
import { fieldsOf, previewsOf } from "./row-view.ts";

export interface DetailPaneProps {
  readonly row: Row;
  readonly formName: string;
  /** One that came in the clear deserves a warning. */
  readonly isSealedForm: boolean;
  readonly isModal: boolean;
  readonly onClose: () => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** The frame around one submission: next to the list where there is room, otherwise over it; steps, copy and print. */
export function DetailPane({
  notice,
  actions,
  children,
  ...props
}: DetailPaneProps & {
  /** The list's message about the last action, where this covers the list. */
  readonly notice?: ReactNode;
  /** Further buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { row, formName, isSealedForm, isModal, onClose } = props;
  const texts = text.submissions;
  const steps = <StepsBetween {...props} />;
  const others = <OtherActions row={row}>{actions}</OtherActions>;
  const printed = <PrintedSubmission formName={formName} isSealedForm={isSealedForm} row={row} />;
  if (isModal)
    return (
      <Dialog
        footer={
          <>
            {notice}
            {/* The steps are the lowest line, so that nothing else comes under the finger, however much there is of the others. */}
            <div className="flex grow flex-wrap-reverse justify-between gap-2">
              {steps}
              {others}
            </div>
          </>
        }
        isTall
        onClose={onClose}
        title={texts.detail}
      >
        <ShownRow row={row} />
        {children}
        {printed}
      </Dialog>
    );
  return (
    <section
      aria-label={texts.detail}
      className="card sticky top-18 max-h-[calc(100dvh-6rem)] scroll-pt-16 overflow-y-auto"
    >
      <div className="sticky top-0 z-1 flex items-center justify-between gap-2 border-line border-b bg-surface px-5 py-3">
        <h2 className="font-semibold text-lg">{texts.detail}</h2>
        <IconButton icon={<CrossIcon />} label={text.common.close} onClick={onClose} />
      </div>
      <div className="grid gap-5 p-5">
        <div className="flex flex-wrap gap-2">
          {steps}
          {others}
        </div>
        {children}
      </div>
      {printed}
    </section>
  );
}

/** Says which one is shown by now: the list, which says so elsewhere, is not heard while this covers it. */
function ShownRow({ row }: Pick<DetailPaneProps, "row">) {
  return (
    <p className="sr-only" role="status">
      {text.submissions.shown(shorten(previewsOf(row)[0] ?? "", 40), formatDateTime(row.receivedAt))}
    </p>
  );
}

function StepsBetween({ onPrevious, onNext }: Pick<DetailPaneProps, "onPrevious" | "onNext">) {
  const texts = text.submissions;
  return (
    <div className="flex gap-2">
      {/* Not `disabled`, by which the one that was just pressed would lose the focus at the end of the list. */}
      <Button aria-disabled={onPrevious === undefined} mayRepeat onClick={onPrevious} small>
        {texts.previous}
      </Button>
      <Button aria-disabled={onNext === undefined} mayRepeat onClick={onNext} small>
        {texts.following}
      </Button>
    </div>
  );
}

function OtherActions({ row, children }: { readonly row: Row; readonly children: ReactNode }) {
  const texts = text.submissions;
  const fields = fieldsOf(row);
  return (
    <div className="flex flex-wrap gap-2">
      {fields !== undefined && <CopyButton label={texts.copyJson} value={() => formatExactly(fields, 2)} />}
      {row.opened?.opened === true && (
        <Button icon={<PrinterIcon />} onClick={() => window.print()} small>
          {texts.print}
        </Button>
      )}
      {children}
    </div>
  );
}
