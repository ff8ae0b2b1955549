import { useQueryClient } from "@tanstack/react-query";
import { answerStanding, type StandingRow } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { memberListTextQuery } from "../organization/member-queries.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { firstAnswers, readAnswers, StandingFields } from "./standing-fields.tsx";

const { standing: words } = text.readers;

/** Asks about the members whom nobody in good standing vouches for now. */
export function ConfirmMembers({
  context,
  rows,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly rows: readonly StandingRow[];
  readonly onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const fields = useFields({
    initial: firstAnswers(rows),
    send: (values) => answerStanding(context, [], readAnswers(rows, values)),
    onSaved: async () => {
      await queryClient.invalidateQueries(memberListTextQuery);
      onClose();
    },
  });
  return (
    <FormDialog
      action={words.submit}
      fields={fields}
      notice={<NotAnswered error={fields.error} />}
      onClose={onClose}
      title={words.title(rows.length)}
    >
      <p className="text-muted">{words.intro}</p>
      <StandingFields fields={fields} rows={rows} />
    </FormDialog>
  );
}

/** Why the list was not changed. */
export function NotAnswered({ error }: { readonly error: Error | null }) {
  if (error instanceof ListUnusable) return <ListRefused list={error.list} />;
  return error !== null && <ErrorNotice error={error} />;
}
