import { serviceNow } from "../api/service-clock.ts";
import { parseDay } from "../browser/day.ts";
import type { Mistakes } from "../form-kit/mistakes.ts";
import type { Fields } from "../form-kit/use-fields.ts";
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

/** The fields of `LimitFields`. */
export interface LimitValues {
  readonly reach: "all" | "some";
  readonly forms: readonly string[];
  readonly expiry: Expiry;
  readonly expiryDate: string;
}

export const noLimits: LimitValues = { reach: "all", forms: [], expiry: "never", expiryDate: "" };

export function readLimits(values: LimitValues, now: number = serviceNow()): Limits {
  const end = readEnd(values, now);
  return {
    ...(values.reach === "some" && { forms: [...values.forms] }),
    ...(end !== undefined && { expiresAt: new Date(end).toISOString() }),
  };
}

/** Mistakes in the choices. */
export function checkLimits(values: LimitValues, now: number = serviceNow()): Mistakes {
  const end = readEnd(values, now);
  return {
    ...(values.reach === "some" && values.forms.length === 0 && { forms: text.members.formMissing }),
    ...(end !== undefined && !(end > now) && { expiryDate: texts.dateWrong }),
  };
}

/** In milliseconds; `NaN` for an empty or impossible date. */
function readEnd({ expiry, expiryDate }: LimitValues, now: number): number | undefined {
  if (expiry === "never") return undefined;
  // The last second of the day.
  if (expiry === "date") return (parseDay(expiryDate, 1) ?? Number.NaN) - 1000;
  return now + days[expiry] * 86_400_000;
}

/** Which forms a new key is for, and until when. */
export function LimitFields<Values extends LimitValues>({ fields: given }: { readonly fields: Fields<Values> }) {
  const fields = given as unknown as Fields<LimitValues>; // it has these among others
  const { reach, expiry } = fields.values;
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">{texts.reach}</legend>
        {(["all", "some"] as const).map((one) => (
          <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={one}>
            <input {...fields.radio("reach", one)} className="mt-1" type="radio" value={one} />
            <span>
              {one === "some" ? texts.someForms : texts.allForms}
              <span className="block text-muted text-sm">
                {one === "some" ? texts.someFormsHint : texts.allFormsHint}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {reach === "some" && (
        <FormChoice
          hint={texts.formsHint}
          mistake={fields.errorAt("forms")}
          none={texts.noForms}
          tickOf={(id) => fields.tickOf("forms", id)}
        />
      )}
      <Field hint={texts.expiryHint} label={texts.expiry}>
        {(control) => (
          <Select
            {...control}
            {...fields.choice("expiry")}
            options={expiries.map((one) => [one, texts.expiries[one]] as const)}
          />
        )}
      </Field>
      {expiry === "date" && (
        <TextField {...fields.text("expiryDate")} hint={texts.dateHint} label={texts.date} required type="date" />
      )}
    </>
  );
}
