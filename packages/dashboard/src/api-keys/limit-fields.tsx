import { useState } from "react";
import { FormChoice } from "../organization/grant-fields.tsx";
import { text } from "../texts/text.ts";
import { Field, TextField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";

const { apiKeyLimits: texts } = text;

const expiries = ["never", "month", "quarter", "year", "date"] as const;
type Expiry = (typeof expiries)[number];
const days = { month: 30, quarter: 90, year: 365 } as const;

export interface Limits {
  readonly forms?: string[];
  readonly expiresAt?: string;
}

export interface LimitMistakes {
  readonly isFormMissing: boolean;
  readonly isDateWrong: boolean;
}

/** The choices in `LimitFields`, or what is missing of them. */
export function readLimits(data: FormData, now: number = Date.now()): Limits | LimitMistakes {
  const forms = data.get("reach") === "some" ? data.getAll("form").map(String) : undefined;
  const end = readEnd(data, now);
  const mistakes = { isFormMissing: forms?.length === 0, isDateWrong: end !== undefined && !(end > now) };
  if (mistakes.isFormMissing || mistakes.isDateWrong) return mistakes;
  return {
    ...(forms !== undefined && { forms }),
    ...(end !== undefined && { expiresAt: new Date(end).toISOString() }),
  };
}

/** In milliseconds; `NaN` for an empty or impossible date. */
function readEnd(data: FormData, now: number): number | undefined {
  const expiry = data.get("expiry") as Expiry; // one of the choices below
  if (expiry === "never") return undefined;
  // Without a zone it is the reader's own.
  if (expiry === "date") return Date.parse(`${data.get("expiryDate")}T23:59:59`);
  return now + days[expiry] * 86_400_000;
}

/** Which forms a new key is for, and until when. */
export function LimitFields({ isFormMissing, isDateWrong }: LimitMistakes) {
  const [isForSome, setIsForSome] = useState(false);
  const [expiry, setExpiry] = useState<Expiry>("never");
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{texts.reach}</legend>
        {[false, true].map((some) => (
          <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={String(some)}>
            <input
              checked={isForSome === some}
              className="mt-1"
              name="reach"
              onChange={() => setIsForSome(some)}
              type="radio"
              value={some ? "some" : "all"}
            />
            <span>
              {some ? texts.someForms : texts.allForms}
              <span className="block text-muted text-sm">{some ? texts.someFormsHint : texts.allFormsHint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isForSome && <FormChoice hint={texts.formsHint} initial={[]} isMissing={isFormMissing} none={texts.noForms} />}
      <Field hint={texts.expiryHint} label={texts.expiry}>
        {(control) => (
          <Select
            {...control}
            name="expiry"
            onChange={setExpiry}
            options={expiries.map((one) => [one, texts.expiries[one]] as const)}
            value={expiry}
          />
        )}
      </Field>
      {expiry === "date" && (
        <TextField
          error={isDateWrong ? texts.dateWrong : undefined}
          hint={texts.dateHint}
          label={texts.date}
          name="expiryDate"
          required
          type="date"
        />
      )}
    </>
  );
}
