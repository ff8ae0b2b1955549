import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { usage as texts } from "../texts/english/usage.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFaultFocus } from "../ui/use-faults.ts";
import { UsageMeter } from "./usage-meter.tsx";

const kibibyte = 1024;
/** The shortest sealed submission takes 2,068 bytes, padded and as base64: a form with less would take none at all. */
const sealedMin = 3;

interface Faults {
  readonly bytesMax: boolean;
  readonly perHour: boolean;
}

/** How much the form takes, and how full it is. */
export function LimitsSection({ form }: { readonly form: Form }) {
  const { submissionBytesMax, submissionsPerHour, encryption } = form.settings;
  const min = encryption ? sealedMin : 1;
  const [faults, setFaults] = useState<Faults | null>(null);
  const fields = useFaultFocus(faults);
  const queryClient = useQueryClient();
  const usage = useQuery(queries.usage());
  const stored = usage.data?.forms.find(({ id }) => id === form.id)?.bytes;
  const max = usage.data?.formBytesMax ?? null;
  const saving = useMutation({
    mutationFn: (settings: { submissionBytesMax: number; submissionsPerHour: number | null }) =>
      client.forms.update(form.id, { settings }),
    onSuccess: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  const save = (data: FormData) => {
    saving.reset();
    const kibibytes = Number(data.get("bytesMax"));
    const typed = String(data.get("perHour")).trim();
    const perHour = typed === "" ? null : Number(typed);
    const found = {
      // One that was set by the API need not be of whole KiB.
      bytesMax: !isWhole(kibibytes, min, 1024) && kibibytes * kibibyte !== submissionBytesMax,
      perHour: perHour !== null && !isWhole(perHour, 1, 1_000_000),
    };
    setFaults(found.bytesMax || found.perHour ? found : null);
    if (found.bytesMax || found.perHour) return;
    saving.mutate({ submissionBytesMax: kibibytes * kibibyte, submissionsPerHour: perHour });
  };
  return (
    <Section intro={texts.limitsIntro} title={texts.limitsTitle}>
      <form
        className="grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save(new FormData(event.currentTarget));
        }}
        ref={fields}
      >
        {stored !== undefined && max !== null && <UsageMeter bytes={stored} label={texts.title} max={max} />}
        {saving.isError && <ErrorNotice error={saving.error} />}
        <TextField
          autoComplete="off"
          className="max-w-32"
          defaultValue={submissionBytesMax / kibibyte}
          error={faults?.bytesMax ? texts.bytesMaxError(min) : undefined}
          hint={texts.bytesMaxHint(min)}
          inputMode="numeric"
          label={texts.bytesMax}
          name="bytesMax"
          required
        />
        <TextField
          autoComplete="off"
          className="max-w-32"
          defaultValue={submissionsPerHour ?? ""}
          error={faults?.perHour ? texts.perHourError : undefined}
          hint={texts.perHourHint}
          inputMode="numeric"
          label={texts.perHour}
          name="perHour"
        />
        <div className="flex flex-wrap items-center gap-4">
          <Button pending={saving.isPending} type="submit">
            {texts.save}
          </Button>
          <p className="text-muted text-sm" role="status">
            {texts.saved(submissionBytesMax, submissionsPerHour)}
          </p>
        </div>
      </form>
    </Section>
  );
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
