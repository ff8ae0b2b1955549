import type { FormId } from "@sealpost/wire";
import type { EnvelopeApi, ListedRevision } from "./envelope-client.ts";

/** So many revisions in a row of one sender are tried before those of everybody else; anybody but an owner stores 64 a day at most. */
const missesMax = 32;
/** Each is fetched, up to 384 KiB, and decrypted. With it, 15 people who store what does not open hide nothing. */
export const triesMax = 512;
/** Revisions that are listed, and not fetched. */
const listedMax = 10_000;

/** Nothing was found among as many revisions as are tried without being asked: there may be one below. */
export class UnfinishedSearchError extends Error {
  override readonly name = "UnfinishedSearchError";
  readonly firstVersion: number;
  readonly tried: number;

  constructor(firstVersion: number, tried: number) {
    super(
      `The ${tried} revisions of the envelope from key version ${firstVersion} on that were tried don't open, and there are more. Nothing was changed: look through all of them`,
    );
    this.firstVersion = firstVersion;
    this.tried = tried;
  }
}

/** The revisions that the server says it has, the newest first. It can name any number of them, in any order, and end nowhere. */
export async function* walkRevisions(
  { listRevisions }: Pick<EnvelopeApi, "listRevisions">,
  formId: FormId,
  firstVersion: number,
): AsyncGenerator<ListedRevision> {
  let below = Number.MAX_SAFE_INTEGER;
  let listed = 0;
  for (let cursor: string | undefined; ; ) {
    const { revisions, next } = await listRevisions(formId, firstVersion, cursor);
    const before = below;
    for (const one of revisions) {
      if (one.revision >= below) continue;
      below = one.revision;
      yield one;
      if (++listed === listedMax) return;
    }
    if (next === undefined || below === before) return;
    cursor = next;
  }
}

export interface Search {
  readonly revisions: AsyncGenerator<ListedRevision>;
  /** The last one that was given does not open. */
  miss(one: ListedRevision): void;
}

/** The same in the order in which it is tried: those of a sender, by the server's word, of whose last ones none opened come after all others. */
export function searchRevisions(api: Pick<EnvelopeApi, "listRevisions">, formId: FormId, firstVersion: number): Search {
  const misses = new Map<string, number>();
  return {
    revisions: walk(),
    miss: ({ writerId }) => misses.set(writerId, (misses.get(writerId) ?? 0) + 1),
  };

  async function* walk(): AsyncGenerator<ListedRevision> {
    const later: ListedRevision[] = [];
    for await (const one of walkRevisions(api, formId, firstVersion))
      if ((misses.get(one.writerId) ?? 0) < missesMax) yield one;
      else later.push(one);
    yield* later;
  }
}
