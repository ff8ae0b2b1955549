import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import type { TestService } from "../../packages/server/src/testing/test-service.ts";

export interface FloodedRequest {
  readonly method: string;
  readonly path: string;
  /** The credentials that take turns. */
  readonly authorizations?: readonly string[];
  /** How many are on the way at any time. */
  readonly atOnce: number;
  /** Another one each time, so that each changes something. */
  readonly body: (count: number) => object;
}

export interface Flood {
  /** Answers by their status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Resolves once so many more were answered as they should be. */
  answered(more: number): Promise<void>;
  end(): Promise<void>;
}

/** Sends a request again and again, until it ends or the right for it does. */
export function flood({ url }: TestService, flooded: FloodedRequest): Flood {
  const { method, path, authorizations = [], atOnce, body } = flooded;
  const agent = new Agent({ keepAlive: true });
  const statuses = new Map<number, number>();
  let [count, good, isOver] = [0, 0, false];
  let wanted: { readonly at: number; readonly reached: () => void } | undefined;

  async function sendAll(index: number): Promise<void> {
    const authorization = authorizations[index % authorizations.length];
    const headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
    while (!isOver) {
      const status = await sendOne(headers, JSON.stringify(body(count++)));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 300 && ++good >= (wanted?.at ?? Number.POSITIVE_INFINITY)) wanted?.reached();
      if ([401, 403, 404, 429].includes(status)) return;
    }
  }

  function sendOne(headers: OutgoingHttpHeaders, text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, headers, agent }, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      });
      sent.once("error", reject);
      sent.end(text);
    });
  }

  const all = Promise.all(Array.from({ length: atOnce }, (_, index) => sendAll(index)));
  return {
    statuses,
    answered: (more) => new Promise((reached) => (wanted = { at: good + more, reached })),
    async end() {
      isOver = true;
      await all;
      agent.destroy();
    },
  };
}

const withinMilliseconds = 5_000;
/** Answered requests of a flood before something is done about it. */
const answeredBefore = 20;

/** The name of work that took too long. The flood ends with it, or what waits for it never would. */
export async function time(name: string, running: Flood, work: () => Promise<unknown>): Promise<readonly string[]> {
  await running.answered(answeredBefore);
  const begun = performance.now();
  const limit = AbortSignal.timeout(withinMilliseconds);
  const tooLate = new Promise<"late">((resolve) => limit.addEventListener("abort", () => resolve("late")));
  const worked = work();
  try {
    const outcome = await Promise.race([worked, tooLate]);
    const took = Math.round(performance.now() - begun);
    return outcome === "late"
      ? [`${name}: not within ${took} ms; the flood was answered ${[...running.statuses].join(" ")}`]
      : [];
  } finally {
    await running.end();
    await worked;
  }
}
