import type { FormId } from "@sealpost/wire";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { compareNames, type NamedForm, type FormNames as Names } from "../envelopes/form-names.ts";
import { changeReaders } from "../envelopes/sweep.ts";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { formEnvelopeQuery } from "./use-form-envelope.ts";

const { formNames: texts } = text.envelopes;

/** The form's names by its envelope and by the server; `undefined` while its key is locked, and where no envelope says it. */
export function useFormNames(form: NamedForm): Names | undefined {
  const context = useEnvelopeContext();
  const { data } = useQuery(formEnvelopeQuery(form.id, context));
  return context !== undefined && data?.kind === "opened" ? compareNames(data, form) : undefined;
}

/** Stands next to everything that is sealed, signed or given up for a form: its signed name, and the server's where that is another. */
export function FormNames({
  form,
  isTitled = false,
}: {
  readonly form: NamedForm /** The page has the name already, unless it is another. */;
  readonly isTitled?: boolean;
}) {
  const context = useEnvelopeContext();
  const { kind } = usePersonalKey();
  const names = useFormNames(form);
  if (isTitled && names?.isSame !== false) return null;
  if (names === undefined) return kind === "locked" && <p className="text-muted text-sm">{texts.locked}</p>;
  return <ShownNames context={context} form={form} names={names} />;
}

function ShownNames({
  context,
  form,
  names: { signed, served, isSame },
}: {
  readonly context: EnvelopeContext | undefined;
  readonly form: NamedForm;
  readonly names: Names;
}) {
  const may = useMay();
  const queryClient = useQueryClient();
  const settling = useMutation({
    mutationFn: async (name: "signed" | "served") => {
      if (name === "signed") return client.forms.update(form.id, { name: signed });
      return context && takeOver(context, form.id as FormId, served); // the server names no other
    },
    onSuccess: () =>
      Promise.all(
        [queries.form(form.id).queryKey, ["form", form.id, "envelope"], ["forms"]].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
  if (isSame)
    return (
      <p className="wrap-anywhere">
        <bdi>{texts.signed(signed)}</bdi>
      </p>
    );
  return (
    <Notice title={<bdi className="wrap-anywhere">{texts.otherTitle(signed)}</bdi>} tone="warning">
      <p className="wrap-anywhere">
        <bdi>{texts.other(served)}</bdi>
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {context && may("rotateFormKeys") && (
          <Button onClick={() => settling.mutate("served")} pending={settling.isPending} small>
            {texts.takeOver}
          </Button>
        )}
        {may("updateForm") && (
          <Button onClick={() => settling.mutate("signed")} pending={settling.isPending} small>
            {texts.setBack}
          </Button>
        )}
      </div>
      {settling.isError && <ErrorNotice error={settling.error} />}
    </Notice>
  );
}

/** The next revision of the form's envelopes calls it so. */
async function takeOver(context: EnvelopeContext, formId: FormId, formName: string): Promise<void> {
  const [result] = await changeReaders(context, [formId], { add: [], remove: [], formName });
  if (result?.kind === "changed" || result?.kind === "unchanged") return;
  if (result?.kind === "failed" && result.failure.kind === "error") throw result.failure.error;
  throw new Explained(texts.notTaken);
}
