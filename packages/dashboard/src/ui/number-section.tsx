import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { ErrorNotice } from "./notice.tsx";
import { Section } from "./page.tsx";
import { useErrorFocus } from "./use-field-errors.ts";

export interface NumberField {
  readonly label: string;
  readonly hint?: string;
  /** Its current value; `null` shows an empty field. A value that nobody touches is valid, however it was set. */
  readonly value: number | null;
  readonly min: number;
  readonly max: number;
  /** Said when something else was typed than a whole number from `min` to `max`. */
  readonly error: string;
  /** Whether the field may be left empty, for `null`. */
  readonly isOptional?: boolean;
}

export type Numbers<Fields extends Readonly<Record<string, NumberField>>> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly isOptional: true } ? number | null : number;
};

/** A section of settings that are whole numbers, which are saved together. */
export function NumberSection<const Fields extends Readonly<Record<string, NumberField>>>({
  title,
  intro,
  fields,
  save,
  state,
  error,
  isPending,
  above,
  onSave,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly fields: Fields;
  /** The label of the button. */
  readonly save: string;
  /** The current setting, in a sentence. */
  readonly state: string;
  readonly error: unknown;
  readonly isPending: boolean;
  /** Shown above the fields. */
  readonly above?: ReactNode;
  readonly onSave: (numbers: Numbers<Fields>) => void;
  /** The dialog that asks back. */
  readonly children?: ReactNode;
}) {
  const [fieldErrors, setFieldErrors] = useState<ReadonlySet<string> | null>(null);
  const form = useErrorFocus(fieldErrors);
  const read = (data: FormData) => {
    const numbers = Object.entries(fields).map(([name, field]) => [name, readNumber(data.get(name), field)] as const);
    const wrong = new Set(numbers.flatMap(([name, number]) => (number === undefined ? [name] : [])));
    setFieldErrors(wrong.size > 0 ? wrong : null);
    if (wrong.size === 0) onSave(Object.fromEntries(numbers) as Numbers<Fields>); // each is read; only an optional one is null
  };
  return (
    <Section intro={intro} title={title}>
      <form
        className="grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          read(new FormData(event.currentTarget));
        }}
        ref={form}
      >
        {error !== null && <ErrorNotice error={error} />}
        {above}
        {Object.entries(fields).map(([name, { label, hint, value, error: message, isOptional }]) => (
          <TextField
            autoComplete="off"
            className="max-w-32"
            defaultValue={value ?? ""}
            error={fieldErrors?.has(name) ? message : undefined}
            hint={hint}
            inputMode="numeric"
            key={name}
            label={label}
            name={name}
            required={isOptional !== true}
          />
        ))}
        <div className="flex flex-wrap items-center gap-4">
          <Button pending={isPending} type="submit">
            {save}
          </Button>
          <p className="text-muted text-sm" role="status">
            {state}
          </p>
        </div>
      </form>
      {children}
    </Section>
  );
}

/** A number in decimal digits, and nothing else: `1e2` and `0x10` are mistakes. `undefined` when it is invalid. */
function readNumber(given: FormDataEntryValue | null, field: NumberField): number | null | undefined {
  const typed = String(given).trim();
  if (typed === "" && field.isOptional === true) return null;
  if (field.value !== null && typed === String(field.value)) return field.value;
  const number = /^[0-9]+$/.test(typed) ? Number(typed) : Number.NaN;
  return number >= field.min && number <= field.max ? number : undefined;
}
