import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { SweepProgress } from "../envelopes/sweep-progress.tsx";
import { recovery } from "../texts/english/recovery.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { loadAllForms } from "./all-forms.ts";

const nobody = { add: [], remove: [] } as const;

/** Has all forms take the readers of the newest list: the person, and every recovery key. */
export function SweepAll({
  context,
  isStarted: startsAtOnce = false,
}: {
  readonly context: EnvelopeContext;
  readonly isStarted?: boolean;
}) {
  const forms = useQuery({ queryKey: ["all-forms"], queryFn: loadAllForms, staleTime: 0 });
  const [isStarted, setIsStarted] = useState(startsAtOnce);
  const all = useMemo(() => forms.data ?? [], [forms.data]);
  if (forms.isError) return <ErrorNotice error={forms.error} onRetry={() => forms.refetch()} />;
  if (forms.data === undefined) return <Skeleton className="h-12 w-full" />;
  if (all.length === 0) return <p className="text-muted">{recovery.sweep.none}</p>;
  if (isStarted) return <SweepProgress change={nobody} context={context} forms={all} />;
  return (
    <div className="grid gap-3">
      <p>{recovery.sweep.intro(all.length)}</p>
      <Button className="justify-self-start" onClick={() => setIsStarted(true)}>
        {recovery.sweep.start}
      </Button>
    </div>
  );
}
