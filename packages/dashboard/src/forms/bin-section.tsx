import type { Form } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { NumberSection } from "../form-kit/number-section.tsx";
import { useAsked } from "../form-kit/use-asked.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

/** Fewer days, and the submissions in the bin that they would reach. */
interface Question {
  readonly days: number;
  readonly count: number;
}

/** For how long what is deleted in a form can be restored. */
export function BinSection({ form: { id: formId, settings } }: { readonly form: Form }) {
  const saved = settings.binDays;
  const { question, ask, done, cancel } = useAsked<Question>();
  const queryClient = useQueryClient();
  const texts = text.bin;
  const saving = useMutation({
    mutationFn: (binDays: number) => client.forms.update(formId, { settings: { binDays } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries(queries.binTotal(formId));
      done();
    },
  });
  async function save(days: number): Promise<void> {
    saving.reset();
    // Counted when it is asked: nothing is deleted of which this page has not heard yet.
    const count = days < saved ? await queryClient.fetchQuery(queries.binTotal(formId)) : 0;
    if (count > 0) await ask({ days, count });
    else await saving.mutateAsync(days);
  }
  return (
    <NumberSection
      fields={{
        binDays: { label: texts.days, hint: texts.daysHint, value: saved, min: 0, max: 365, error: texts.daysError },
      }}
      intro={texts.settingsIntro}
      onSave={({ binDays }) => save(binDays)}
      save={texts.save}
      state={texts.saved(saved)}
      title={texts.settingsTitle}
    >
      {question !== undefined && (
        <ActionDialog
          action={texts.save}
          isPending={saving.isPending}
          look="danger"
          onClose={cancel}
          onConfirm={() => saving.mutate(question.days)}
          title={texts.fewerTitle}
        >
          {saving.isError && <ErrorNotice error={saving.error} />}
          <Notice tone="warning">{texts.fewer(question.count, question.days)}</Notice>
        </ActionDialog>
      )}
    </NumberSection>
  );
}
