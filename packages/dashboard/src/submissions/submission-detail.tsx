import { type ReactNode, useState } from "react";
import { useForm } from "../forms/form-frame.tsx";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { formatExactTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CrossIcon, PrinterIcon, TrashIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { FieldList } from "./field-list.tsx";
import { PrintedSubmission } from "./printed-submission.tsx";
import type { Row } from "./row.ts";
import { fieldsOf } from "./row-view.ts";
import { SubmissionDeliveries } from "./submission-deliveries.tsx";
import { useIsSealedForm } from "./use-is-sealed-form.ts";

interface DetailProps {
  readonly row: Row;
  readonly isModal: boolean;
  readonly onClose: () => void;
  /** The list's message about the last action, where this covers the list. */
  readonly notice?: ReactNode;
  readonly onDelete: () => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** One submission in full: next to the list where there is room, otherwise over it. */
export function SubmissionDetail({ row, isModal, notice, onClose, onDelete, onPrevious, onNext }: DetailProps) {
  const texts = text.submissions;
  const fields = fieldsOf(row);
  const buttons = (
    <div className="flex flex-wrap gap-2">
      {/* Not `disabled`, by which the one that was just pressed would lose the focus at the end of the list. */}
      <Button aria-disabled={onPrevious === undefined} mayRepeat onClick={onPrevious} small>
        {texts.previous}
      </Button>
      <Button aria-disabled={onNext === undefined} mayRepeat onClick={onNext} small>
        {texts.following}
      </Button>
      {fields !== undefined && <CopyButton label={texts.copyJson} value={() => JSON.stringify(fields, null, 2)} />}
      {row.opened?.opened === true && (
        <Button icon={<PrinterIcon />} onClick={() => window.print()} small>
          {texts.print}
        </Button>
      )}
      <Button icon={<TrashIcon />} onClick={onDelete} small>
        {texts.delete(1)}
      </Button>
    </div>
  );
  const printed = <PrintedSubmission row={row} />;
  if (isModal)
    return (
      <Dialog
        footer={
          <>
            {notice}
            {buttons}
          </>
        }
        onClose={onClose}
        title={texts.detail}
      >
        <Content key={row.id} row={row} />
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
        {buttons}
        <Content key={row.id} row={row} />
      </div>
      {printed}
    </section>
  );
}

function Content({ row }: { readonly row: Row }) {
  const texts = text.submissions;
  const { opened } = row;
  const isSealedForm = useIsSealedForm();
  const [isAddingKey, setIsAddingKey] = useState(false);
  const { id: formId } = useForm();
  return (
    <div className="grid gap-5">
      {isAddingKey && <AddKeyDialog formId={formId} onClose={() => setIsAddingKey(false)} />}
      {opened === undefined && <p className="text-muted">{texts.waiting}</p>}
      {opened?.opened === false && (
        <Notice
          action={
            opened.reason === "no_key" && (
              <Button onClick={() => setIsAddingKey(true)} small>
                {texts.addKey}
              </Button>
            )
          }
          title={texts.reasons[opened.reason]}
          tone="warning"
        >
          {opened.reason === "no_key"
            ? texts.reasonHints.no_key(row.keyVersion, row.isHybrid === true)
            : texts.reasonHints[opened.reason]}
        </Notice>
      )}
      {opened?.opened === true && !opened.sealed && isSealedForm && (
        <Notice title={texts.reasons.not_sealed} tone="warning">
          {texts.reasonHints.not_sealed}
        </Notice>
      )}
      {opened?.opened === true && <FieldList fields={opened.fields} />}
      <dl className="grid gap-x-4 border-line border-t pt-4 text-sm sm:gap-y-1.5 sm:grid-cols-[auto_1fr]">
        <Detail name={texts.receivedAt}>{formatExactTime(row.receivedAt)}</Detail>
        <Detail name={texts.sentAt}>{formatExactTime(row.timestamp)}</Detail>
        <Detail name={texts.keyVersion}>{row.keyVersion}</Detail>
        <Detail name={texts.id}>
          <code className="break-all font-mono">{row.id}</code>
        </Detail>
      </dl>
      {opened?.opened === true && (
        <p className="text-muted text-sm">{opened.sealed ? texts.sealedProof : texts.notSealed}</p>
      )}
      <SubmissionDeliveries submissionId={row.id} />
    </div>
  );
}

function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted not-first:mt-1.5 sm:not-first:mt-0">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
