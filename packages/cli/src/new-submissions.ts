import type { Client, Submission } from "@sealpost/sdk";

/** The submissions that a form received since somebody began to watch, each once. */
export interface NewSubmissions {
  /** The next new ones, oldest first, at most `batchMax`; none when there is nothing new. Rejects without losing any. */
  take(): Promise<readonly Submission[]>;
}

/**
 * How far each look reaches back before the newest submission seen. The service dates what becomes visible later after it; but one
 * that was in the bin at the look before, and was restored, is where it was received.
 */
const overlapMilliseconds = 60_000;
const batchMax = 100;
const aheadMillisecondsMax = 3_600_000;

/** Whether a time that the server has given is so far in the future that a clock must be, or have been, wrong. */
export function isAhead(time: number): boolean {
  return time > Date.now() + aheadMillisecondsMax;
}

/** Begins to watch: everything that is visible when this resolves is not new. */
export async function watchNewSubmissions(
  client: Client,
  formId: string,
  signal: AbortSignal,
): Promise<NewSubmissions> {
  const options = { signal, retry: true };
  // Nothing continues from a time in the future: the next may be dated by a clock that is right again.
  const until = { to: Date.now() + aheadMillisecondsMax, limit: 1 };
  const [latest] = (await client.submissions.list(formId, until, options)).submissions;
  let newest = latest?.receivedAt ?? 0;
  /** Those that the next look may meet again, by when they were received. */
  const seen = new Map<string, number>();
  const look = () => client.submissions.export(formId, { from: Math.max(0, newest - overlapMilliseconds) }, options);
  for await (const { id, receivedAt } of look()) remember(id, receivedAt);

  function remember(id: string, receivedAt: number): void {
    if (!isAhead(receivedAt)) newest = Math.max(newest, receivedAt);
    seen.set(id, receivedAt);
  }
  return {
    async take() {
      const found: Submission[] = [];
      for await (const submission of look()) {
        if (!seen.has(submission.id)) found.push(submission);
        if (found.length === batchMax) break;
      }
      // Only now: had the connection broken off, all of them would be met again.
      for (const { id, receivedAt } of found) remember(id, receivedAt);
      for (const [id, receivedAt] of seen) if (receivedAt < newest - overlapMilliseconds) seen.delete(id);
      return found;
    },
  };
}
