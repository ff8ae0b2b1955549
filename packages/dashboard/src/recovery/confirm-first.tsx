import { findUnvouched } from "@sealpost/envelope";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { answerStanding, type StandingRow, toStandingRows } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { loadList } from "../envelopes/load-list.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { NotAnswered } from "../readers/confirm-members.tsx";
import { firstAnswers, readAnswers, StandingFields } from "../readers/standing-fields.tsx";
import { text } from "../texts/text.ts";
import { ActionsInSight } from "../ui/actions-in-sight.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";

const { standing: words } = text.readers;

/**
 * Whom the person had brought in with the key that is lost, nobody vouches for any longer: somebody could have had that key. Asks about them before
 * anything is sealed.
 */
export function ConfirmFirst({
  context,
  held,
  children,
}: {
  readonly context: EnvelopeContext;
  /** The recipient of the recovery key whose sheets were typed. */
  readonly held: string;
  readonly children: ReactNode;
}) {
  const [isAnswered, setIsAnswered] = useState(false);
  const rows = useQuery({
    queryKey: ["standing", context.organizationId, context.own.recipient],
    queryFn: async () => {
      const list = await loadList(context);
      if (list.kind !== "checked") return [];
      return toStandingRows(await findUnvouched(list.list, { own: context.own, confirmed: list.confirmed }), list);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (rows.isError) return <ErrorNotice error={rows.error} onRetry={() => rows.refetch()} />;
  if (rows.data === undefined) return <Skeleton className="h-12 w-full" />;
  if (isAnswered || rows.data.length === 0) return children;
  return <Ask context={context} held={held} onAnswered={() => setIsAnswered(true)} rows={rows.data} />;
}

function Ask({
  context,
  held,
  rows,
  onAnswered,
}: {
  readonly context: EnvelopeContext;
  readonly held: string;
  readonly rows: readonly StandingRow[];
  readonly onAnswered: () => void;
}) {
  const fields = useFields({
    initial: firstAnswers(rows, held),
    send: (values) => answerStanding(context, [], readAnswers(rows, values)),
    onSaved: onAnswered,
  });
  return (
    <FieldsForm fields={fields} notice={<NotAnswered error={fields.error} />}>
      <h3 className="font-semibold">{words.recoveredTitle}</h3>
      <p className="text-muted">{words.recoveredIntro}</p>
      <StandingFields fields={fields} rows={rows} />
      <ActionsInSight>
        <Button look="primary" pending={fields.isPending} type="submit">
          {words.continue}
        </Button>
      </ActionsInSight>
    </FieldsForm>
  );
}
