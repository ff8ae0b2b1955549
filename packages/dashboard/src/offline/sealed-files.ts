import type { Submission } from "@sealpost/sdk";
import { readSubmissions } from "./read-submissions.ts";

/** The chosen files, and counts of their content. */
export interface SealedFiles {
  /** In the order of their first submissions. */
  readonly files: readonly File[];
  /** Submissions by form, those that are there twice counted once; the form with the most first. */
  readonly counts: ReadonlyMap<string, number>;
  /** Lines that are no submission. */
  readonly unreadableCount: number;
  /** Submissions with the id of an earlier one, and other content. The first of each is opened. */
  readonly conflictCount: number;
}

/** Reads the files once, and keeps nothing but the ids. */
export async function lookInto(files: readonly File[]): Promise<SealedFiles> {
  const forms = new Map<string, Map<string, string>>();
  let unreadableCount = 0;
  let conflictCount = 0;
  const begins = new Map<File, number>();
  for (const file of files) {
    for await (const line of readSubmissions(file)) {
      if ("issue" in line) {
        unreadableCount++;
        continue;
      }
      const { formId, id, receivedAt, payload } = line.submission;
      if (!begins.has(file)) begins.set(file, receivedAt);
      const known = forms.get(formId) ?? new Map<string, string>();
      forms.set(formId, known);
      const mark = await markOf(payload);
      if (known.has(id) && known.get(id) !== mark) conflictCount++;
      else known.set(id, mark);
    }
  }
  const counts = [...forms]
    .map(([formId, { size }]) => [formId, size] as const)
    .sort((one, other) => other[1] - one[1]);
  const ordered = files.toSorted((one, other) => (begins.get(one) ?? 0) - (begins.get(other) ?? 0));
  return { files: ordered, counts: new Map(counts), unreadableCount, conflictCount };
}

/** Tells the content of a submission from others with its id. */
async function markOf(payload: Submission["payload"]): Promise<string> {
  // Nobody can seal other content under the sealed content key of somebody else; its end tells it from all others.
  if (payload.encrypted) return payload.key.slice(-32);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(payload.fields)));
  return new Uint8Array(digest).slice(0, 16).join();
}

/** The submissions of a form in files, in the place of a service: one stream, oldest first, and no pages before it. */
export function createFileSource({ files, counts }: SealedFiles) {
  return {
    submissions: {
      list: async (formId: string) => ({ submissions: [], total: counts.get(formId) ?? 0, nextCursor: "files" }),
      async *export(
        formId: string,
        _query?: object,
        options?: { readonly signal?: AbortSignal },
      ): AsyncGenerator<Submission, void> {
        for (const file of files) {
          for await (const line of readSubmissions(file)) {
            options?.signal?.throwIfAborted();
            if ("submission" in line && line.submission.formId === formId) yield line.submission;
          }
        }
      },
    },
  };
}
