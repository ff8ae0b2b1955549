import type { PublicHalves } from "@sealpost/envelope";
import { isFormerKey } from "@sealpost/vault";
import { queryOptions } from "@tanstack/react-query";
import { loadHeads } from "../envelopes/heads.ts";

/** `former`: this browser has seen another key in the place of this one. `other`: it has seen another one. */
export type SeenKey = "same" | "former" | "other";

/** Whether the key that the server names is the one that this browser has seen. */
export const seenKeyQuery = (personId: string, named: PublicHalves) =>
  queryOptions({
    queryKey: ["personal-key", "seen", personId, named.signingKey, named.recipient],
    queryFn: async (): Promise<SeenKey> => {
      const heads = await loadHeads();
      const seen = await heads.findPublicHalves(personId);
      if (seen === undefined || (seen.signingKey === named.signingKey && seen.recipient === named.recipient))
        return "same";
      return (await isFormerKey(heads, personId, named)) ? "former" : "other";
    },
    staleTime: 0,
  });
