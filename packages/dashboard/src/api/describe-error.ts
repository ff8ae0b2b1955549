import { ApiError, ConnectionError } from "@sealpost/sdk";
import { isPageHeld } from "../browser/held.ts";
import { ScriptNotLoaded } from "../browser/worker-error.ts";
import { findAnySentence, findEnglishReason, findErrorSentence } from "../texts/error-sentence.ts";
import { findText, text } from "../texts/text.ts";

/** An error whose message is a sentence of the catalogue. */
export class Explained extends Error {}

/** A field that is refused before anything is sent, with a sentence of the catalogue. */
export class FieldRefused extends ApiError {
  constructor(field: string, sentence: string) {
    super(sentence, { status: 400, code: "bad_request", details: { [field]: sentence } });
  }
}

/** The person gave up what they were asked for: nothing was done, and there is nothing to say. */
export class Cancelled extends Error {}

export interface DescribedError {
  readonly title: string;
  readonly hint?: string;
  /** Said of a change that was not answered: it may have been done. */
  readonly perhaps?: string;
  /** English for the operator, after the words that introduce it: an answer that has no sentence in the catalogue, or the message of an error. */
  readonly original?: readonly [introduction: string, message: string];
  readonly requestId?: string | undefined;
  /** Only where the page stays nevertheless, because it holds what leaving it would lose. */
  readonly isSessionOver?: boolean;
}

const unanswered = new WeakSet<Error>();

/** Notes that a change was not answered: `describeError` then says what that means. */
export function noteChange(error: Error): void {
  unanswered.add(error);
}

/** The message about a failed request: what failed, and what can be done about it. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error && unanswered.has(error))) return describe(error);
  const { errors } = text.common;
  // Anyone who reads that the server was not reached believes that nothing was done.
  return { ...describe(error), ...(isUnreachable(error) && { title: errors.noAnswer }), perhaps: errors.perhapsDone };
}

function describe(error: unknown): DescribedError {
  const { errors } = text.common;
  if (error instanceof ApiError) {
    const { requestId } = error;
    if (error.code === "unexpected_answer") return { title: errors.unexpected, hint: errors.unexpectedHint, requestId };
    if (error.status === 401 && isPageHeld())
      return { title: errors.sessionOver, hint: errors.sessionOverHint, isSessionOver: true };
    if (error.status === 429) return { title: errors.rateLimited(error.retryAfter ?? 60) };
    if (error.status === 503) return { title: errors.unavailable, hint: errors.unavailableHint, requestId };
    if (error.status >= 500) return { title: errors.broken, hint: errors.brokenHint, requestId };
    // Several fields may have the same error, such as each line of a list.
    const fields = Object.keys(error.details ?? {}).map((path) => sentenceOf(error, path));
    const title = findSentence(error);
    const details = [...new Set(fields)].filter((detail) => title?.includes(detail) !== true);
    const reason = findEnglishReason(error.reason, error.message);
    return {
      title: title ?? errors.refused,
      ...(details.length > 0 && { hint: details.join(" ") }),
      ...(title === undefined && { original: [errors.serverSays, error.message] }),
      ...(reason !== undefined && { original: [errors.serverSays, reason] }),
    };
  }
  if (error instanceof ScriptNotLoaded) return { title: errors.incomplete, hint: errors.incompleteHint };
  if (isTimeout(error)) return { title: errors.late, hint: errors.offlineHint };
  if (isUnreachable(error)) return { title: errors.offline, hint: errors.offlineHint };
  if (error instanceof Explained) return { title: error.message };
  if (!(error instanceof Error)) return { title: errors.failed };
  return findRefusal(error) ?? { title: errors.failed, original: [errors.detail, error.message] };
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === "TimeoutError";
const isUnreachable = (error: unknown) => error instanceof TypeError || error instanceof ConnectionError;

/** Whether the service may have done what failed here: its answer was lost, or another's came in its place, which has no reason. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof FieldRefused) return false;
  if (error instanceof ApiError) return error.status >= 500 || error.reason === undefined;
  return isTimeout(error) || isUnreachable(error);
}

/** A refusal of `@sealpost/envelope`, known by its name: the package is not loaded for it. */
function findRefusal(error: Error): DescribedError | undefined {
  const { name, reason } = error as { readonly name: string; readonly reason?: unknown }; // some errors have one
  if (name === "KeyLockedError") return { title: text.personalKey.lockedMeanwhile };
  const refusals: Readonly<Record<string, DescribedError>> = text.envelopeRefusals ?? {};
  return name === "RefusalError" && typeof reason === "string" && Object.hasOwn(refusals, reason)
    ? refusals[reason]
    : undefined;
}

function findSentence(error: ApiError): string | undefined {
  return error instanceof FieldRefused ? error.message : findErrorSentence(error.reason, error.message);
}

/** The message for one field of a form, by its path in the request; of a list the first one. */
export function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = Object.keys(error.details ?? {}).find((own) => own === path || own.startsWith(`${path}.`));
  return found === undefined ? undefined : sentenceOf(error, found);
}

/** The errors of a field that is a list, each with the numbers of its entries, from 1 on. */
export function entryErrors(error: unknown, path: string): readonly EntryError[] {
  return error instanceof ApiError ? findEntries(error.details?.[path] ?? "") : [];
}

export interface EntryError {
  readonly numbers: readonly number[];
  readonly sentence: string;
}

/** The API names wrong entries of a list by their numbers, entries with the same error together: "Entries 2, 3: Must be …; Entry 5: …". */
function findEntries(details: string): readonly EntryError[] {
  const groups = details.matchAll(/Entr(?:y|ies) (\d+(?:, \d+)*): (.*?)(?=; Entr(?:y|ies) \d|$)/gs);
  return Array.from(groups, ([, numbers = "", sentence = ""]) => ({
    numbers: numbers.split(", ").map(Number),
    sentence: findAnySentence(sentence) ?? text.common.errors.field,
  }));
}

/** By its code where there is more to say than in the API's sentence. */
function sentenceOf(error: ApiError, path: string): string {
  const { details = {}, detailCodes = {} } = error;
  const sentence = details[path] ?? "";
  if (error instanceof FieldRefused) return sentence;
  const entries = findEntries(sentence);
  if (entries.length > 0) return entries.map((one) => text.common.errors.entries(one.numbers, one.sentence)).join(" ");
  const code = detailCodes[path] ?? "";
  return findText(text.fieldErrors, code) ?? findErrorSentence(code, sentence) ?? text.common.errors.field;
}
