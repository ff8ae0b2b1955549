import type { Form } from "@sealpost/sdk";
import { type Clearable, clearEnvelope } from "@sealpost/sdk/envelopes";
import { useMutation } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { FormNames } from "./form-names.tsx";

const { clear: words, bringBack } = text.envelopes;

/** Asks an owner to write the next revision of an envelope of which nothing opens, without keys. */
export function ClearEnvelope({
  context,
  list,
  form,
  found,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly form: Form;
  readonly found: Clearable;
  readonly onClose: () => void;
}) {
  const clearing = useMutation({ mutationFn: () => clearEnvelope(context, list, found) });
  const { newest, readerIds, missing } = found;
  const readers = [...list.list.members.values()].filter(
    ({ id, role }) => readerIds.includes(id) || role === "recovery",
  );
  if (clearing.isSuccess)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <div role="status">
          <Notice tone="good">{words.done}</Notice>
        </div>
      </Dialog>
    );
  return (
    <ActionDialog
      action={words.submit}
      isPending={clearing.isPending}
      onClose={onClose}
      onConfirm={() => clearing.mutate()}
      title={words.title}
    >
      <FormNames form={form} />
      <p>
        {words.intro(newest.revision)}
        <Time at={newest.createdAt} />.
      </p>
      <h3 className="font-medium">{bringBack.readers}</h3>
      <ul aria-label={bringBack.readers} className="list-disc pl-5">
        {readers.map(({ id, name }) => (
          <li key={id}>
            <bdi>{shownName({ id, name })}</bdi>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <Notice title={bringBack.missingTitle(missing)} tone="warning">
          {words.missing}
        </Notice>
      )}
      {clearing.isError && <ErrorNotice error={clearing.error} />}
    </ActionDialog>
  );
}
