import { type EnvelopeContent, openKeyCopy, RefusalError, readEnvelopeWithoutList } from "@sealpost/envelope";

/** An age file that an identity opens: an envelope, or a copy of a personal key. */
export interface SealedFile {
  readonly name: string | undefined;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly isCopyPossible: boolean;
}

export interface WaitingFile extends SealedFile {
  /** So many of the pool's identities, from the first on, do not open it. */
  readonly tried: number;
}

/** Identities, in the order in which they came, and the files that none of them opens so far. */
export interface KeyPool {
  readonly identities: readonly string[];
  readonly waiting: readonly WaitingFile[];
}

export const emptyPool: KeyPool = { identities: [], waiting: [] };

/** Outcome for a file that an identity opens. */
export type PoolEvent =
  | { readonly kind: "envelope"; readonly name: string | undefined; readonly content: EnvelopeContent }
  | { readonly kind: "copy"; readonly name: string | undefined; readonly identity: string }
  | { readonly kind: "refused"; readonly name: string | undefined; readonly reason: PoolReason };

export interface PoolResult {
  readonly pool: KeyPool;
  readonly events: readonly PoolEvent[];
}

export type PoolReason = "malformed" | "wrong_readers" | "wrong_key" | "unknown_extension";

/** The pool with more in it. The same file or identity twice is there once. */
export function addToPool(
  pool: KeyPool,
  { identities, files }: { readonly identities: readonly string[]; readonly files: readonly SealedFile[] },
): KeyPool {
  const waiting = [...pool.waiting];
  for (const file of files)
    if (!waiting.some((known) => isSame(known.file, file.file))) waiting.push({ ...file, tried: 0 });
  return { identities: [...new Set([...pool.identities, ...identities])], waiting };
}

/**
 * Tries every file that waits with every identity, those of copies that open too, until nothing more opens. For a worker: where
 * the browser has no ML-KEM of its own, each recipient of each file takes milliseconds of the processor.
 */
export async function openPool(pool: KeyPool): Promise<PoolResult> {
  const identities = [...pool.identities];
  const events: PoolEvent[] = [];
  let { waiting } = pool;
  let before: number;
  do {
    before = identities.length;
    const left: WaitingFile[] = [];
    for (const file of waiting) {
      const event = await openFile(file, identities);
      if (event === undefined) left.push({ ...file, tried: identities.length });
      else events.push(event);
      if (event?.kind === "copy" && !identities.includes(event.identity)) identities.push(event.identity);
    }
    waiting = left;
  } while (identities.length > before);
  return { pool: { identities, waiting }, events };
}

/** `undefined` where no identity is one that the file is for. */
async function openFile(
  { name, file, tried }: WaitingFile,
  identities: readonly string[],
): Promise<PoolEvent | undefined> {
  for (const identity of identities.slice(tried)) {
    const copy = await openKeyCopy(file, { identity });
    if (!(copy instanceof RefusalError)) return { kind: "copy", name, identity: copy.identity };
    if (copy.reason === "wrong_secret") continue;
    // A copy of a key, which is no envelope.
    if (copy.reason === "unknown_extension") return { kind: "refused", name, reason: copy.reason };
    const content = await readEnvelopeWithoutList(file, identity);
    if (!(content instanceof RefusalError)) return { kind: "envelope", name, content };
    if (content.reason !== "not_a_reader") return { kind: "refused", name, reason: content.reason };
  }
  return undefined;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
