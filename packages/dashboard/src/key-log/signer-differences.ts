import { ApiError } from "@sealpost/sdk";
import type { VerifiedKeyLog } from "@sealpost/wire";
import { useQuery } from "@tanstack/react-query";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { useMembership } from "../organization/membership.ts";
import { findOpenHalves } from "../personal-key/personal-key.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { useSession } from "../session/session.ts";
import { checkSigners, type SignersToCheck } from "./check-signers.ts";

/** `undefined` while that is not known. */
export function useSignerDifferences(formId: string, log: VerifiedKeyLog | undefined) {
  const { user } = useSession();
  const organizationId = useMembership()?.id;
  // Knowledge of the own key changes when it is unlocked.
  const { kind } = usePersonalKey();
  return useQuery({
    queryKey: ["form", formId, "key-log", "signer-differences", organizationId, user.id, log?.head.hash, kind],
    queryFn: async () => {
      if (log === undefined || organizationId === undefined) throw new Error("Nothing to check yet");
      const { fetchSignedHead } = envelopeApi;
      const requests: SignersToCheck["requests"] = {
        fetchList: () => envelopeApi.fetchList().catch(noneForRole),
        fetchFrom: (head) => envelopeApi.fetchFrom(head).catch(noneForRole),
        fetchNames: (known) => envelopeApi.fetchNames(known).catch(noneForRole),
      };
      const heads = await loadHeads(user.id, findOpenHalves());
      return checkSigners(log, { personId: user.id, organizationId, heads, requests, fetchSignedHead });
    },
    enabled: log !== undefined && organizationId !== undefined,
    staleTime: 0,
  });
}

/** Developers don't get the list. */
function noneForRole(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 403)) throw error;
}
