import type { PersonalKey, RefusalError } from "@sealpost/envelope";
import { type FormerKeyFile, openFormerKey } from "@sealpost/sdk/envelopes";

/** The open key, and those that it has replaced: they sign it over in lists, and open what is not sealed for it yet. */
export interface OpenKey extends PersonalKey {
  readonly former?: PersonalKey[];
}

/** Takes a former key along, which the open one opens, or one that was taken along before. It stays in the worker, as that does. */
export async function adoptFormer(key: OpenKey, { file, halves }: FormerKeyFile): Promise<"adopted" | RefusalError> {
  if (key.former?.some(({ signingKey }) => signingKey === halves.signingKey)) return "adopted";
  const opened = await openFormerKey([key, ...(key.former ?? [])], { file, halves });
  if (opened instanceof Error) return opened;
  key.former?.push(opened);
  return "adopted";
}
