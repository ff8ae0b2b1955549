import { findUnintroduced, RefusalError } from "@sealpost/envelope";
import {
  changeFormReaders,
  EnvelopeProblemError,
  type ReaderChange as FormChange,
  UnreadRevisionError,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeRefusal } from "../refusals.ts";
import type { EnvelopeContext } from "./context.ts";
import { findExposed } from "./find-exposed.ts";
import { compareNames } from "./form-names.ts";
import { type CheckedList, ListUnusable, type LoadedList, loadList } from "./load-list.ts";
import { type OpenedFormEnvelope, openFormBy } from "./open-form.ts";
import { type FormWork, type OverFormsOptions, overForms } from "./over-forms.ts";

/** The change of each form. */
export interface ReaderChange extends FormChange {
  /** The names by which forms were chosen: one that its envelope calls something else is sealed for nobody who is added. */
  readonly chosenAs?: ReadonlyMap<string, string>;
  /** The person's answers about readers of single forms. */
  readonly said?: ReadonlyMap<string, Pick<FormChange, "remove" | "confirm">>;
  /** Also looks for people who have left and could still open what comes: their forms want new keys. */
  readonly findsExposed?: boolean;
}

/** Why a form was not changed. */
export type SweepFailure =
  | { readonly kind: "envelope"; readonly reason: EnvelopeRefusal }
  | { readonly kind: "list"; readonly list: Exclude<LoadedList, CheckedList> }
  /** It was chosen by a name that its envelope does not sign. */
  | { readonly kind: "name"; readonly signed: string }
  /** The server denies a key that was seen as published, or says of none that the form has it. */
  | { readonly kind: "other_published_key" }
  | { readonly kind: "error"; readonly error: unknown };

export type SweptForm = {
  readonly formId: FormId;
} /** `left`: ids of those who read it before, and no longer do. */ & (
  | ({ readonly kind: "changed"; readonly left: readonly string[] } & Exposed)
  /** All is as it should be already. */
  | ({ readonly kind: "unchanged" } & Exposed)
  /** The form has no envelope. */
  | { readonly kind: "none" }
  /** Nothing was changed: the sweep was stopped, the key was locked, or nobody answered when the password was asked for. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly failure: SweepFailure }
);

interface Exposed {
  /** Ids of those who have left the list, and have read the form's newest key; where it was asked for. */
  readonly exposed?: readonly string[];
  /** Ids of readers added by somebody who has since lost the right to add readers; they keep their access. Set only when asked for. */
  readonly unproven?: readonly string[];
}

export interface SweepState {
  readonly done: number;
  readonly of: number;
  readonly failed: number;
  /** The server takes no more requests for now: it continues by itself. */
  readonly isWaiting: boolean;
}

export interface SweepOptions extends Pick<OverFormsOptions<SweptForm>, "signal" | "wait"> {
  readonly onProgress?: (state: SweepState) => void;
}

/**
 * Changes who reads the envelopes of many forms, a few at a time: each gets a next revision where its readers are not those that it should have.
 * Members who have left, or have keys that nobody has accepted, are left out of it, and recovery keys are always in. The person stays a reader. Begun
 * again, it finds that what is done needs nothing. An owner's names in each form's key log who may sign by now.
 */
export async function changeReaders(
  context: EnvelopeContext,
  formIds: readonly FormId[],
  change: ReaderChange,
  { onProgress, ...options }: SweepOptions = {},
): Promise<readonly SweptForm[]> {
  let list: LoadedList = await loadList(context);
  const tell = (results: readonly SweptForm[], isWaiting: boolean) => {
    const failed = results.filter(({ kind }) => kind === "failed").length;
    onProgress?.({ done: results.length, of: formIds.length, failed, isWaiting });
  };
  const work: FormWork<SweptForm> = {
    async do(formId, isAgain) {
      if (isAgain) list = await loadList(context);
      return { formId, ...(await changeForm(context, list, formId, change)) };
    },
    toFailed: (formId, error) => ({ formId, kind: "failed", failure: toFailure(error) }),
    toStopped: (formId) => ({ formId, kind: "stopped" }),
  };
  return overForms(formIds, work, { ...options, onProgress: tell });
}

type Changed =
  | ({ readonly kind: "changed"; readonly left: readonly string[] } & Exposed)
  | ({ readonly kind: "unchanged" } & Exposed)
  | { readonly kind: "none" }
  | { readonly kind: "failed"; readonly failure: SweepFailure };

async function changeForm(
  context: EnvelopeContext,
  known: LoadedList,
  formId: FormId,
  change: ReaderChange,
): Promise<Changed> {
  if (known.kind !== "checked") return { kind: "failed", failure: { kind: "list", list: known } };
  const opened = await openFormBy(context, formId, known);
  if (opened.kind === "none") return opened;
  if (opened.kind === "list") return { kind: "failed", failure: opened };
  const chosen = change.add.length > 0 ? change.chosenAs?.get(formId) : undefined;
  const names = chosen === undefined ? undefined : compareNames(opened, { id: formId, name: chosen });
  if (names?.isSame === false) return { kind: "failed", failure: { kind: "name", signed: names.signed } };
  const { envelopes, list } = opened;
  const { remove = [], confirm } = change.said?.get(formId) ?? {};
  const ofForm = { ...change, remove: [...change.remove, ...remove], ...(confirm && { confirm }) };
  const { isChanged, left } = await changeFormReaders(context, opened, formId, ofForm);
  const [first] = opened.refused;
  if (first !== undefined) return refuse(first.reason);
  const found = change.findsExposed && {
    exposed: await findExposed(context, list, formId, envelopes),
    unproven: findUnproven(list, envelopes, [...change.add, ...left]),
  };
  return isChanged ? { kind: "changed", left, ...found } : { kind: "unchanged", ...found };
}

/** By the revisions before the change: who was put there by somebody who left is known from these. */
function findUnproven(
  { list }: CheckedList,
  envelopes: readonly OpenedFormEnvelope[],
  others: readonly string[],
): readonly string[] {
  const ids = new Set(envelopes.flatMap(({ head }) => findUnintroduced(list, head)));
  return [...ids].filter((id) => !others.includes(id));
}

const refuse = (reason: EnvelopeRefusal) => ({ kind: "failed", failure: { kind: "envelope", reason } }) as const;

/** Why nothing was done with a form. */
export function toFailure(error: unknown): SweepFailure {
  if (error instanceof ListUnusable) return { kind: "list", list: error.list };
  if (error instanceof UnreadRevisionError || error instanceof RefusalError)
    return { kind: "envelope", reason: error.reason };
  if (error instanceof EnvelopeProblemError && error.problem === "other_published_key") return { kind: error.problem };
  return { kind: "error", error };
}
