import type { Submission } from "@sealpost/sdk";
import { readSubmissions } from "./read-submissions.ts";

/** The chosen files, and counts of their content. */
export interface SealedFiles {
  readonly files: readonly File[];
  /** Submissions by form, those that are there twice counted once; the form with the most first. */
  readonly counts: ReadonlyMap<string, number>;
  /** Lines that are no submission. */
  readonly unreadableCount: number;
}

/** Reads the files once, and keeps nothing but the ids. */
export async function lookInto(files: readonly File[]): Promise<SealedFiles> {
  const ids = new Map<string, Set<string>>();
  let unreadableCount = 0;
  for (const file of files) {
    for await (const line of readSubmissions(file)) {
      if ("issue" in line) {
        unreadableCount++;
        continue;
      }
      const { formId, id } = line.submission;
      const known = ids.get(formId);
      if (known === undefined) ids.set(formId, new Set([id]));
      else known.add(id);
    }
  }
  const counts = [...ids].map(([formId, { size }]) => [formId, size] as const).sort((one, other) => other[1] - one[1]);
  return { files, counts: new Map(counts), unreadableCount };
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
