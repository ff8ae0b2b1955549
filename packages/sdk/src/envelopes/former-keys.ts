import { openKeyCopy, type PersonalKey, type PublicHalves, RefusalError } from "@sealpost/envelope";
import { decodeBase64Url } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";

/** A key that another one has replaced. */
export interface ReplacedKey extends PublicHalves {
  /** The id of a copy of this key that its replacement opens; `null` if it was lost. */
  readonly copyId: string | null;
}

/** A copy of a former key, and the public halves that it has to have. */
export interface FormerKeyFile {
  /** Sealed for the key that replaced it. */
  readonly file: Uint8Array<ArrayBuffer>;
  readonly halves: PublicHalves;
}

export interface FormerKeySource {
  readonly formerKeys: readonly ReplacedKey[];
  /** The age file of a copy; empty, which nothing opens, where the server answered with something else. */
  loadFile(copyId: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Opens a copy with the key in use, or with one that was opened before, perhaps in another thread. */
  open(file: FormerKeyFile): Promise<RefusalError | undefined>;
}

/**
 * Opens the keys that a personal key has replaced, as far as it, or one of them, opens their copies. Without them it opens and continues less, so nothing
 * that goes wrong with one is an error.
 */
export async function openFormerKeys({ formerKeys, loadFile, open }: FormerKeySource): Promise<void> {
  let waiting: FormerKeyFile[] = [];
  for (const { copyId, recipient, signingKey } of formerKeys) {
    if (copyId === null) continue;
    try {
      waiting.push({ file: await loadFile(copyId), halves: { recipient, signingKey } });
    } catch {
      // The server does not give it back.
    }
  }
  // One of them may be sealed for another that is opened after it.
  for (let isDone = false; !isDone; ) {
    const left: FormerKeyFile[] = [];
    for (const file of waiting) if ((await open(file)) !== undefined) left.push(file);
    isDone = left.length === 0 || left.length === waiting.length;
    waiting = left;
  }
}

/** The keys that the signed-in person's key has replaced; none for a credential that is no session's. */
export async function loadFormerKeys(
  { personalKey }: Pick<Client, "personalKey">,
  key: PersonalKey,
  options?: CallOptions,
): Promise<readonly PersonalKey[]> {
  const opened: PersonalKey[] = [];
  try {
    const { formerKeys } = await personalKey.get(options);
    await openFormerKeys({
      formerKeys,
      loadFile: async (copyId) => decodeBase64Url(await personalKey.getCopy(copyId, options)) ?? new Uint8Array(),
      open: async (file) => {
        const found = await openFormerKey([key, ...opened], file);
        if (found instanceof RefusalError) return found;
        opened.push(found);
        return undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return opened;
}

/** A former key, with the first of `keys` that opens its copy. */
export async function openFormerKey(
  keys: readonly Pick<PersonalKey, "identity">[],
  { file, halves }: FormerKeyFile,
): Promise<PersonalKey | RefusalError> {
  let refusal: RefusalError = new RefusalError("wrong_secret");
  for (const { identity } of keys) {
    const opened = await openKeyCopy(file, { identity }, halves);
    if (!(opened instanceof RefusalError)) return opened;
    refusal = opened;
  }
  return refusal;
}
