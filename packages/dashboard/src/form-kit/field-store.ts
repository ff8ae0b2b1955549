import { mayHaveArrived } from "../api/describe-error.ts";
import {
  changeField,
  type FieldState,
  followFields,
  listChanged,
  redo,
  saveFields,
  startFields,
  undo,
} from "./field-state.ts";
import { type Mistakes, type Refusal, withoutMistake } from "./mistakes.ts";

/** A form as its fields show it. */
export interface ShownFields<Values extends object> extends FieldState<Values>, Refusal {
  /** How often it was refused: each time somebody has to look at its fields again. */
  readonly refusals: number;
}

export interface FieldStoreOptions<Values extends object, Result> {
  /** Mistakes in the values; nothing is sent while there are any. */
  readonly check: (values: Values) => Mistakes;
  readonly send: (values: Values) => Result | Promise<Result>;
  /** Called once the form has nothing left to lose, so it may lead away. */
  readonly onSaved: (result: Result, values: Values) => unknown;
  readonly readRefusal: (error: unknown) => Refusal;
  /** Whether changes can be undone. In any other form nothing is kept of what was typed before. */
  readonly canUndo: boolean;
}

/** Reads a text field of the page, which a browser may have filled in without an event; `undefined` where there is no such field. */
export type ReadField = (name: string) => string | undefined;

/**
 * The state of one form, apart from any page: values by name, mistakes by path, what would be lost, one request at a time. Fields that are
 * named as secrets are read when the form is sent, and kept nowhere.
 */
export class FieldStore<Values extends object, Result> {
  #shown: ShownFields<Values>;
  #isSending = false;
  #first: Values;
  readonly #listeners = new Set<() => void>();
  readonly #secrets = new Set<string>();
  readonly #options: () => FieldStoreOptions<Values, Result>;

  constructor(initial: Values, options: () => FieldStoreOptions<Values, Result>) {
    this.#first = initial;
    this.#options = options;
    this.#shown = { ...startFields(initial), mistakes: {}, isElsewhere: false, refusals: 0 };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): ShownFields<Values> => this.#shown;

  /** Whether something would be lost if the form went away now. */
  readonly isChanged = (): boolean => listChanged(this.#shown).length > 0;

  readonly change = <Name extends keyof Values & string>(
    name: Name,
    value: Values[Name],
    how: "chosen" | "typed" = "chosen",
  ): void => {
    const changed = changeField(this.#shown, name, value, how);
    const { past } = changed;
    this.#show({ ...changed, past: this.#options().canUndo ? past : [], ...this.#mend(name) });
  };

  /** A secret was typed into: what was said of it is no longer true. */
  readonly touchSecret = (name: string): void => this.#show(this.#mend(name));

  readonly nameSecret = (name: string): void => {
    this.#secrets.add(name);
  };

  readonly undo = (): void => this.#show({ ...undo(this.#shown), mistakes: {} });

  readonly redo = (): void => this.#show({ ...redo(this.#shown), mistakes: {} });

  /** The service has other values than at first. */
  readonly follow = (found: Values): void => {
    const followed = followFields(this.#shown, this.#first, found);
    this.#first = found;
    if (followed !== this.#shown) this.#show(followed);
  };

  /** As it was at first. */
  readonly reset = (): void => this.#show({ ...startFields(this.#first), mistakes: {}, isElsewhere: false });

  /** Somebody leaves after all: nothing is to be kept. */
  readonly forget = (): void => this.#show(saveFields(this.#shown, this.#shown.values));

  /** Shows or clears the error of a field while somebody is in it. The focus doesn't move. */
  readonly say = (path: string, sentence: string | undefined): void => {
    const { mistakes } = this.#mend(path);
    this.#show({ mistakes: sentence === undefined ? mistakes : { ...mistakes, [path]: sentence } });
  };

  readonly refuse = (refusal: Refusal): void => this.#show({ ...refusal, refusals: this.#shown.refusals + 1 });

  /**
   * Sends the form, once, however often it is pressed: `run` does the sending by calling `deliver`, and rejects as that does. What was typed
   * stays after a refusal and after an answer that was lost, so that it can be sent again.
   */
  readonly submit = async (read: ReadField, run: (values: Values) => Promise<unknown>): Promise<void> => {
    if (this.#isSending) return;
    const values = this.#takeValues(read);
    const mistakes = this.#options().check(values);
    if (Object.keys(mistakes).length > 0) return this.refuse({ mistakes, isElsewhere: false });
    this.#isSending = true;
    this.#show({ mistakes: {}, isElsewhere: false });
    try {
      await run(values);
    } catch (error) {
      this.refuse(this.#options().readRefusal(error));
    } finally {
      this.#isSending = false;
    }
  };

  readonly deliver = async (values: Values): Promise<Result> => {
    const result = await this.#send(values);
    this.#show(saveFields(this.#shown, this.#withoutSecrets(values)));
    await this.#options().onSaved(result, values);
    return result;
  };

  async #send(values: Values): Promise<Result> {
    try {
      return await this.#options().send(values);
    } catch (error) {
      if (mayHaveArrived(error)) this.#show({ unsure: listChanged(this.#shown) });
      throw error;
    }
  }

  #takeValues(read: ReadField): Values {
    const seen = Object.keys(this.#first).flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const typed = Object.fromEntries(seen.filter(([name]) => !this.#secrets.has(name)));
    this.#show({ values: { ...this.#shown.values, ...typed } });
    return { ...this.#shown.values, ...Object.fromEntries(seen) };
  }

  #withoutSecrets(values: Values): Values {
    const kept = Object.entries(this.#first).filter(([name]) => this.#secrets.has(name));
    return { ...values, ...Object.fromEntries(kept) };
  }

  #mend(name: string): Pick<Refusal, "mistakes"> {
    return { mistakes: withoutMistake(this.#shown.mistakes, name) };
  }

  #show(next: Partial<ShownFields<Values>>): void {
    this.#shown = { ...this.#shown, ...next };
    for (const listener of this.#listeners) listener();
  }
}
