import type { FollowReason, RefusedEnvelope } from "@sealpost/envelope";
import { type EnvelopeProblem, EnvelopeProblemError } from "./envelope-problem.ts";

/** Refusals of what its writer has made. The others are about what the server shows, and a next revision would hide them. */
export const bringable: readonly EnvelopeProblem[] = [
  "not_a_reader",
  "malformed",
  "not_signed",
  "not_allowed",
  "wrong_readers",
  "wrong_key",
  "wrong_revision",
  "unknown_key_log",
  "old_key_log",
  "old_list",
  "other_form",
  "other_previous",
  "unknown_extension",
  "unknown_list",
  "key_missing",
  "former_writer",
];

/** An envelope of which nothing is used, and why. */
export interface NotUsed extends Pick<RefusedEnvelope, "firstVersion" | "isUnseen" | "denied"> {
  readonly reason: FollowReason | "moved_form";
}

export function toRefusal({ reason }: Pick<NotUsed, "reason">): EnvelopeProblemError {
  return new EnvelopeProblemError(reason, { isBringable: bringable.includes(reason) });
}

/**
 * A sixteenth of what openers take: a number that a server has made up, and somebody has followed, is that of all later revisions, and new devices have seen nothing below.
 * Who is no owner stores 64 a day, and would need years.
 */
const followedStepsMax = 65_536;

/** Whether a client follows it by number and hash alone: a server could make a number up, and they never fall. Others have to take the next one. */
export function mayFollow(
  { revision }: { readonly revision: number },
  seen: { readonly revision: number } | undefined,
): boolean {
  return revision < (seen?.revision ?? 0) + followedStepsMax;
}

/** Whether rotating gets a form out of this refusal: somebody has begun an envelope that nobody takes, and versions to come have their place in it. */
export function isReplaceable({ isUnseen = false, reason }: NotUsed): boolean {
  return isUnseen && bringable.includes(reason);
}
