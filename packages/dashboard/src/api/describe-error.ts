import { ApiError, ConnectionError } from "@sealpost/sdk";
import { isPageHeld } from "../browser/held.ts";
import { ScriptNotLoaded } from "../browser/worker-error.ts";
import { findText, text } from "../texts/text.ts";

/** The person gave up what they were asked for: nothing was done, and there is nothing to say. */
export class Cancelled extends Error {}

export interface DescribedError {
  readonly title: string;
  readonly hint?: string;
  readonly requestId?: string | undefined;
  /** Only where the page stays nevertheless, because it holds what leaving it would lose. */
  readonly isSessionOver?: boolean;
}

/** The message about a failed request: what failed, and what can be done about it. */
export function describeError(error: unknown): DescribedError {
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
    const details = [...new Set(fields)].filter((detail) => !error.message.includes(detail));
    return { title: error.message, ...(details.length > 0 && { hint: details.join(" ") }) };
  }
  if (error instanceof ScriptNotLoaded) return { title: errors.incomplete, hint: errors.incompleteHint };
  if (error instanceof DOMException && error.name === "TimeoutError")
    return { title: errors.late, hint: errors.offlineHint };
  if (error instanceof TypeError || error instanceof ConnectionError)
    return { title: errors.offline, hint: errors.offlineHint };
  return { title: error instanceof Error ? error.message : errors.refused };
}

/** The message for one field of a form, by its path in the request; of a list the first one. */
export function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const found = Object.keys(error.details ?? {}).find((own) => own === path || own.startsWith(`${path}.`));
  return found === undefined ? undefined : sentenceOf(error, found);
}

/** By its code where there is more to say than in the API's sentence. */
function sentenceOf({ details = {}, detailCodes = {} }: ApiError, path: string): string {
  return findText(text.fieldErrors, detailCodes[path] ?? "") ?? details[path] ?? "";
}
