import { RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { KeyLockedError } from "@sealpost/vault";
import type { FormId } from "@sealpost/wire";
import { Cancelled } from "../api/describe-error.ts";

export interface OverFormsOptions<Result> {
  /** Each time that a form is done, or the server takes no more requests for now: then it continues by itself. */
  readonly onProgress?: (results: readonly Result[], isWaiting: boolean) => void;
  /** Forms that were begun are finished. */
  readonly signal?: AbortSignal | undefined;
  readonly wait?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface FormWork<Result> {
  /** `isAgain`: what was loaded before may be too old. */
  do(formId: FormId, isAgain: boolean): Promise<Result>;
  /** Result for a form at which it ended so. */
  toFailed(formId: FormId, error: unknown): Result;
  /** Nothing was done: it was stopped, the key was locked, or nobody answered when the password was asked for. */
  toStopped(formId: FormId): Result;
}

const concurrency = 3;
/** For each form: somebody else, or another tab, changed it meanwhile. */
const triesMax = 8;
const waitSecondsMax = 120;

/** Does something with many forms, a few at a time, and gives the results in the order of the forms. */
export async function overForms<Result>(
  formIds: readonly FormId[],
  work: FormWork<Result>,
  { onProgress, signal, wait = waitFor }: OverFormsOptions<Result> = {},
): Promise<readonly Result[]> {
  const results = new Map<FormId, Result>();
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted || signal?.aborted === true;
  const tell = (isWaiting: boolean) => onProgress?.([...results.values()], isWaiting);
  const waitAndTell: typeof wait = (milliseconds, stopped) => {
    tell(true);
    return wait(milliseconds, stopped);
  };
  /** Shared by all that work on it. */
  const waiting = formIds.values();
  const doForm = async (formId: FormId): Promise<Result> => {
    for (let tries = 1; ; tries++) {
      try {
        return await work.do(formId, tries > 1);
      } catch (error) {
        if (error instanceof Cancelled || error instanceof KeyLockedError) {
          stopping.abort();
          return work.toStopped(formId);
        }
        if (tries === triesMax || isStopped() || !(await isWorthAnotherTry(error, waitAndTell, signal)))
          return work.toFailed(formId, error);
      }
    }
  };
  const workOn = async () => {
    for (const formId of waiting) {
      results.set(formId, isStopped() ? work.toStopped(formId) : await doForm(formId));
      tell(false);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, workOn));
  return formIds.flatMap((formId) => results.get(formId) ?? []);
}

/** After a change by somebody else at once; after too many requests as late as the server says. */
async function isWorthAnotherTry(
  error: unknown,
  wait: NonNullable<OverFormsOptions<unknown>["wait"]>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // The envelope's writer had a newer list than the one that was loaded here.
  if (error instanceof RefusalError) return error.reason === "old_list";
  if (!(error instanceof ApiError)) return false;
  if (error.status !== 429) return error.status === 412;
  await wait(Math.min(error.retryAfter ?? 10, waitSecondsMax) * 1000, signal);
  return signal?.aborted !== true;
}

/** Ends at once when it is stopped. */
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
