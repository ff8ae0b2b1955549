import type { Form } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { parseDay, toDay } from "../browser/day.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";

const { legalHold: texts } = text;

type Hold = NonNullable<Form["hold"]>;

/** The form's legal hold, for everybody who sees the settings; owners set, change and lift it. */
export function HoldSection({ form }: { readonly form: Form }) {
  const mayChange = useMay()("setFormHold");
  const [asking, setAsking] = useState<"set" | "lift">();
  const { hold } = form;
  if (hold === undefined && !mayChange) return null;
  return (
    <Section
      intro={
        <>
          {texts.intro} <HelpLink page="legalHold">{texts.guideLink}</HelpLink>
        </>
      }
      title={texts.title}
    >
      {hold !== undefined && <HoldFacts hold={hold} />}
      {mayChange && (
        <div className="flex flex-wrap gap-3">
          <Button onClick={() => setAsking("set")}>{hold === undefined ? texts.button : texts.change}</Button>
          {hold !== undefined && (
            <Button look="danger" onClick={() => setAsking("lift")}>
              {texts.lift}
            </Button>
          )}
        </div>
      )}
      {asking === "set" && <SetHold form={form} onClose={() => setAsking(undefined)} />}
      {asking === "lift" && <LiftHold form={form} onClose={() => setAsking(undefined)} />}
    </Section>
  );
}

function HoldFacts({ hold: { since, setBy, reason, until } }: { readonly hold: Hold }) {
  return (
    <div className="mb-4 grid gap-1">
      <p className="font-medium">
        <bdi>{texts.since(since, setBy?.name || undefined)}</bdi>
      </p>
      {reason !== null && (
        <p className="wrap-anywhere">
          {texts.reason}: <bdi>{reason}</bdi>
        </p>
      )}
      {until !== null && <p>{texts.reminder(until, until <= Date.now())}</p>}
    </div>
  );
}

/** The change that either dialog makes once it is confirmed. */
function useHoldChange<Input>(formId: string, change: (input: Input) => Promise<unknown>, onClose: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withFreshSession(() => change(input)),
    onSuccess: async () => {
      await queryClient.invalidateQueries(queries.form(formId));
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
      onClose();
    },
  });
}

function SetHold({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const setting = useHoldChange(
    form.id,
    (body: { readonly reason: string; readonly until: number | null }) => client.forms.setHold(form.id, body),
    onClose,
  );
  const errors = useFieldErrors(setting.error, ["reason", "until"]);
  const { hold } = form;
  return (
    <ActionDialog
      action={hold === undefined ? texts.button : texts.save}
      form={errors.form}
      isPending={setting.isPending}
      onClose={onClose}
      onConfirm={(data) =>
        setting.mutate({ reason: String(data.get("reason")), until: parseDay(String(data.get("until"))) })
      }
      title={hold === undefined ? texts.set(form.name) : texts.changeTitle}
    >
      {errors.isElsewhere && <ErrorNotice error={setting.error} />}
      {hold === undefined && <Effects effects={texts.effects} />}
      <TextField
        autoComplete="off"
        defaultValue={hold?.reason ?? ""}
        error={errors.at("reason")}
        hint={texts.reasonHint}
        isOptional
        label={texts.reason}
        maxLength={500}
        name="reason"
      />
      <TextField
        className="max-w-48"
        defaultValue={hold?.until ? toDay(hold.until) : ""}
        error={errors.at("until") && texts.untilPast}
        hint={texts.untilHint}
        isOptional
        label={texts.until}
        name="until"
        type="date"
      />
    </ActionDialog>
  );
}

function LiftHold({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const lifting = useHoldChange(form.id, () => client.forms.liftHold(form.id), onClose);
  return (
    <ActionDialog
      action={texts.lift}
      isPending={lifting.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => lifting.mutate(undefined)}
      title={texts.liftTitle}
    >
      {lifting.isError && <ErrorNotice error={lifting.error} />}
      <Effects effects={texts.liftEffects} />
    </ActionDialog>
  );
}

function Effects({ effects }: { readonly effects: readonly string[] }) {
  return (
    <ul className="grid list-disc gap-1.5 pl-5">
      {effects.map((effect) => (
        <li key={effect}>{effect}</li>
      ))}
    </ul>
  );
}
