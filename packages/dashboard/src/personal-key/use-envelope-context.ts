import type { PublicHalves } from "@sealpost/envelope";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { askOrganization } from "../envelopes/ask-organization.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { envelopeApi } from "../envelopes/envelope-api.ts";
import { loadHeads } from "../envelopes/heads.ts";
import { loadCheckedList } from "../envelopes/load-list.ts";
import { guardContext, type OpenContext } from "../envelopes/own-organization.ts";
import type { Locked } from "../envelopes/preview-list.ts";
import { useMembership } from "../organization/membership.ts";
import { useSession } from "../session/session.ts";
import { keyOperations } from "./key-operations.ts";
import { usePersonalKey } from "./use-personal-key.ts";

const headsQuery = (personId: string, own: PublicHalves | undefined) =>
  queryOptions({
    queryKey: ["heads", personId, own?.recipient],
    queryFn: () => loadHeads(personId, own),
    staleTime: own === undefined ? 0 : Number.POSITIVE_INFINITY,
  });

/** The signed-in person while their personal key is locked; `undefined` if it is open, or if they have none. */
export function useLocked(): Locked | undefined {
  const key = usePersonalKey();
  const { user } = useSession();
  const organizationId = useMembership()?.id;
  const { data: heads } = useQuery(headsQuery(user.id, undefined));
  const own = key.kind === "locked" ? key.halves : undefined;
  return useMemo(() => {
    if (own === undefined || organizationId === undefined || heads === undefined) return undefined;
    return { organizationId, personId: user.id, own, heads, api: envelopeApi };
  }, [own, organizationId, heads, user.id]);
}

/** Who is signed in, with an open personal key; `undefined` while it is not open. */
export function useEnvelopeContext(): EnvelopeContext | undefined {
  const key = usePersonalKey();
  const { user } = useSession();
  const membership = useMembership();
  const own = key.kind === "open" ? key.halves : undefined;
  const { data: heads } = useQuery({ ...headsQuery(user.id, own), enabled: own !== undefined });
  const [organizationId, role, served = ""] = [membership?.id, membership?.role, membership?.name];
  return useMemo(() => {
    if (own === undefined || organizationId === undefined || heads === undefined) return undefined;
    const context: OpenContext = {
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
    return guardContext(context, served, askOrganization);
  }, [own, organizationId, role, served, heads, user.id, user.name]);
}
