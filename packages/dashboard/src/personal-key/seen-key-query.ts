import type { PublicHalves } from "@sealpost/envelope";
import { isFormerKey } from "@sealpost/vault";
import { queryOptions } from "@tanstack/react-query";
import { loadSeenKeys } from "../envelopes/heads.ts";

/** `former`: this browser has seen another key in the place of this one. `other`: it has seen another one. */
export type SeenKey = "same" | "former" | "other";

/** Whether the key that the server names is the one that this browser has seen. */
export const seenKeyQuery = (personId: string, named: PublicHalves) =>
  queryOptions({
    queryKey: ["personal-key", "seen", personId, named.signingKey, named.recipient],
    queryFn: async (): Promise<SeenKey> => {
      const keys = await loadSeenKeys();
      const seen = await keys.findPublicHalves(personId);
      if (seen === undefined || (seen.signingKey === named.signingKey && seen.recipient === named.recipient))
        return "same";
      return (await isFormerKey(keys, personId, named)) ? "former" : "other";
    },
    staleTime: 0,
  });
