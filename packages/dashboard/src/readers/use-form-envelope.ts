import type { FormId } from "@sealpost/wire";
import { queryOptions, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type FormOpening, openForm } from "../envelopes/open-form.ts";
import { addEnvelopeKeys, isLockedByHand } from "../keys/keyring.ts";
import { reportProofsOf } from "../keys/report-proofs.ts";
import { onPersonalKeyLocked } from "../personal-key/personal-key.ts";

/** Asked at each place that shows it, and opened once. */
export function formEnvelopeQuery(formId: string, context: EnvelopeContext | undefined) {
  return queryOptions({
    queryKey: [...nameOf(formId), context?.own.recipient],
    queryFn: async ({ client }): Promise<FormOpening> => {
      const opening = await (context === undefined ? never() : openForm(context, formId as FormId)); // of a form that the server named
      if (opening.kind === "opened") void reportProofsOf(client, formId, opening.keys);
      return opening;
    },
    enabled: context !== undefined,
    staleTime: 60_000,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

const nameOf = (formId: string) => ["form", formId, "envelope"];

/**
 * The form's envelopes, opened with the personal key while that is open. The keys that they give are open in this browser from then on, unless the
 * form was locked by hand.
 */
export function useFormEnvelope(
  formId: string,
  context: EnvelopeContext | undefined,
): UseQueryResult<FormOpening> & { readonly open: () => void } {
  const queryClient = useQueryClient();
  const opening = useQuery(formEnvelopeQuery(formId, context));
  const { data } = opening;
  const opened = context !== undefined && data?.kind === "opened" ? data : undefined;
  const { keys, list, unproved } = opened ?? {};
  const isForReading = list?.kind === "for_reading";
  useEffect(() => {
    if (keys !== undefined && !isLockedByHand(formId)) addEnvelopeKeys(formId, keys, { isForReading, unproved });
  }, [formId, keys, isForReading, unproved]);
  // The CryptoKeys leave the memory with the lock.
  useEffect(
    () => onPersonalKeyLocked(() => queryClient.removeQueries({ queryKey: nameOf(formId) })),
    [formId, queryClient],
  );
  return { ...opening, open: () => keys && addEnvelopeKeys(formId, keys, { isForReading, unproved }) };
}

/** Asked only where the personal key is open. */
function never(): never {
  throw new Error("The personal key is locked");
}
