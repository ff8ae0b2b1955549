/** More than anybody remembers, and little to keep: a step shares with its neighbours what it leaves as it was. */
export const stepsMax = 200;

/** Values of a form's fields, by their names, and the steps that led there. Every function here returns another state. */
export interface FieldState<Values extends object> {
  readonly values: Values;
  /** The values that were last shown or saved. Any difference from them would be lost with the page. */
  readonly saved: Values;
  /** Values before each step that can be undone, the oldest first. */
  readonly past: readonly Values[];
  /** Values after each step that can be done again, the next one first. */
  readonly future: readonly Values[];
  /** The field that is being typed in: each letter more in it belongs to the same step. */
  readonly typedIn: keyof Values | undefined;
}

export function startFields<Values extends object>(values: Values): FieldState<Values> {
  return { values, saved: values, past: [], future: [], typedIn: undefined };
}

/** The state after a field was given a value, by choosing or by typing. */
export function changeField<Values extends object, Name extends keyof Values>(
  state: FieldState<Values>,
  name: Name,
  value: Values[Name],
  how: "chosen" | "typed",
): FieldState<Values> {
  if (isSame(state.values[name], value)) return state;
  const values = { ...state.values, [name]: value };
  if (how === "typed" && state.typedIn === name) return { ...state, values, future: [] };
  return {
    ...state,
    values,
    past: [...state.past, state.values].slice(-stepsMax),
    future: [],
    typedIn: how === "typed" ? name : undefined,
  };
}

export function undo<Values extends object>(state: FieldState<Values>): FieldState<Values> {
  const before = state.past.at(-1);
  if (before === undefined) return state;
  const { values, past, future } = state;
  return { ...state, values: before, past: past.slice(0, -1), future: [values, ...future], typedIn: undefined };
}

export function redo<Values extends object>(state: FieldState<Values>): FieldState<Values> {
  const [next, ...future] = state.future;
  if (next === undefined) return state;
  return { ...state, values: next, past: [...state.past, state.values], future, typedIn: undefined };
}

/** The state once `sent` is saved. What was changed while it was under way is still to be saved. */
export function saveFields<Values extends object>(state: FieldState<Values>, sent: Values): FieldState<Values> {
  return { ...state, saved: sent, typedIn: undefined };
}

/** The names of the fields that differ from what was saved. */
export function listChanged<Values extends object>({
  values,
  saved,
}: Pick<FieldState<Values>, "values" | "saved">): (keyof Values)[] {
  const names = Object.keys(values) as (keyof Values)[]; // its own members
  return names.filter((name) => !isSame(values[name], saved[name]));
}

/** Values of fields are plain data. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
