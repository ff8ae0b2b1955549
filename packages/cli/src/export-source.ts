import type { Client, Submission } from "@sealpost/sdk";
import { CommandError } from "./exit-code.ts";

type Query = NonNullable<Parameters<Client["submissions"]["export"]>[1]>;

interface Export {
  readonly submissions: AsyncIterable<Submission>;
  /** How many are to come, where the list can tell: its total counts all submissions, whatever the range. */
  readonly total: number | undefined;
}

/**
 * The submissions that `query` asks for. While they are read it throws a `CommandError` where the server gives one twice, and where its
 * answer ends before the last.
 */
export async function startExport(client: Client, formId: string, query: Query, signal: AbortSignal): Promise<Export> {
  const options = { signal, retry: true };
  const exportAfter = (after?: string) =>
    client.submissions.export(formId, after === undefined ? query : { ...query, after }, options);
  const isPart = query.from !== undefined || query.to !== undefined || query.after !== undefined;
  const total = isPart ? undefined : (await client.submissions.list(formId, { limit: 1 }, options)).total;
  return { submissions: untilEnd(eachOnce(exportAfter()), total, exportAfter), total };
}

/**
 * An answer that a proxy ended at the end of a line looks whole. Fewer than were counted may also have come because some were deleted
 * since; then no more follow.
 */
async function* untilEnd(
  submissions: AsyncIterable<Submission>,
  total: number | undefined,
  exportAfter: (after?: string) => AsyncIterable<Submission>,
): AsyncGenerator<Submission, void> {
  let count = 0;
  let last: string | undefined;
  for await (const submission of submissions) {
    yield submission;
    count++;
    last = submission.id;
  }
  if (total === undefined || count >= total) return;
  for await (const _ of exportAfter(last))
    throw new CommandError(
      "unavailable",
      `The server's answer ended after ${count} of ${total} submissions: did a proxy cut it off?`,
    );
}

/**
 * The same submissions, none of them twice. An honest server gives none twice; one in bad hands could make one order or vote
 * count as several, since a copy opens as well as the first. 100 bytes are held for each.
 */
async function* eachOnce(submissions: AsyncIterable<Submission>): AsyncGenerator<Submission, void> {
  const seen = new Set<string>();
  for await (const submission of submissions) {
    if (seen.has(submission.id))
      throw new CommandError("unavailable", `The server gave ${submission.id} twice: its answers cannot be relied on`);
    seen.add(submission.id);
    yield submission;
  }
}
