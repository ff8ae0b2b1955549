import { Agent } from "node:https";
import { sendRequest } from "./send-request.ts";
import { outcomeOfAbort, timedOut, type WebhookOutcome } from "./webhook-outcome.ts";
import type { WebhookRequest } from "./webhook-request.ts";
import type { FindTarget } from "./webhook-target.ts";
import { parseWebhookUrl } from "./webhook-url.ts";

export interface SendOptions {
  readonly signal: AbortSignal;
  /** For the whole request, from DNS to the end of the body. */
  readonly deadlineMilliseconds?: number;
  /** On a connection of its own, instead of one that was kept. */
  readonly isFresh?: boolean;
}

export interface WebhookClient {
  /** Posts to one URL, at most once as far as the receiver can see, and follows nothing. Never throws. */
  send(request: WebhookRequest, options: SendOptions): Promise<WebhookOutcome>;
  /** Closes idle connections. */
  close(): void;
}

export interface WebhookClientDependencies {
  readonly findTarget: FindTarget;
  /** Certificate authorities instead of the system's, for tests. */
  readonly ca?: string;
}

/** Contract, section 9.4: the receiver's time. */
export const answerMilliseconds = 30_000;
const idleMilliseconds = 4000;

export function createWebhookClient({ findTarget, ca }: WebhookClientDependencies): WebhookClient {
  const trust = ca === undefined ? {} : { ca };
  // An own agent is also out of reach of NODE_USE_ENV_PROXY. A kept socket stays bound to the address that was checked when
  // it was opened, so using it again needs no new check; it gets one all the same.
  const agent = new Agent({ ...trust, keepAlive: true, timeout: idleMilliseconds, maxFreeSockets: 64 });
  const freshAgent = new Agent({ ...trust, keepAlive: false });

  return {
    async send(request, { signal, deadlineMilliseconds = answerMilliseconds, isFresh = false }) {
      if (signal.aborted) return { kind: "aborted" };
      const url = parseWebhookUrl(request.url);
      // Never stored and never redirected to; nothing else than HTTPS may leave, whatever the caller does.
      if (typeof url === "string") return { kind: "address_forbidden" };
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(timedOut), deadlineMilliseconds);
      const abort = () => ending.abort("aborted");
      signal.addEventListener("abort", abort, { once: true });
      try {
        const target = await findTarget(url, ending.signal);
        if (ending.signal.aborted) return outcomeOfAbort(ending.signal);
        if (target.kind === "forbidden") return { kind: "address_forbidden" };
        if (target.kind === "unresolved") return { kind: "unanswered", error: "name_not_resolved" };
        const { addresses } = target;
        const first = isFresh ? freshAgent : agent;
        const outcome = await sendRequest({ url, addresses, request, agent: first, signal: ending.signal });
        if (outcome !== "unsent") return outcome;
        const again = await sendRequest({ url, addresses, request, agent: freshAgent, signal: ending.signal });
        return again === "unsent" ? { kind: "unanswered", error: "could_not_connect" } : again;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
      }
    },
    close() {
      agent.destroy();
      freshAgent.destroy();
    },
  };
}
