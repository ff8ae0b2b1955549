import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { SwitchField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { NumberSection } from "../ui/number-section.tsx";

const dayMilliseconds = 86_400_000;
const daysAtFirst = 90;

/** How long the form keeps its submissions. */
export function RetentionSection({ form }: { readonly form: Form }) {
  const { data } = useQuery(queries.retention(form.id));
  if (data === undefined) return null;
  return <RetentionForm days={data.days} formId={form.id} />;
}

/** The submissions that would be deleted now, if it were saved. */
interface Question {
  readonly days: number;
  readonly count: number;
  /** How many are in the bin, from which saving deletes the old ones too. */
  readonly inBin: number;
}

function RetentionForm({ formId, days: saved }: { readonly formId: string; readonly days: number | null }) {
  const [isLimited, setIsLimited] = useState(saved !== null);
  const [question, setQuestion] = useState<Question>();
  const queryClient = useQueryClient();
  const texts = text.settings;
  const counting = useMutation({
    mutationFn: async (days: number): Promise<Question> => {
      const [{ total }, { total: inBin }] = await Promise.all([
        client.submissions.list(formId, { to: Date.now() - days * dayMilliseconds, limit: 1 }),
        client.submissions.listBin(formId, { limit: 1 }),
      ]);
      return { days, count: total, inBin };
    },
    onSuccess: setQuestion,
  });
  const saving = useMutation({
    mutationFn: (days: number | null) => client.forms.setRetention(formId, days),
    onSuccess: async (days) => {
      setQuestion(undefined);
      queryClient.setQueryData(queries.retention(formId).queryKey, { days });
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  const days = {
    label: texts.retentionDays,
    value: saved ?? daysAtFirst,
    min: 1,
    max: 36_500,
    error: texts.retentionDaysError,
  };
  return (
    <NumberSection
      above={
        <SwitchField
          checked={isLimited}
          hint={texts.retentionSwitchHint(isLimited)}
          label={texts.retentionSwitch}
          onChange={setIsLimited}
        />
      }
      error={counting.error ?? (question === undefined ? saving.error : null)}
      fields={isLimited ? { days } : {}}
      intro={texts.retentionIntro}
      isPending={counting.isPending || saving.isPending}
      onSave={(numbers) => {
        counting.reset();
        saving.reset();
        if ("days" in numbers) counting.mutate(numbers.days);
        else saving.mutate(null);
      }}
      save={texts.retentionSave}
      state={texts.retentionSaved(saved)}
      title={texts.retentionTitle}
    >
      {question !== undefined && (
        <ConfirmRetention
          error={saving.error}
          isPending={saving.isPending}
          onClose={() => setQuestion(undefined)}
          onConfirm={() => saving.mutate(question.days)}
          question={question}
        />
      )}
    </NumberSection>
  );
}

function ConfirmRetention({
  question: { count, days, inBin },
  error,
  isPending,
  onClose,
  onConfirm,
}: {
  readonly question: Question;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  const texts = text.settings;
  return (
    <ActionDialog
      action={count === 0 ? texts.retentionConfirmNone : texts.retentionConfirmDelete(count)}
      isPending={isPending}
      look={count === 0 && inBin === 0 ? "primary" : "danger"}
      onClose={onClose}
      onConfirm={onConfirm}
      title={texts.retentionConfirmTitle}
    >
      {error !== null && <ErrorNotice error={error} />}
      {inBin > 0 && <Notice tone="warning">{texts.retentionConfirmBin(inBin, days)}</Notice>}
      {count === 0 ? (
        <p>{texts.retentionConfirm(count, days)}</p>
      ) : (
        <Notice tone="warning">{texts.retentionConfirm(count, days)}</Notice>
      )}
    </ActionDialog>
  );
}
