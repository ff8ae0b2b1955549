import { sharesMax } from "@sealpost/envelope";
import { useState } from "react";
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
  const [isSplit, setIsSplit] = useState(before?.split !== undefined);
  const [numbers, setNumbers] = useState({
    of: String(before?.split?.of ?? 3),
    needed: String(before?.split?.needed ?? 2),
  });
  const [hasErrors, setHasErrors] = useState(false);
  const [of, needed] = [parseCount(numbers.of), parseCount(numbers.needed)];
  const ofError = isBetween(of, 2, sharesMax) ? undefined : texts.ofError(sharesMax);
  const neededError = isBetween(needed, 2, of) ? undefined : texts.neededError(of);
  return (
    <Step intro={texts.intro} title={texts.title}>
      <form
        className="grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const isWrong = isSplit && (ofError ?? neededError) !== undefined;
          setHasErrors(isWrong);
          if (!isWrong) onChosen(isSplit ? { needed, of } : undefined);
        }}
      >
        <fieldset className="grid gap-3">
          <legend className="sr-only">{texts.title}</legend>
          {([false, true] as const).map((one) => (
            <label className="flex min-h-11 items-start gap-2" key={String(one)}>
              <input
                checked={isSplit === one}
                className="mt-1"
                name="split"
                onChange={() => setIsSplit(one)}
                type="radio"
              />
              <span>
                {one ? texts.several : texts.whole}
                <span className="block text-muted text-sm">{one ? texts.severalHint : texts.wholeHint}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {isSplit && (
          <div className="flex flex-wrap items-start gap-4">
            <TextField
              className="max-w-32"
              error={hasErrors ? ofError : undefined}
              inputMode="numeric"
              label={texts.of}
              onChange={(event) => setNumbers({ ...numbers, of: event.target.value })}
              value={numbers.of}
            />
            <TextField
              className="max-w-32"
              error={hasErrors && ofError === undefined ? neededError : undefined}
              inputMode="numeric"
              label={texts.needed}
              onChange={(event) => setNumbers({ ...numbers, needed: event.target.value })}
              value={numbers.needed}
            />
          </div>
        )}
        <StepButtons onBack={onBack}>
          <Button look="primary" pending={isPending} type="submit">
            {text.common.next}
          </Button>
        </StepButtons>
      </form>
    </Step>
  );
}

/** A number as people write one: not `1e1`. */
function parseCount(typed: string): number {
  return /^\s*\d{1,4}\s*$/.test(typed) ? Number(typed) : Number.NaN;
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
