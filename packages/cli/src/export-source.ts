import type { Client, Submission } from "@sealpost/sdk";
import { CommandError } from "./exit-code.ts";

type Query = NonNullable<Parameters<Client["submissions"]["export"]>[1]>;

interface Export {
  readonly submissions: AsyncIterable<Submission>;
  /** How many are to come, where the list can tell: its total counts all submissions, whatever the range. */
  readonly total: number | undefined;
}

/** The submissions that `query` asks for. While they are read it throws a `CommandError` where the server gives one twice. */
export async function startExport(client: Client, formId: string, query: Query, signal: AbortSignal): Promise<Export> {
  const options = { signal, retry: true };
  const isPart = query.from !== undefined || query.to !== undefined || query.after !== undefined;
  const total = isPart ? undefined : (await client.submissions.list(formId, { limit: 1 }, options)).total;
  return { submissions: eachOnce(client.submissions.export(formId, query, options)), total };
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
