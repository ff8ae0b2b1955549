import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { loadCheckedList } from "../envelopes/load-list.ts";
import { useMembership } from "../organization/membership.ts";
import { useSession } from "../session/session.ts";
import { keyOperations } from "./key-operations.ts";
import { usePersonalKey } from "./use-personal-key.ts";

/** Who is signed in, with an open personal key; `undefined` while it is not open. */
export function useEnvelopeContext(): EnvelopeContext | undefined {
  const key = usePersonalKey();
  const { user } = useSession();
  const membership = useMembership();
  const { data: heads } = useQuery({ queryKey: ["heads"], queryFn: loadHeads, staleTime: Number.POSITIVE_INFINITY });
  const own = key.kind === "open" ? key.halves : undefined;
  const [organizationId, role] = [membership?.id, membership?.role];
  return useMemo(() => {
    if (own === undefined || organizationId === undefined || heads === undefined) return undefined;
    return {
      organizationId,
      personId: user.id,
      personName: user.name,
      isOwner: role === "owner",
      own,
      heads,
      api: envelopeApi,
      keyAgent: keyOperations,
      loadList() {
        return loadCheckedList(this);
      },
    };
  }, [own, organizationId, role, heads, user.id, user.name]);
}
