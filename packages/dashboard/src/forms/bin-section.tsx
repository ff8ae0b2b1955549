import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { NumberSection } from "../ui/number-section.tsx";

/** For how long what is deleted in a form can be restored. */
export function BinSection({ form: { id: formId, settings } }: { readonly form: Form }) {
  const saved = settings.binDays;
  const [asked, setAsked] = useState<number>();
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
  return (
    <NumberSection
      error={asked === undefined ? saving.error : null}
      fields={{
        binDays: { label: texts.days, hint: texts.daysHint, value: saved, min: 0, max: 365, error: texts.daysError },
      }}
      intro={texts.settingsIntro}
      isPending={saving.isPending}
      onSave={({ binDays }) => {
        saving.reset();
        if (binDays < saved && binned > 0) setAsked(binDays);
        else saving.mutate(binDays);
      }}
      save={texts.save}
      state={texts.saved(saved)}
      title={texts.settingsTitle}
    >
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
    </NumberSection>
  );
}
