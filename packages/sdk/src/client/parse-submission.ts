import { isId } from "@sealpost/wire";
import type { BinnedSubmission, Submission } from "../api-types.ts";
import { parsePayload } from "../event.ts";
import { ApiError } from "./api-error.ts";

/** The last millisecond that a Date can show. */
const timeMax = 8.64e15;

/**
 * The submission in an answer, and nothing else of it. Throws an `ApiError` for anything else: what a broken server,
 * or one in bad hands, sends is shown to people and written to files, so it has to be what its type says.
 */
export function parseSubmission(value: unknown): Submission {
  const { id, formId, payload, keyVersion, timestamp, receivedAt }: Record<string, unknown> = Object(value);
  const parsed = parsePayload(payload);
  if (
    !isId("submission", id) ||
    !isId("form", formId) ||
    parsed === undefined ||
    !isWhole(keyVersion, Number.MAX_SAFE_INTEGER) ||
    !isWhole(timestamp, timeMax) ||
    !isWhole(receivedAt, timeMax)
  )
    throw unexpected();
  // A newer server may know a newer format; opening it says `unknown_version`.
  return { id, formId, payload: parsed as Submission["payload"], keyVersion, timestamp, receivedAt };
}

/** The same for one in a form's bin, with when it was moved there and when it is deleted for good. */
export function parseBinnedSubmission(value: unknown): BinnedSubmission {
  const { binnedAt, purgeAt }: Record<string, unknown> = Object(value);
  if (!isWhole(binnedAt, timeMax) || !isWhole(purgeAt, timeMax)) throw unexpected();
  return { ...parseSubmission(value), binnedAt, purgeAt };
}

export function parseSubmissions(value: unknown): Submission[] {
  if (!Array.isArray(value)) throw unexpected();
  return value.map(parseSubmission);
}

function unexpected(): ApiError {
  return new ApiError("The server's answer holds something that is no submission", {
    status: 200,
    code: "unexpected_answer",
  });
}

function isWhole(value: unknown, max: number): value is number {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= max;
}
