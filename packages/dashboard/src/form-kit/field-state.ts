/** More than anybody remembers, and little to keep: a step shares with its neighbours what it leaves as it was. */
export const stepsMax = 200;

/** Values of a form's fields, by their names, and the steps that led there. Every function here returns another state. */
export interface FieldState<Values extends object> {
  readonly values: Values;
  /** The values that were last shown or saved. Any difference from them would be lost with the page. */
  readonly saved: Values;
  /** Fields that were sent in a request whose answer was lost. Whatever they show, they are to be sent again: nobody knows what the service has. */
  readonly unsure: readonly (keyof Values)[];
  /** Values before each step that can be undone, the oldest first. */
  readonly past: readonly Values[];
  /** Values after each step that can be done again, the next one first. */
  readonly future: readonly Values[];
  /** The field that is being typed in: each letter more in it belongs to the same step. */
  readonly typedIn: keyof Values | undefined;
}

export function startFields<Values extends object>(values: Values): FieldState<Values> {
  return { values, saved: values, unsure: [], past: [], future: [], typedIn: undefined };
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
  return { ...state, saved: sent, unsure: [], typedIn: undefined };
}

/**
 * The state once `found` is saved, instead of what was saved when `before` was found: by another tab, say. Fields that nobody has changed
 * here show it, also after Undo.
 */
export function followFields<Values extends object>(
  state: FieldState<Values>,
  before: Values,
  found: Values,
): FieldState<Values> {
  const other = namesOf(found).filter((name) => !isSame(before[name], found[name]));
  if (other.length === 0) return state;
  const follow = (values: Values): Values => {
    const untouched = other.filter((name) => isSame(values[name], state.saved[name]));
    return { ...values, ...pick(found, untouched) };
  };
  const [past, future] = [state.past.map(follow), state.future.map(follow)];
  return { ...state, values: follow(state.values), saved: { ...state.saved, ...pick(found, other) }, past, future };
}

/** The names of the fields that differ from what was saved, or may. */
export function listChanged<Values extends object>({
  values,
  saved,
  unsure,
}: Pick<FieldState<Values>, "values" | "saved" | "unsure">): (keyof Values)[] {
  return namesOf(values).filter((name) => unsure.includes(name) || !isSame(values[name], saved[name]));
}

const namesOf = <Values extends object>(values: Values) => Object.keys(values) as (keyof Values)[]; // its own members

function pick<Values extends object>(values: Values, names: readonly (keyof Values)[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>; // some of its members
}

/** Values of fields are plain data. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
