import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFaultFocus } from "../ui/use-faults.ts";

const daysMax = 365;

/** For how long what is deleted in a form can be restored. */
export function BinSection({ form: { id: formId, settings } }: { readonly form: Form }) {
  const saved = settings.binDays;
  const [fault, setFault] = useState<{ readonly given: unknown } | null>(null);
  const [asked, setAsked] = useState<number>();
  const field = useFaultFocus(fault);
  const { data: binned = 0 } = useQuery(queries.binTotal(formId));
  const queryClient = useQueryClient();
  const texts = text.bin;
  const saving = useMutation({
    mutationFn: (binDays: number) => client.forms.update(formId, { settings: { binDays } }),
    onSuccess: async () => {
      setAsked(undefined);
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries(queries.binTotal(formId));
    },
  });
  const save = (given: FormDataEntryValue | null) => {
    saving.reset();
    const days = given === "" ? Number.NaN : Number(given);
    const isRight = Number.isInteger(days) && days >= 0 && days <= daysMax;
    setFault(isRight ? null : { given });
    if (!isRight) return;
    if (days < saved && binned > 0) setAsked(days);
    else saving.mutate(days);
  };
  return (
    <Section intro={texts.settingsIntro} title={texts.settingsTitle}>
      <form
        className="grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save(new FormData(event.currentTarget).get("binDays"));
        }}
        ref={field}
      >
        {saving.isError && asked === undefined && <ErrorNotice error={saving.error} />}
        <TextField
          autoComplete="off"
          className="max-w-32"
          defaultValue={saved}
          error={fault !== null ? texts.daysError : undefined}
          hint={texts.daysHint}
          inputMode="numeric"
          label={texts.days}
          name="binDays"
          required
        />
        <div className="flex flex-wrap items-center gap-4">
          <Button pending={saving.isPending} type="submit">
            {texts.save}
          </Button>
          <p className="text-muted text-sm" role="status">
            {texts.saved(saved)}
          </p>
        </div>
      </form>
      {asked !== undefined && (
        <ActionDialog
          action={texts.save}
          isPending={saving.isPending}
          look="danger"
          onClose={() => setAsked(undefined)}
          onConfirm={() => saving.mutate(asked)}
          title={texts.fewerTitle}
        >
          {saving.isError && <ErrorNotice error={saving.error} />}
          <Notice tone="warning">{texts.fewer(binned, asked)}</Notice>
        </ActionDialog>
      )}
    </Section>
  );
}
