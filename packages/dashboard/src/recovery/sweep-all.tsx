import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadList } from "../envelopes/load-list.ts";
import { findUnfinished } from "../envelopes/unfinished.ts";
import { SweepProgress } from "../readers/sweep-progress.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { loadAllForms } from "./all-forms.ts";

const { recovery } = text;

const nobody = { add: [], remove: [] } as const;

/** Has all forms take the readers of the newest list: the person, and every recovery key. */
export function SweepAll({
  context,
  isStarted: startsAtOnce = false,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly isStarted?: boolean;
  /** It is through, whether each form could be changed or not. */
  readonly onDone?: () => void;
}) {
  const done = useDone(context, !startsAtOnce);
  const forms = useQuery({ queryKey: ["all-forms"], queryFn: loadAllForms, staleTime: 0 });
  const [isStarted, setIsStarted] = useState(startsAtOnce);
  const all = useMemo(() => forms.data ?? [], [forms.data]);
  if (forms.isLoadingError) return <ErrorNotice error={forms.error} onRetry={() => forms.refetch()} />;
  if (forms.data === undefined || done.isPending) return <Skeleton className="h-12 w-full" />;
  if (all.length === 0) return <p className="text-muted">{recovery.sweep.none}</p>;
  if (isStarted)
    return (
      <SweepProgress
        change={nobody}
        context={context}
        forms={all}
        onDone={(results) => {
          onDone?.();
          if (results.every(({ kind }) => kind !== "failed" && kind !== "stopped")) void done.remember();
        }}
      />
    );
  return (
    <div className="grid gap-3">
      <p>{done.isDone ? recovery.sweep.done : recovery.sweep.intro(all.length)}</p>
      <Button className="justify-self-start" onClick={() => setIsStarted(true)}>
        {done.isDone ? recovery.sweep.again : recovery.sweep.start}
      </Button>
    </div>
  );
}

/** Whether this browser has found all forms in order with the newest list. */
function useDone(context: EnvelopeContext, isAsked: boolean) {
  const { heads, organizationId, own } = context;
  const found = useQuery({
    queryKey: ["swept", organizationId, own.recipient],
    queryFn: async () => {
      const list = await loadList(context);
      const swept = await heads.findSwept(organizationId);
      return list.kind === "checked" ? { list, isDone: swept?.hash === list.list.head.hash } : null;
    },
    enabled: isAsked,
    staleTime: 0,
    gcTime: 0,
  });
  const { data } = found;
  return {
    isPending: isAsked && found.isPending,
    isDone: data?.isDone === true,
    remember: async () => {
      // Who has another key, and was not accepted, is asked about again.
      if (!data || (await findUnfinished(context, data.list, [])).renewed.length > 0) return;
      await heads.rememberSwept(organizationId, data.list.list.head);
    },
  };
}
