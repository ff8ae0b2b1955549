import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import {
  type ChangeEvent,
  type RefObject,
  type SubmitEvent,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Cancelled } from "../api/describe-error.ts";
import type { LeaveTexts } from "../ui/leave-guard.tsx";
import { FieldStore, type ShownFields } from "./field-store.ts";
import { findMistake, type Mistakes, readRefusal } from "./mistakes.ts";

/** The names of the fields whose values are of a kind. */
type NamesOf<Values, Value> = {
  [Name in keyof Values & string]: Values[Name] extends Value ? Name : never;
}[keyof Values & string];

/**
 * A form that nothing is lost with: a secret or a code is typed again or not at all; a name is typed to confirm; a search changes nothing; one of a
 * few buttons is chosen again; on the way in no session can end; or what is around the form asks itself.
 */
export type Passing = "secret" | "confirmation" | "search" | "choice" | "way_in" | "held_around";

export interface FieldsOptions<Values extends object, Result> {
  /** First values, by the paths that the fields have in the request. Secrets are empty. */
  readonly initial: Values;
  /** Whether these are what the service has: where it has others by now, fields that nobody has changed show them. */
  readonly follows?: boolean | undefined;
  /** Mistakes in the values, by path; nothing is sent while there are any. */
  readonly check?: ((values: Values) => Mistakes | undefined) | undefined;
  readonly send: (values: Values) => Result | Promise<Result>;
  readonly onSaved?: ((result: Result, values: Values) => unknown) | undefined;
  readonly onRefused?: ((error: Error) => unknown) | undefined;
  /** The field that a conflict is about. */
  readonly taken?: (keyof Values & string) | undefined;
  /** A request to sign in, or one within another request, which knows better: 401 ends no session. */
  readonly isSignIn?: boolean | undefined;
  /** It only asks, or signs in: where its answer is lost, nobody needs to look what was done. */
  readonly changesNothing?: boolean | undefined;
  /** Why nobody would miss what is typed. Any other form asks before it is left, and outlives its session. */
  readonly passing?: Passing | undefined;
  /** Whether the page lets its changes be undone and done again. */
  readonly canUndo?: boolean | undefined;
  /** The question then, where there is more to say than that it is not saved. */
  readonly leave?: LeaveTexts | undefined;
}

export interface TextProps {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}

export interface TickProps {
  readonly name: string;
  readonly checked: boolean;
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void;
}

/** A form's fields, for the component that shows them. */
export interface Fields<Values extends object, Result = unknown> extends FormFields {
  readonly values: Values;
  readonly set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => void;
  readonly text: (name: NamesOf<Values, string>) => TextProps;
  /** A password, a passphrase, a private key, a code: it stays in its field and nowhere else until it is sent. */
  readonly secret: (name: NamesOf<Values, string>) => Omit<TextProps, "value">;
  readonly tick: (name: NamesOf<Values, boolean>) => TickProps;
  /** One of a list that may be ticked. */
  readonly tickOf: (name: NamesOf<Values, readonly string[]>, item: string) => TickProps & { readonly value: string };
  readonly choice: <Name extends keyof Values & string>(
    name: Name,
  ) => { readonly value: Values[Name]; readonly onChange: (value: Values[Name]) => void };
  /** One of a group of radio buttons. */
  readonly radio: <Name extends keyof Values & string>(name: Name, item: Values[Name]) => TickProps;
  readonly toggle: (name: NamesOf<Values, boolean>) => {
    readonly checked: boolean;
    readonly onChange: (checked: boolean) => void;
  };
  readonly errorAt: (path: string) => string | undefined;
  /** Says what is wrong with a field that somebody is still at; the focus stays where it is. */
  readonly say: (path: string, sentence: string | undefined) => void;
  /** Says what is wrong after all, once it was sent. */
  readonly refuse: (mistakes: Mistakes) => void;
  readonly shown: ShownFields<Values>;
  readonly isChanged: boolean;
  /** Whether it was sent, and nothing was refused. */
  readonly isSent: boolean;
  readonly result: Result | undefined;
  readonly sent: Values | undefined;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Takes everything out of the fields again; what became of the last request stays. */
  readonly empty: () => void;
}

/** The part of them that the form around the fields needs. */
export interface FormFields {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void;
  readonly isPending: boolean;
  /** Why it was refused, or `null`. */
  readonly error: Error | null;
  /** Whether the error says more than the fields do. */
  readonly isElsewhere: boolean;
  readonly refusals: number;
  /** How many of its fields are wrong. */
  readonly wrong: number;
  readonly isPassing: boolean;
  readonly leave: LeaveTexts | undefined;
  readonly holds: () => boolean;
  readonly forget: () => void;
}

