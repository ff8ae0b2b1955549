import type { PublicHalves } from "@sealpost/envelope";
import { queryOptions } from "@tanstack/react-query";
import { type FormerKey, type KeyCopy, personalKeyApi } from "./personal-key-api.ts";

export interface StoredPersonalKey {
  readonly halves: PublicHalves;
  /** The oldest first; removed ones that can still be restored are among them. */
  readonly copies: readonly KeyCopy[];
  /** Those that can still be brought back, the newest first. */
  readonly formerKeys: readonly FormerKey[];
}

/** The person's key as the server has it: `null` while they have none. */
export const personalKeyQuery = queryOptions({
  queryKey: ["personal-key"],
  queryFn: async (): Promise<StoredPersonalKey | null> => {
    const { personalKey, copies, formerKeys } = await personalKeyApi.find();
    if (personalKey === null) return null;
    const { recipient, signingKey } = personalKey;
    return { halves: { recipient, signingKey }, copies, formerKeys };
  },
});
