import type { FormId } from "@sealpost/wire";
import type { EnvelopeApi, ListedRevision } from "./envelope-client.ts";

/** So many revisions in a row of one sender are tried before those of everybody else; anybody but an owner stores 64 a day at most. */
const missesMax = 32;
/** Each is fetched, up to 384 KiB, and decrypted. With it, 15 people who store what does not open hide nothing. */
export const triesMax = 512;
/** So many are listed without being asked. */
const listedMax = 10_000;

export interface SearchOptions {
  /** A person has said that all revisions are to be tried, however long that takes. */
  readonly isThorough?: boolean | undefined;
}

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
  max = listedMax,
): AsyncGenerator<ListedRevision, "all" | "cut"> {
  let below = Number.MAX_SAFE_INTEGER;
  let listed = 0;
  for (let cursor: string | undefined; ; ) {
    const { revisions, next } = await listRevisions(formId, firstVersion, cursor);
    const before = below;
    for (const one of revisions) {
      if (one.revision >= below) continue;
      below = one.revision;
      yield one;
      if (++listed === max) return "cut";
    }
    if (next === undefined || below === before) return "all";
    cursor = next;
  }
}

export interface Search {
  readonly revisions: AsyncGenerator<ListedRevision>;
  /** The last one that was given does not open. */
  miss(one: ListedRevision): void;
  /** At the end: the server has listed more than were tried. */
  isCut(): boolean;
}

/** The same in the order in which it is tried: those of a sender, by the server's word, of whose last ones none opened come after all others. */
export function searchRevisions(
  api: Pick<EnvelopeApi, "listRevisions">,
  formId: FormId,
  firstVersion: number,
  { isThorough = false }: SearchOptions,
): Search {
  let isCut = false;
  const misses = new Map<string, number>();
  return {
    revisions: walk(),
    isCut: () => isCut,
    miss: ({ writerId }) => misses.set(writerId, (misses.get(writerId) ?? 0) + 1),
  };

  async function* walk(): AsyncGenerator<ListedRevision> {
    const later: ListedRevision[] = [];
    const max = isThorough ? Number.POSITIVE_INFINITY : listedMax;
    const listed = walkRevisions(api, formId, firstVersion, max);
    for (let next = await listed.next(); ; next = await listed.next()) {
      if (next.done) {
        isCut = next.value === "cut";
        break;
      }
      if ((misses.get(next.value.writerId) ?? 0) < missesMax) yield next.value;
      else later.push(next.value);
    }
    yield* later;
  }
}
