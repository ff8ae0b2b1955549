import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import type { ListRefusal } from "../refusals.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";

const { forgetList: texts } = text.envelopes;

/** A person may know why the server shows another list than this browser has seen: a backup was restored. SPECIFICATION.md section 14. */
const acceptable: readonly ListRefusal[] = ["old_list", "forked", "hidden_list"];

/** Puts the head of the organization's list aside, where this browser has one. */
export function AcceptList({ reason }: { readonly reason: ListRefusal | "lost_list" }) {
  const context = useEnvelopeContext();
  return context && acceptable.some((one) => one === reason) ? <Accept context={context} /> : null;
}

function Accept({ context: { heads, organizationId } }: { readonly context: EnvelopeContext }) {
  const queryClient = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const { data: seen } = useQuery({
    queryKey: ["seen-list", organizationId],
    queryFn: async () => (await heads.findList(organizationId)) ?? null,
    gcTime: 0,
  });
  const accepting = useMutation({
    mutationFn: () => heads.forgetList(organizationId),
    onSuccess: async () => {
      setIsAsking(false);
      await queryClient.invalidateQueries();
    },
  });
  if (!seen) return null;
  return (
    <>
      <Button className="justify-self-start" onClick={() => setIsAsking(true)}>
        {texts.action}
      </Button>
      {isAsking && (
        <ActionDialog
          action={texts.submit}
          isPending={accepting.isPending}
          look="danger"
          onClose={() => setIsAsking(false)}
          onConfirm={() => accepting.mutate()}
          title={texts.title}
        >
          <p>{texts.hint(seen.number)}</p>
          <p>{texts.after}</p>
          {accepting.isError && <ErrorNotice error={accepting.error} />}
        </ActionDialog>
      )}
    </>
  );
}
