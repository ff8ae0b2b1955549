import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { serviceNow } from "../api/service-clock.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { SaveLine } from "../form-kit/save-line.tsx";
import { useAsked } from "../form-kit/use-asked.ts";
import { useFields } from "../form-kit/use-fields.ts";
import { readNumber } from "../form-kit/use-numbers.ts";
import { text } from "../texts/text.ts";
import { SwitchField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Awaited, Section } from "../ui/page.tsx";

const dayMilliseconds = 86_400_000;
const daysAtFirst = 90;

/** How long the form keeps its submissions. */
export function RetentionSection({ form }: { readonly form: Form }) {
  const { data, isPending } = useQuery(queries.retention(form.id));
  if (isPending) return <Awaited />;
  if (data === undefined) return null;
  return <RetentionForm days={data.days} formId={form.id} />;
}

/** The submissions that would be deleted now, if it were saved. */
interface Question {
  readonly days: number;
  readonly count: number;
  /** How many of those in the bin. */
  readonly inBin: number;
}

function RetentionForm({ formId, days: saved }: { readonly formId: string; readonly days: number | null }) {
  const texts = text.settings;
  const { question, done, cancel, saving, save } = useRetention(formId);
  const field = { value: saved ?? daysAtFirst, min: 1, max: 36_500 };
  const fields = useFields({
    initial: { isLimited: saved !== null, days: String(field.value) },
    follows: true,
    check: ({ isLimited, days }) =>
      isLimited && typeof readNumber(days, field) !== "number" ? { days: texts.retentionDaysError } : undefined,
    send: ({ isLimited, days }) => save(isLimited ? (readNumber(days, field) ?? field.value) : null),
  });
  return (
    <Section intro={texts.retentionIntro} title={texts.retentionTitle}>
      <FieldsForm className="grid gap-5" fields={fields} isCheckedHere>
        <SwitchField
          {...fields.toggle("isLimited")}
          hint={texts.retentionSwitchHint(fields.values.isLimited)}
          label={texts.retentionSwitch}
        />
        {fields.values.isLimited && (
          <TextField
            {...fields.text("days")}
            autoComplete="off"
            className="max-w-32"
            inputMode="numeric"
            label={texts.retentionDays}
            required
          />
        )}
        <SaveLine fields={fields} label={texts.retentionSave} state={texts.retentionSaved(saved)} />
      </FieldsForm>
      {question !== undefined && (
        <ConfirmRetention
          error={saving.error}
          isPending={saving.isPending}
          onClose={cancel}
          onConfirm={() => saving.mutate(question.days, { onSuccess: done })}
          question={question}
        />
      )}
    </Section>
  );
}

/** Saves for how long submissions are kept; asks before, where it deletes some. */
function useRetention(formId: string) {
  const queryClient = useQueryClient();
  const { ask, ...asked } = useAsked<Question>();
  const saving = useMutation({
    mutationFn: (days: number | null) => client.forms.setRetention(formId, days),
    onSuccess: async (days) => {
      queryClient.setQueryData(queries.retention(formId).queryKey, { days });
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
    },
  });
  async function save(days: number | null): Promise<unknown> {
    saving.reset();
    if (days === null) return saving.mutateAsync(null);
    const to = serviceNow() - days * dayMilliseconds;
    const [{ total }, { total: inBin }] = await Promise.all([
      client.submissions.list(formId, { to, limit: 1 }),
      client.submissions.listBin(formId, { to, limit: 1 }),
    ]);
    return ask({ days, count: total, inBin });
  }
  return { ...asked, saving, save };
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
