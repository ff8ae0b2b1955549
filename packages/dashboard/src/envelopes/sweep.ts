import { findUnintroduced, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import {
  changeFormReaders,
  EnvelopeProblemError,
  type ReaderChange as FormChange,
  UnreadRevisionError,
} from "@sealpost/sdk/envelopes";
import { KeyLockedError } from "@sealpost/vault";
import type { FormId } from "@sealpost/wire";
import { Cancelled } from "../api/describe-error.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import type { EnvelopeContext } from "./context.ts";
import { findExposed } from "./find-exposed.ts";
import { compareNames } from "./form-names.ts";
import { type CheckedList, ListUnusable, type LoadedList, loadList } from "./load-list.ts";
import { type OpenedFormEnvelope, openFormBy } from "./open-form.ts";

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

export interface SweepOptions {
  readonly onProgress?: (state: SweepState) => void;
  /** Forms that were begun are finished. */
  readonly signal?: AbortSignal;
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

const concurrency = 3;
/** For each form: somebody else, or another tab, changed it meanwhile. */
const triesMax = 8;
const waitSecondsMax = 120;

/**
 * Changes who reads the envelopes of many forms, a few at a time: each gets a next revision where its readers are not those that it should have.
 * Members who have left, or have keys that nobody has accepted, are left out of it, and recovery keys are always in. The person stays a reader. Begun
 * again, it finds that what is done needs nothing. An owner's names in each form's key log who may sign by now.
 */
export async function changeReaders(
  context: EnvelopeContext,
  formIds: readonly FormId[],
  change: ReaderChange,
  { onProgress, signal, wait = waitFor }: SweepOptions = {},
): Promise<readonly SweptForm[]> {
  const results: SweptForm[] = [];
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted || signal?.aborted === true;
  const tell = (isWaiting: boolean) => {
    const failed = results.filter(({ kind }) => kind === "failed").length;
    onProgress?.({ done: results.length, of: formIds.length, failed, isWaiting });
  };
  const report = (result: SweptForm) => {
    results.push(result);
    tell(false);
  };
  const waitAndTell: typeof wait = (milliseconds, stopped) => {
    tell(true);
    return wait(milliseconds, stopped);
  };
  let list: LoadedList = await loadList(context);
  /** Shared by all that work on it. */
  const waiting = formIds.values();
  const sweepForm = async (formId: FormId): Promise<SweptForm> => {
    for (let tries = 1; ; tries++) {
      try {
        if (tries > 1) list = await loadList(context);
        return { formId, ...(await changeForm(context, list, formId, change)) };
      } catch (error) {
        if (error instanceof Cancelled || error instanceof KeyLockedError) {
          stopping.abort();
          return { formId, kind: "stopped" };
        }
        if (tries === triesMax || isStopped() || !(await isWorthAnotherTry(error, waitAndTell, signal)))
          return { formId, kind: "failed", failure: toFailure(error) };
      }
    }
  };
  const work = async () => {
    for (const formId of waiting) report(isStopped() ? { formId, kind: "stopped" } : await sweepForm(formId));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return formIds.flatMap((formId) => results.find((result) => result.formId === formId) ?? []);
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

/** After a change by somebody else at once; after too many requests as late as the server says. */
async function isWorthAnotherTry(
  error: unknown,
  wait: NonNullable<SweepOptions["wait"]>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // The envelope's writer had a newer list than the one that was loaded here.
  if (error instanceof RefusalError) return error.reason === "old_list";
  if (!(error instanceof ApiError)) return false;
  if (error.status !== 429) return error.status === 412;
  await wait(Math.min(error.retryAfter ?? 10, waitSecondsMax) * 1000, signal);
  return signal?.aborted !== true;
}

function toFailure(error: unknown): SweepFailure {
  if (error instanceof ListUnusable) return { kind: "list", list: error.list };
  if (error instanceof UnreadRevisionError || error instanceof RefusalError)
    return { kind: "envelope", reason: error.reason };
  if (error instanceof EnvelopeProblemError && error.problem === "other_published_key") return { kind: error.problem };
  return { kind: "error", error };
}

/** Ends at once when the sweep is stopped. */
function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}
