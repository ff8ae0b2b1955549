import { queryOptions } from "@tanstack/react-query";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type LoadedList, loadList } from "../envelopes/load-list.ts";

/** The list by which something is about to be sealed, checked in this browser; nothing while the key is locked. */
export function writtenListQuery(context: EnvelopeContext | undefined) {
  return queryOptions({
    queryKey: ["first-readers", context?.organizationId, context?.own.recipient],
    queryFn: async (): Promise<LoadedList | null> => (context === undefined ? null : loadList(context)),
    enabled: context !== undefined,
    gcTime: 0,
  });
}
