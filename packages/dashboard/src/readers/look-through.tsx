import type { Member } from "@sealpost/envelope";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { findExposedForms, isInOrder, useSettling } from "../envelopes/to-rotate.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { useAllForms } from "../organization/member-queries.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { RotateForms } from "./rotate-forms.tsx";
import { SweepProgress } from "./sweep-progress.tsx";

const { readers: texts } = text;

const { left: words } = texts;

/** Brings all forms in line with the list: without those who left, and with the new keys of those whose change is accepted here. */
export function LookThrough({
  context,
  list,
  renewed,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly renewed: readonly Member[];
  readonly onClose: () => void;
}) {
  const { forms, isComplete, error } = useAllForms();
  const [accept, setAccept] = useState<readonly string[]>();
  const [exposed, setExposed] = useState<readonly string[]>([]);
  const [isThrough, setIsThrough] = useState(false);
  const { settle, close } = useSettling(onClose);
  if (accept === undefined)
    return (
      <AskAccept error={error} isWaiting={!isComplete} onAccepted={setAccept} onClose={onClose} renewed={renewed} />
    );
  return (
    <Dialog footer={<CloseButton onClose={close} />} isWide onClose={close} title={words.checkTitle}>
      <SweepProgress
        change={{ add: [], remove: [], accept, findsExposed: true }}
        context={context}
        forms={forms}
        onDone={async (results) => {
          const found = findExposedForms(results, () => true);
          setExposed(found);
          setIsThrough(true);
          // Who is not accepted is asked about again.
          if (isInOrder(results) && renewed.every(({ id }) => accept.includes(id)))
            await settle(() => context.heads.rememberSwept(context.organizationId, list.list.head), found.length > 0);
        }}
      />
      {isThrough && accept.length > 0 && <p>{words.accepted}</p>}
      {exposed.length > 0 && (
        <RotateForms context={context} forms={forms.filter(({ id }) => exposed.includes(id))} key={exposed.length} />
      )}
    </Dialog>
  );
}

/** Whose new keys are right. */
function AskAccept({
  renewed,
  isWaiting,
  error,
  onAccepted,
  onClose,
}: {
  readonly renewed: readonly Member[];
  readonly isWaiting: boolean;
  readonly error: Error | null;
  readonly onAccepted: (ids: readonly string[]) => void;
  readonly onClose: () => void;
}) {
  const fields = useFields({
    initial: { accept: [] as readonly string[] },
    send: ({ accept }) => onAccepted(accept),
  });
  return (
    <FormDialog
      action={words.checkAction}
      fields={fields}
      isWaiting={isWaiting}
      onClose={onClose}
      title={words.checkTitle}
    >
      <p className="text-muted">{words.checkIntro}</p>
      {error !== null && <ErrorNotice error={error} />}
      {renewed.map(({ id, name }) => (
        <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={id}>
          <input {...fields.tickOf("accept", id)} className="mt-1" type="checkbox" />
          <span>
            <bdi>{words.accept(shownName({ id, name }))}</bdi>
            <span className="block text-muted text-sm">{words.acceptHint}</span>
          </span>
        </label>
      ))}
    </FormDialog>
  );
}
