import { type FollowedKeyLog, followKeyLog } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { findOpenHalves } from "../personal-key/personal-key.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { useSession } from "../session/session.ts";

/** Query key of all that is known of a form's key log. */
export const keyLogKey = (formId: string) => ["form", formId, "key-log"] as const;

/** The form's key log, checked against the newest entry that was seen here with the person's key, which remembers it while it is open. */
export function useKeyLog(id: string) {
  const { user } = useSession();
  const { kind } = usePersonalKey();
  return useQuery({
    queryKey: [...keyLogKey(id), "followed", user.id, kind],
    queryFn: async (): Promise<FollowedKeyLog> => {
      const formId = id as FormId; // the server names no other
      const heads = await loadHeads(user.id, findOpenHalves());
      return followKeyLog({ formId, heads, fetchKeyLog: () => envelopeApi.fetchKeyLog(formId) });
    },
    // The same log, as a rule, once the key was unlocked.
    placeholderData: keepPreviousData,
  });
}
