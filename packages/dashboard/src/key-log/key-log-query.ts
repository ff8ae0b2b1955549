import { type FollowedKeyLog, followKeyLog } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";

/** The form's key log, checked against the newest entry that this browser has seen, which it remembers. */
export const keyLogQuery = (id: string) =>
  queryOptions({
    queryKey: ["form", id, "key-log"],
    queryFn: async (): Promise<FollowedKeyLog> => {
      const formId = id as FormId; // the server names no other
      return followKeyLog({ formId, heads: await loadHeads(), fetchKeyLog: () => envelopeApi.fetchKeyLog(formId) });
    },
  });
