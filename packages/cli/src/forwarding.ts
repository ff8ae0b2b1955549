import { setTimeout as sleep } from "node:timers/promises";
import { type Context, say } from "./context.ts";
import { type ForwardOutcome, forward } from "./forward.ts";
import type { LocalDelivery } from "./local-delivery.ts";

export interface Forwarding {
  readonly delivery: LocalDelivery;
  /** The headers of an attempt that is made now. */
  readonly sign: () => Promise<Readonly<Record<string, string>>>;
  readonly target: URL;
  /** Before the second attempt; twice as long before each further one. Also how often an address is tried where nobody listens. */
  readonly pauseMilliseconds: number;
}

/** As the service has it (contract, section 9.4), but with seconds between them. */
const attemptsMax = 6;

/**
 * Posts a delivery until its fate is the one that the service would give it: answered with 2xx, refused for good, or tried
 * six times. Somebody who restarts the receiver loses nothing: while nobody listens, no attempt is used up.
 */
export async function forwardUntilAnswered(context: Context, forwarding: Forwarding): Promise<void> {
  const { delivery, sign, target, pauseMilliseconds } = forwarding;
  const { now, signal } = context;
  let isWaiting = false;
  for (let attempt = 1; ; ) {
    const startedAt = now();
    const outcome = await forward(target, await sign(), delivery.body, signal);
    if (outcome.kind === "not_listening") {
      if (!isWaiting) say(context, `Nothing is listening at ${target.origin}: waiting`);
      isWaiting = true;
      await sleep(pauseMilliseconds, undefined, { signal });
      continue;
    }
    const end = describeEnd(outcome, attempt);
    const result = outcome.kind === "answered" ? `answered with ${outcome.status}` : `not answered: ${outcome.reason}`;
    say(context, `${delivery.id} of ${delivery.submissionId} ${result} after ${now() - startedAt} ms${end ?? ""}`);
    if (end !== undefined) return;
    await sleep(pauseMilliseconds * 2 ** (attempt - 1), undefined, { signal });
    attempt += 1;
  }
}

/** The log line of the last attempt; `undefined` when another follows. */
function describeEnd(outcome: Exclude<ForwardOutcome, { kind: "not_listening" }>, attempt: number): string | undefined {
  if (outcome.kind === "answered") {
    const { status } = outcome;
    if (status >= 200 && status < 300) return "";
    if (status >= 300 && status < 400) return ", a redirect: not followed here";
    if (status >= 400 && status < 500 && status !== 429) return ", which ends it: no further attempt";
  }
  return attempt >= attemptsMax ? ", given up after six attempts" : undefined;
}
