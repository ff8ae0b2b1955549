import type { SightOutcome } from "@sealpost/sdk/envelopes";
import { text } from "../texts/text.ts";

const { sweepRefusals, envelopes } = text;

const { lookAt: words } = envelopes;

/** Says why the answer that a first sight is right does not count; `undefined` where it does. */
export function describeOutcome(outcome: SightOutcome): string | undefined {
  if (outcome === "accepted") return undefined;
  if (outcome === "other" || outcome === "overtaken" || outcome === "unknown_key_log") return words.not[outcome];
  const { title, hint } = sweepRefusals[outcome];
  return `${words.not.refused} ${title}. ${hint}`;
}
