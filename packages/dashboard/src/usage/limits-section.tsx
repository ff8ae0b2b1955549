import type { Form } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { NumberSection } from "../form-kit/number-section.tsx";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Awaited } from "../ui/page.tsx";
import { UsageMeter } from "./usage-meter.tsx";

const { usage: texts } = text;

const kibibyte = 1024;
/** The shortest sealed submission takes 2,068 bytes, padded and as base64: a form with less would take none at all. */
const sealedMin = 3;

/** How much the form takes, and how full it is. */
export function LimitsSection({ form }: { readonly form: Form }) {
  const { submissionBytesMax, submissionsPerHour, encryption } = form.settings;
  const min = encryption ? sealedMin : 1;
  const queryClient = useQueryClient();
  const usage = useQuery({ ...queries.usage(), enabled: useMay()("getUsage") });
  const stored = usage.data?.forms.find(({ id }) => id === form.id)?.bytes;
  const max = usage.data?.formBytesMax ?? null;
  const saving = useMutation({
    mutationFn: (settings: { submissionBytesMax: number; submissionsPerHour: number | null }) =>
      client.forms.update(form.id, { settings }),
    onSuccess: () => queryClient.invalidateQueries(queries.form(form.id)),
  });
  return (
    <NumberSection
      above={
        usage.isLoading ? (
          <Awaited />
        ) : (
          stored !== undefined && max !== null && <UsageMeter bytes={stored} label={texts.title} max={max} />
        )
      }
      fields={{
        kibibytes: {
          label: texts.bytesMax,
          hint: texts.bytesMaxHint(min),
          value: submissionBytesMax / kibibyte,
          min,
          max: 1024,
          error: texts.bytesMaxError(min),
        },
        perHour: {
          label: texts.perHour,
          hint: texts.perHourHint,
          value: submissionsPerHour,
          min: 1,
          max: 1_000_000,
          error: texts.perHourError,
          isOptional: true,
        },
      }}
      intro={texts.limitsIntro}
      onSave={({ kibibytes, perHour }) =>
        saving.mutateAsync({ submissionBytesMax: kibibytes * kibibyte, submissionsPerHour: perHour })
      }
      save={texts.save}
      state={texts.saved(submissionBytesMax, submissionsPerHour)}
      title={texts.limitsTitle}
    />
  );
}
