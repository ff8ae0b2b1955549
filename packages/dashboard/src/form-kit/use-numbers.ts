import { type Fields, useFields } from "./use-fields.ts";

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

export type Numbers<All extends Readonly<Record<string, NumberField>>> = {
  readonly [Name in keyof All]: All[Name] extends { readonly isOptional: true } ? number | null : number;
};

type Typed = Readonly<Record<string, string>>;

/** The form of some numbers, whose values are the typed texts. */
export function useNumbers<All extends Readonly<Record<string, NumberField>>>(
  all: All,
  onSave: (numbers: Numbers<All>) => Promise<unknown>,
): Fields<Typed, unknown> {
  const entries = Object.entries(all);
  const read = (typed: Typed) =>
    entries.map(([name, field]) => [name, readNumber(typed[name] ?? "", field), field.error] as const);
  return useFields<Typed, unknown>({
    initial: Object.fromEntries(entries.map(([name, { value }]) => [name, String(value ?? "")])),
    follows: true,
    check: (typed) =>
      Object.fromEntries(read(typed).flatMap(([name, value, error]) => (value === undefined ? [[name, error]] : []))),
    // Each was read; only an optional one is null.
    send: (typed) => onSave(Object.fromEntries(read(typed)) as Numbers<All>),
  });
}

/** A number in decimal digits, and nothing else: `1e2` and `0x10` are mistakes. `undefined` when it is invalid. */
export function readNumber(
  given: string,
  field: Pick<NumberField, "value" | "min" | "max" | "isOptional">,
): number | null | undefined {
  const typed = given.trim();
  if (typed === "" && field.isOptional === true) return null;
  if (field.value !== null && typed === String(field.value)) return field.value;
  const number = /^[0-9]+$/.test(typed) ? Number(typed) : Number.NaN;
  return number >= field.min && number <= field.max ? number : undefined;
}
