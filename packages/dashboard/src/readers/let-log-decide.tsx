import { type DeniedHere, goByKeyLog } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadReadableList } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";

const { denied: words } = text.envelopes;

/** Asks whether the form's key log decides about parts of keys that this browser remembers otherwise. */
export function LetLogDecide({
  context,
  formId,
  denied,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly formId: FormId;
  readonly denied: DeniedHere;
  readonly onDone: () => Promise<unknown>;
}) {
  const [isAsking, setIsAsking] = useState(false);
  const { organizationId } = context;
  const deciding = useMutation({
    mutationFn: () =>
      goByKeyLog(context, { formId, organizationId, loadList: () => loadReadableList(context) }, denied),
    meta: { changesNothing: true },
    onSuccess: async () => {
      setIsAsking(false);
      // A page says why the envelope is refused all the same.
      await onDone();
    },
  });
  const { writtenBy } = denied.envelope;
  const versions = denied.denied.map(({ version }) => version);
  return (
    <>
      <Button className="justify-self-start" onClick={() => setIsAsking(true)}>
        {words.action}
      </Button>
      {isAsking && (
        <ActionDialog
          action={words.submit}
          isPending={deciding.isPending}
          look="danger"
          onClose={() => setIsAsking(false)}
          onConfirm={() => deciding.mutate()}
          title={words.title}
        >
          <p className="wrap-anywhere">
            {words.intro(versions)} <bdi>{words.signed(shownName(writtenBy))}</bdi>
          </p>
          <p>{words.hint}</p>
          {deciding.isError && <ErrorNotice error={deciding.error} />}
        </ActionDialog>
      )}
    </>
  );
}
