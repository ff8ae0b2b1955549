import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { FormsLoading } from "../organization/forms-loading.tsx";
import { checkGrant, FormChoice } from "../organization/grant-fields.tsx";
import { useAllForms } from "../organization/member-queries.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { type FormToSweep, SweepProgress } from "./sweep-progress.tsx";

const { readers: texts } = text;

const { offer: words } = texts;

/**
 * Lets somebody who was just brought in, or has another key, read forms: those that are chosen, with everything that was sealed to them before.
 * `suggested`: what the server grants them, by their ids, or `null` for all forms.
 */
export function OfferForms({
  context,
  member,
  suggested,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly member: { readonly id: string; readonly name: string };
  readonly suggested: readonly string[] | null;
  /** Nothing more is to be done, or nothing is wanted. */
  readonly onDone: () => void;
}) {
  const { forms, isComplete, error } = useAllForms();
  const [chosen, setChosen] = useState<readonly FormToSweep[]>();
  if (!isComplete) return <FormsLoading error={error} />;
  if (chosen !== undefined)
    return (
      <div className="grid gap-4">
        <SweepProgress
          change={{ add: [member.id], remove: [], chosenAs: new Map(chosen.map(({ id, name }) => [id, name])) }}
          context={context}
          forms={chosen}
          newReader={member.name}
        />
        <Button className="justify-self-start" onClick={onDone}>
          {text.common.close}
        </Button>
      </div>
    );
  return (
    <ChooseForms
      initial={suggested ?? forms.map(({ id }) => id)}
      name={member.name}
      onChosen={(ids) => setChosen(forms.filter(({ id }) => ids.includes(id)))}
      onLater={onDone}
    />
  );
}

function ChooseForms({
  name,
  initial,
  onChosen,
  onLater,
}: {
  readonly name: string;
  readonly initial: readonly string[];
  readonly onChosen: (ids: readonly string[]) => void;
  readonly onLater: () => void;
}) {
  const fields = useFields({
    initial: { forms: initial },
    check: (chosen) => checkGrant({ role: "reader", ...chosen }),
    send: (chosen) => onChosen(chosen.forms),
  });
  return (
    <FieldsForm fields={fields}>
      <p className="text-muted">{words.intro(name)}</p>
      <FormChoice
        hint={words.hint}
        mistake={fields.errorAt("forms")}
        none={words.none}
        tickOf={(id) => fields.tickOf("forms", id)}
      />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit">
          {words.submit}
        </Button>
        <Button onClick={onLater}>{words.later}</Button>
      </div>
    </FieldsForm>
  );
}
