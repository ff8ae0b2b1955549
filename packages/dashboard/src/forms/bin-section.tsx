import type { Form } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { NumberSection } from "../ui/number-section.tsx";

/** Fewer days, and the submissions in the bin that they would reach. */
interface Question {
  readonly days: number;
  readonly count: number;
}

/** For how long what is deleted in a form can be restored. */
export function BinSection({ form: { id: formId, settings } }: { readonly form: Form }) {
  const saved = settings.binDays;
  const [question, setQuestion] = useState<Question>();
  const queryClient = useQueryClient();
  const texts = text.bin;
  const saving = useMutation({
    mutationFn: (binDays: number) => client.forms.update(formId, { settings: { binDays } }),
    onSuccess: async () => {
      setQuestion(undefined);
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries(queries.binTotal(formId));
    },
  });
  // Counted when it is asked: nothing is deleted of which this page has not heard yet.
  const counting = useMutation({
    mutationFn: async (days: number): Promise<Question> => ({
      days,
      count: await queryClient.fetchQuery(queries.binTotal(formId)),
    }),
    onSuccess: (counted) => {
      if (counted.count > 0) setQuestion(counted);
      else saving.mutate(counted.days);
    },
  });
  return (
    <NumberSection
      error={counting.error ?? (question === undefined ? saving.error : null)}
      fields={{
        binDays: { label: texts.days, hint: texts.daysHint, value: saved, min: 0, max: 365, error: texts.daysError },
      }}
      intro={texts.settingsIntro}
      isPending={counting.isPending || saving.isPending}
      onSave={({ binDays }) => {
        counting.reset();
        saving.reset();
        if (binDays < saved) counting.mutate(binDays);
        else saving.mutate(binDays);
      }}
      save={texts.save}
      state={texts.saved(saved)}
      title={texts.settingsTitle}
    >
      {question !== undefined && (
        <ActionDialog
          action={texts.save}
          isPending={saving.isPending}
          look="danger"
          onClose={() => setQuestion(undefined)}
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
