import {
  describeFirstSights,
  type FirstSight,
  findFirstSights,
  openForm,
  type SightOutcome,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import type { NamedForm } from "./form-names.ts";
import { loadReadableList, type ReadableList } from "./load-list.ts";
import { sayIsRight } from "./look-at.ts";
import type { OpenedForm } from "./open-form.ts";
import { type OverFormsOptions, overForms } from "./over-forms.ts";
import { type SweepFailure, toFailure } from "./sweep.ts";

/** A first sight with the form that it is of. */
export interface FormSight extends FirstSight {
  readonly form: NamedForm;
}

/** Why nothing was done with a form. */
type NotLooked =
  | { readonly kind: "failed"; readonly failure: SweepFailure }
  /** It was stopped, or the key was locked. */
  | { readonly kind: "stopped" };

/** A form that was opened, with the first sights that wait for a person's answer. */
export type LookedForm = { readonly form: NamedForm } & (
  | { readonly kind: "looked"; readonly sights: readonly FormSight[] }
  | NotLooked
);

/** A form of which a person has answered first sights: what became of each, and which wait now. */
export type AnsweredForm = { readonly form: NamedForm } & (
  | { readonly kind: "answered"; readonly outcomes: readonly SightOutcome[]; readonly sights: readonly FormSight[] }
  | NotLooked
);

/** Opens forms, and finds the first sights that a person has to look at. Rejects with `ListUnusable`. */
export async function lookAtAll(
  context: EnvelopeContext,
  forms: readonly NamedForm[],
  options?: OverFormsOptions<LookedForm>,
): Promise<readonly LookedForm[]> {
  const { organizationId } = context;
  const loadList = () => loadReadableList(context);
  const describe = createDescribing();
  let known = await loadList();
  return overThese<LookedForm>(
    forms,
    async (form, isAgain) => {
      if (isAgain) known = await loadList();
      const opened = await openForm(context, { formId: toId(form), organizationId, loadList, known });
      if (opened.kind === "moved_form") return failed(form, { kind: "envelope", reason: "moved_form" });
      return { form, kind: "looked", sights: opened.kind === "opened" ? describe(form, opened) : [] };
    },
    options,
  );
}

/**
 * The person has said that these first sights are right, each as it was shown: each counts for its own hash alone. The list is loaded again, and holds them to
 * what it says by now.
 */
export async function answerSights(
  context: EnvelopeContext,
  sights: readonly FormSight[],
  options?: OverFormsOptions<AnsweredForm>,
): Promise<readonly AnsweredForm[]> {
  const describe = createDescribing();
  let known = await loadReadableList(context);
  return overThese<AnsweredForm>(
    [...new Map(sights.map(({ form }) => [form.id, form])).values()],
    async (form, isAgain) => {
      if (isAgain) known = await loadReadableList(context);
      const outcomes: SightOutcome[] = [];
      const kept: FormSight[] = [];
      let left: readonly FormSight[] = [];
      for (const sight of sights.filter((one) => one.form.id === form.id)) {
        const { outcome, opened } = await sayIsRight(context, toId(form), sight, known);
        outcomes.push(outcome);
        if (opened) left = describe(form, opened);
        // It may be tried again, as for a key log that somebody gave up.
        if (!isSettled(outcome)) kept.push(sight);
      }
      const others = left.filter(({ envelope }) => kept.every((one) => one.envelope.head.hash !== envelope.head.hash));
      return { form, kind: "answered", outcomes, sights: [...kept, ...others] };
    },
    options,
  );
}

const isSettled = (outcome: SightOutcome) => ["accepted", "overtaken", "other"].includes(outcome);

/** As for several forms with the same list the edges of its members are walked once. */
function createDescribing() {
  let last: { readonly list: unknown; readonly describe: ReturnType<typeof describeFirstSights> } | undefined;
  return (form: NamedForm, opened: Pick<OpenedForm<ReadableList>, "refused" | "forReading" | "list">) => {
    const { list } = opened.list;
    last = last?.list === list ? last : { list, describe: describeFirstSights(list) };
    const { describe } = last;
    return findFirstSights(opened).map((envelope): FormSight => ({ form, envelope, shown: describe(envelope) }));
  };
}

const toId = ({ id }: NamedForm) => id as FormId; // the server names no others

const failed = (form: NamedForm, failure: SweepFailure) => ({ form, kind: "failed", failure }) as const;

function overThese<Result>(
  forms: readonly NamedForm[],
  work: (form: NamedForm, isAgain: boolean) => Promise<Result | ({ readonly form: NamedForm } & NotLooked)>,
  options?: OverFormsOptions<Result | ({ readonly form: NamedForm } & NotLooked)>,
) {
  const formOf = (formId: FormId) => forms.find(({ id }) => id === formId) ?? { id: formId, name: formId };
  return overForms<Result | ({ readonly form: NamedForm } & NotLooked)>(
    forms.map(toId),
    {
      do: (formId, isAgain) => work(formOf(formId), isAgain),
      toFailed: (formId, error) => failed(formOf(formId), toFailure(error)),
      toStopped: (formId) => ({ form: formOf(formId), kind: "stopped" }),
    },
    options,
  );
}
