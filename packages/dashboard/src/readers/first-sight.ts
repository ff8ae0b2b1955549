import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { isAlone, namesOf, type OrganizationQuestion } from "../envelopes/own-organization.ts";
import { useMembership } from "../organization/membership.ts";
import { writtenListQuery } from "./written-list-query.ts";

function standingQuery(context: EnvelopeContext | undefined) {
  return queryOptions({
    queryKey: ["organization-standing", context?.organizationId, context?.personId],
    queryFn: async () =>
      context === undefined ? null : context.heads.organizationsOf(context.personId).find(context.organizationId),
    enabled: context !== undefined,
    gcTime: 0,
    staleTime: 0,
  });
}

type FirstSight = Omit<OrganizationQuestion, "standing"> & {
  readonly standing: Extract<OrganizationQuestion["standing"], { readonly kind: "unseen" }>;
};

/**
 * The organization, where this browser seals something for it for the first time, to be shown next to the button that does it; `accept` is for its press.
 * What has not been shown is not accepted: then the frame asks, after the key is open.
 */
export function useFirstSight(context: EnvelopeContext | undefined): {
  readonly shown: FirstSight | undefined;
  accept(): Promise<void>;
} {
  const { data: list } = useQuery(writtenListQuery(context));
  const { data: standing } = useQuery(standingQuery(context));
  const membership = useMembership();
  const queryClient = useQueryClient();
  const isShown =
    context !== undefined &&
    membership?.id === context.organizationId &&
    list?.kind === "checked" &&
    standing?.kind === "unseen" &&
    !isAlone(list);
  const shown = isShown
    ? { organizationId: context.organizationId, served: membership.name, list, standing }
    : undefined;
  return {
    shown,
    async accept() {
      if (context === undefined || shown === undefined) return;
      const names = namesOf(shown.list, shown.served);
      await context.heads.organizationsOf(context.personId).accept(context.organizationId, names);
      await queryClient.invalidateQueries({ queryKey: standingQuery(context).queryKey });
    },
  };
}
