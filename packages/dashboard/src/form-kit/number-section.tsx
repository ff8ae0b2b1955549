import type { ReactNode } from "react";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";
import { FieldsForm } from "./fields-form.tsx";
import { SaveLine } from "./save-line.tsx";
import { type NumberField, type Numbers, useNumbers } from "./use-numbers.ts";

/** A section of settings that are whole numbers, which are saved together. */
export function NumberSection<const All extends Readonly<Record<string, NumberField>>>({
  title,
  intro,
  fields,
  save,
  state,
  above,
  onSave,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly fields: All;
  /** The label of the button. */
  readonly save: string;
  /** The current setting, in a sentence. */
  readonly state: string;
  /** Shown above the fields. */
  readonly above?: ReactNode;
  /** Ends once the numbers are saved. */
  readonly onSave: (numbers: Numbers<All>) => Promise<unknown>;
  /** The dialog that asks back. */
  readonly children?: ReactNode;
}) {
  const numbers = useNumbers(fields, onSave);
  return (
    <Section intro={intro} title={title}>
      <FieldsForm className="grid gap-5" fields={numbers} isCheckedHere>
        {above}
        {Object.entries(fields).map(([name, { label, hint, isOptional }]) => (
          <TextField
            {...numbers.text(name)}
            autoComplete="off"
            className="max-w-32"
            hint={hint}
            inputMode="numeric"
            key={name}
            label={label}
            required={isOptional !== true}
          />
        ))}
        <SaveLine fields={numbers} label={save} state={state} />
      </FieldsForm>
      {children}
    </Section>
  );
}
