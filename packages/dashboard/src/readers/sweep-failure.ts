import { describeError } from "../api/describe-error.ts";
import type { SweepFailure } from "../envelopes/sweep.ts";
import { text } from "../texts/text.ts";

const {
  sweepRefusals,
  envelopes,
  readers: { sweep },
} = text;

/** Says in one line why nothing was done with a form. */
export function describeFailure(failure: SweepFailure): string {
  if (failure.kind === "list") return envelopes.lookAtForms.list;
  if (failure.kind === "name") return sweep.otherName(failure.signed);
  if (failure.kind === "other_published_key") return sweep.otherPublished;
  const { title, hint } = failure.kind === "envelope" ? sweepRefusals[failure.reason] : describeError(failure.error);
  return hint === undefined ? `${title}.` : `${title}. ${hint}`;
}
