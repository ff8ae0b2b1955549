import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { FormsLoading } from "../organization/forms-loading.tsx";
import { FormChoice } from "../organization/grant-fields.tsx";
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
  const [isMissing, setIsMissing] = useState(false);
  if (!isComplete) return <FormsLoading error={error} />;
  if (chosen !== undefined)
    return (
      <div className="grid gap-4">
        <SweepProgress change={{ add: [member.id], remove: [] }} context={context} forms={chosen} />
        <Button className="justify-self-start" onClick={onDone}>
          {text.common.close}
        </Button>
      </div>
    );
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const ids = new FormData(event.currentTarget).getAll("form").map(String);
        setIsMissing(ids.length === 0);
        if (ids.length > 0) setChosen(forms.filter(({ id }) => ids.includes(id)));
      }}
    >
      <p className="text-muted">{words.intro(member.name)}</p>
      <FormChoice
        hint={words.hint}
        initial={suggested ?? forms.map(({ id }) => id)}
        isMissing={isMissing}
        none={words.none}
      />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit">
          {words.submit}
        </Button>
        <Button onClick={onDone}>{words.later}</Button>
      </div>
    </form>
  );
}
