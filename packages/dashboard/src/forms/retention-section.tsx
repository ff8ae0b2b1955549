import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFaultFocus } from "../ui/use-faults.ts";

const dayMilliseconds = 86_400_000;
const daysMax = 36_500;
const daysAtFirst = 90;

/** How long the form keeps its submissions. */
export function RetentionSection({ form }: { readonly form: Form }) {
  const { data } = useQuery(queries.retention(form.id));
  if (data === undefined) return null;
  return <RetentionForm days={data.days} formId={form.id} />;
}

/** What would go now, if it were saved. */
interface Question {
  readonly days: number;
  readonly count: number;
}

function RetentionForm({ formId, days: saved }: { readonly formId: string; readonly days: number | null }) {
  const [isLimited, setIsLimited] = useState(saved !== null);
  const [fault, setFault] = useState<{ readonly given: unknown } | null>(null);
  const form = useFaultFocus(fault);
  const [question, setQuestion] = useState<Question>();
  const queryClient = useQueryClient();
  const texts = text.settings;
  const counting = useMutation({
    mutationFn: async (days: number): Promise<Question> => {
      const { total } = await client.submissions.list(formId, { to: Date.now() - days * dayMilliseconds, limit: 1 });
      return { days, count: total };
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
  const save = (value: FormDataEntryValue | null) => {
    saving.reset();
    setFault(null);
    if (!isLimited) return saving.mutate(null);
    const days = Number(value);
    if (!Number.isInteger(days) || days < 1 || days > daysMax) return setFault({ given: value });
    counting.mutate(days);
  };
  return (
    <Section intro={texts.retentionIntro} title={texts.retentionTitle}>
      <form
        className="grid gap-5"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          save(new FormData(event.currentTarget).get("days"));
        }}
      >
        {counting.isError && <ErrorNotice error={counting.error} />}
        {saving.isError && question === undefined && <ErrorNotice error={saving.error} />}
        <SwitchField
          checked={isLimited}
          hint={texts.retentionSwitchHint}
          label={texts.retentionSwitch}
          onChange={setIsLimited}
        />
        {isLimited && (
          <TextField
            autoComplete="off"
            className="max-w-32"
            defaultValue={saved ?? daysAtFirst}
            error={fault !== null ? texts.retentionDaysError : undefined}
            inputMode="numeric"
            label={texts.retentionDays}
            name="days"
            required
          />
        )}
        <div className="flex flex-wrap items-center gap-4">
          <Button pending={counting.isPending || saving.isPending} type="submit">
            {texts.retentionSave}
          </Button>
          <p className="text-muted text-sm" role="status">
            {texts.retentionSaved(saved)}
          </p>
        </div>
      </form>
      {question !== undefined && (
        <ConfirmRetention
          error={saving.error}
          isPending={saving.isPending}
          onClose={() => setQuestion(undefined)}
          onConfirm={() => saving.mutate(question.days)}
          question={question}
        />
      )}
    </Section>
  );
}

function ConfirmRetention({
  question: { count, days },
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
      look={count === 0 ? "primary" : "danger"}
      onClose={onClose}
      onConfirm={onConfirm}
      title={texts.retentionConfirmTitle}
    >
      {error !== null && <ErrorNotice error={error} />}
      {count === 0 ? (
        <p>{texts.retentionConfirm(count, days)}</p>
      ) : (
        <Notice tone="warning">{texts.retentionConfirm(count, days)}</Notice>
      )}
    </ActionDialog>
  );
}
