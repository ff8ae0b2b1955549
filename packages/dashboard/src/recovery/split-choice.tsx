import { sharesMax } from "@sealpost/envelope";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import type { Mistakes } from "../form-kit/mistakes.ts";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";

const { recovery } = text;

const texts = recovery.split;

export interface Split {
  readonly needed: number;
  readonly of: number;
}

/** One sheet, or several of which some open. */
export function SplitChoice({
  before,
  isPending,
  onChosen,
  onBack,
}: {
  /** The choice before somebody came back; `undefined` for the first time. */
  readonly before: { readonly split: Split | undefined } | undefined;
  readonly isPending: boolean;
  readonly onChosen: (split: Split | undefined) => void;
  readonly onBack: () => void;
}) {
  const fields = useFields({
    initial: {
      isSplit: before?.split !== undefined,
      of: String(before?.split?.of ?? 3),
      needed: String(before?.split?.needed ?? 2),
    },
    passing: "held_around",
    check: ({ isSplit, ...numbers }) => (isSplit ? findMistakes(readSplit(numbers)) : undefined),
    send: ({ isSplit, ...numbers }) => onChosen(isSplit ? readSplit(numbers) : undefined),
  });
  return (
    <Step intro={texts.intro} title={texts.title}>
      <FieldsForm className="grid gap-5" fields={fields} isCheckedHere>
        <fieldset className="grid gap-3">
          <legend className="sr-only">{texts.title}</legend>
          {([false, true] as const).map((one) => (
            <label className="flex min-h-11 items-start gap-2" key={String(one)}>
              <input {...fields.radio("isSplit", one)} className="mt-1" type="radio" />
              <span>
                {one ? texts.several : texts.whole}
                <span className="block text-muted text-sm">{one ? texts.severalHint : texts.wholeHint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {fields.values.isSplit && (
          <div className="flex flex-wrap items-start gap-4">
            <TextField {...fields.text("of")} className="max-w-32" inputMode="numeric" label={texts.of} />
            <TextField {...fields.text("needed")} className="max-w-32" inputMode="numeric" label={texts.needed} />
          </div>
        )}
        <StepButtons onBack={onBack}>
          <Button look="primary" pending={isPending} type="submit">
            {text.common.next}
          </Button>
        </StepButtons>
      </FieldsForm>
    </Step>
  );
}

function readSplit({ of, needed }: { readonly of: string; readonly needed: string }): Split {
  return { of: parseCount(of), needed: parseCount(needed) };
}

function findMistakes({ of, needed }: Split): Mistakes {
  if (!isBetween(of, 2, sharesMax)) return { of: texts.ofError(sharesMax) };
  return isBetween(needed, 2, of) ? {} : { needed: texts.neededError(of) };
}

/** A number as people write one: not `1e1`. */
function parseCount(typed: string): number {
  return /^\s*\d{1,4}\s*$/.test(typed) ? Number(typed) : Number.NaN;
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
