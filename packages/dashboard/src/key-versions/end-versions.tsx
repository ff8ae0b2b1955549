import type { FormKey, KeyClosing } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { serviceNow } from "../api/service-clock.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { entriesOf, text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";

const { formKeys } = text;

const texts = formKeys.end;
const dayMilliseconds = 86_400_000;

/** When older versions stop accepting submissions: at once, after days, or never. */
export type End = keyof typeof texts.choices;

const days = { day: 1, week: 7, month: 30 } as const;

export function toClosing(end: End, below: number): KeyClosing {
  return { below, at: end === "never" ? null : end === "now" ? 0 : serviceNow() + days[end] * dayMilliseconds };
}

/** The choice, for the rotation and for later. */
export function EndField({
  value,
  label,
  hint,
  onChange,
}: {
  readonly value: End;
  readonly label: string;
  readonly hint: string;
  readonly onChange: (end: End) => void;
}) {
  return (
    <Field hint={hint} label={label}>
      {(control) => (
        <Select
          {...control}
          className="max-w-full justify-self-start"
          onChange={onChange}
          options={entriesOf(texts.choices)}
          value={value}
        />
      )}
    </Field>
  );
}

/** Ends versions before the newest one, or takes them again. */
export function EndVersions({
  formId,
  versions,
}: {
  readonly formId: string;
  readonly versions: readonly Pick<FormKey, "version" | "closesAt">[];
}) {
  const newest = versions.reduce((highest, { version }) => Math.max(highest, version), 1);
  const closings = versions.flatMap(({ version, closesAt = Number.POSITIVE_INFINITY }) =>
    version < newest ? closesAt : [],
  );
  const hasEnd = closings.some(Number.isFinite);
  const ending = hasEnd ? (closings.every(Number.isFinite) ? "all" : "some") : "none";
  const queryClient = useQueryClient();
  const fields = useFields<{ readonly end: End }, unknown>({
    // The choice that is in force, if it is one of these: people read it as the state.
    initial: { end: hasEnd ? (closings.every((at) => at <= serviceNow()) ? "now" : "week") : "never" },
    follows: true,
    passing: "choice",
    send: ({ end }) => withFreshSession(() => client.forms.closeKeys(formId, toClosing(end, newest))),
    onSaved: () => queryClient.invalidateQueries(queries.keys(formId)),
  });
  if (newest === 1) return null;
  return (
    <Section intro={texts.intro} title={texts.title}>
      <FieldsForm className="grid gap-5" fields={fields}>
        <EndField {...fields.choice("end")} hint={texts.hint} label={texts.label(newest - 1)} />
        <div className="flex flex-wrap items-center gap-4">
          <Button pending={fields.isPending} type="submit">
            {texts.save}
          </Button>
          <p className="text-muted text-sm" role="status">
            {fields.isSent ? texts.saved(hasEnd) : texts.states[ending]}
          </p>
        </div>
      </FieldsForm>
    </Section>
  );
}
