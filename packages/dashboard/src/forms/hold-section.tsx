import type { Form } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { serviceNow } from "../api/service-clock.ts";
import { parseDay, toDay } from "../browser/day.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

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
      {until !== null && <p>{texts.reminder(until, until <= serviceNow())}</p>}
    </div>
  );
}

/** Reads the form again after either change. */
function useHoldChanged(formId: string, onClose: () => void) {
  const queryClient = useQueryClient();
  return async () => {
    await queryClient.invalidateQueries(queries.form(formId));
    await queryClient.invalidateQueries({ queryKey: ["forms"] });
    onClose();
  };
}

function SetHold({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const { hold } = form;
  const onHeld = useHoldChanged(form.id, onClose);
  const fields = useFields({
    initial: { reason: hold?.reason ?? "", until: hold?.until ? toDay(hold.until) : "" },
    follows: true,
    send: ({ reason, until }) =>
      withFreshSession(() => client.forms.setHold(form.id, { reason, until: parseDay(until) })),
    onSaved: onHeld,
  });
  return (
    <FormDialog
      action={hold === undefined ? texts.button : texts.save}
      fields={fields}
      onClose={onClose}
      title={hold === undefined ? texts.set(form.name) : texts.changeTitle}
    >
      {hold === undefined && <Effects effects={texts.effects} />}
      <TextField
        {...fields.text("reason")}
        autoComplete="off"
        hint={texts.reasonHint}
        isOptional
        label={texts.reason}
        maxLength={500}
      />
      <TextField
        {...fields.text("until")}
        className="max-w-48"
        error={fields.errorAt("until") && texts.untilPast}
        hint={texts.untilHint}
        isOptional
        label={texts.until}
        type="date"
      />
    </FormDialog>
  );
}

function LiftHold({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const onLifted = useHoldChanged(form.id, onClose);
  const lifting = useMutation({
    mutationFn: () => withFreshSession(() => client.forms.liftHold(form.id)),
    onSuccess: onLifted,
  });
  return (
    <ActionDialog
      action={texts.lift}
      isPending={lifting.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => lifting.mutate()}
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