/** The state of a form for the time of its component: see `FieldStore`. */
export function useFields<Values extends object, Result = void>(
  options: FieldsOptions<Values, Result>,
): Fields<Values, Result> {
  const latest = useRef(options);
  latest.current = options;
  const [store] = useState(() => createStore(latest));
  const shown = useSyncExternalStore(store.subscribe, store.get);
  useEffect(() => {
    if (options.follows === true) store.follow(options.initial);
  });
  const sending = useMutation({
    mutationFn: store.deliver,
    meta: { isSignIn: options.isSignIn === true, changesNothing: options.changesNothing === true },
    onError: (error) => latest.current.onRefused?.(error),
  });
  const form = useErrorFocus(shown.refusals);
  return { ...fieldsOf(store, shown), ...sendingOf(store, sending, form), ...guardOf(store, options) };
}

function createStore<Values extends object, Result>(
  latest: RefObject<FieldsOptions<Values, Result>>,
): FieldStore<Values, Result> {
  const { initial } = latest.current;
  return new FieldStore<Values, Result>(initial, () => ({
    check: (values) => latest.current.check?.(values) ?? {},
    send: (values) => latest.current.send(values),
    onSaved: (result, values) => latest.current.onSaved?.(result, values),
    canUndo: latest.current.canUndo === true,
    readRefusal: (error) =>
      error instanceof Cancelled
        ? { mistakes: {}, isElsewhere: false }
        : readRefusal(error, Object.keys(initial), latest.current.taken),
  }));
}

function fieldsOf<Values extends object, Result>(store: FieldStore<Values, Result>, shown: ShownFields<Values>) {
  const { values } = shown;
  const errorAt = (path: string) => findMistake(shown.mistakes, path);
  type Name = keyof Values & string;
  // The types of the names say which values these are.
  const asText = (name: Name) => values[name] as string;
  const asBoolean = (name: Name) => values[name] as boolean;
  const asList = (name: Name) => values[name] as readonly string[];
  const change = (name: Name, value: unknown, how?: "typed") => store.change(name, value as Values[Name], how);
  return {
    values,
    shown,
    errorAt,
    isChanged: store.isChanged(),
    set: store.change as Fields<Values>["set"],
    text: (name: Name) => ({
      name,
      value: asText(name),
      error: errorAt(name),
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        change(name, target.value, "typed"),
    }),
    secret: (name: Name) => {
      store.nameSecret(name);
      return { name, error: errorAt(name), onChange: () => store.touchSecret(name) };
    },
    tick: (name: Name) => ({
      name,
      checked: asBoolean(name),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => change(name, target.checked),
    }),
    tickOf: (name: Name, value: string) => ({
      name,
      value,
      checked: asList(name).includes(value),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
        const others = asList(name).filter((other) => other !== value);
        change(name, target.checked ? [...others, value] : others);
      },
    }),
    radio: (name: Name, value: Values[Name]) => ({
      name,
      checked: values[name] === value,
      onChange: () => change(name, value),
    }),
    choice: <Own extends Name>(name: Own) => ({
      value: values[name],
      onChange: (value: Values[Own]) => store.change(name, value),
    }),
    toggle: (name: Name) => ({ checked: asBoolean(name), onChange: (checked: boolean) => change(name, checked) }),
    say: store.say,
    refuse: (mistakes: Mistakes) => store.refuse({ mistakes, isElsewhere: false }),
    undo: store.undo,
    redo: store.redo,
  };
}

function sendingOf<Values extends object, Result>(
  store: FieldStore<Values, Result>,
  sending: UseMutationResult<Result, Error, Values>,
  form: RefObject<HTMLFormElement | null>,
) {
  const { isElsewhere, refusals, mistakes } = store.get();
  return {
    form,
    submit: (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      void store.submit((name) => readField(form.current, name), sending.mutateAsync);
    },
    empty: () => {
      form.current?.reset();
      store.reset();
    },
    isPending: sending.isPending,
    isSent: sending.isSuccess,
    result: sending.data,
    sent: sending.variables,
    error: sending.error,
    isElsewhere,
    refusals,
    wrong: Object.keys(mistakes).length,
  };
}

function guardOf<Values extends object, Result>(
  store: FieldStore<Values, Result>,
  { passing, leave }: FieldsOptions<Values, Result>,
) {
  return { isPassing: passing !== undefined, leave, holds: store.isChanged, forget: store.forget };
}

/** Reads a text field, which a browser may have filled in without an event. */
export function readField(form: HTMLFormElement | null, name: string): string | undefined {
  return readText(form?.elements.namedItem(name) ?? null);
}

function readText(element: Element | RadioNodeList | null): string | undefined {
  if (element instanceof HTMLTextAreaElement) return element.value;
  const isText = element instanceof HTMLInputElement && element.type !== "checkbox" && element.type !== "radio";
  return isText ? element.value : undefined;
}

/** A form in which the focus goes to the first invalid field, each time that it is refused: the button is below, so it may be out of sight. */
function useErrorFocus(refusals: number): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals === 0) return;
    const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    field?.focus();
    // As after Tab: what is typed now stands instead of what was refused.
    if (field instanceof HTMLInputElement) field.select();
  }, [refusals]);
  return form;
}
