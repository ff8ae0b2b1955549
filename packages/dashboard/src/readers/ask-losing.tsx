import type { LessenedMember } from "@sealpost/envelope";
import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type answerStanding, findGivenRole, findLosing, type StandingRow } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type CheckedList, ListUnusable, loadList } from "../envelopes/load-list.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { ActionsInSight } from "../ui/actions-in-sight.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { firstAnswers, readAnswers, StandingFields, type StandingValues } from "./standing-fields.tsx";

const { standing: words } = text.readers;

export type Answers = Parameters<typeof answerStanding>[2];

/** Members left without anybody vouching for them by a change of the list, and the answer about each, before it is signed. */
export interface Losing {
  readonly rows: readonly StandingRow[] | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** At once where nobody loses anything. */
  readonly answers: Answers | undefined;
  readonly onAnswered: (answers: Answers) => void;
  /** Back to the question, with what was answered. */
  readonly askAgain: () => void;
  /** Where the answers are kept when the dialog closes. */
  readonly keptKey: QueryKey;
}

const nobody: Answers = [];

/** `id`: of the member to change. `isGiven`: they get a role for which somebody has to say that they know the member's key, before anybody else is asked about. */
export function useLosing(
  context: EnvelopeContext,
  id: string,
  toChanges: (list: CheckedList) => readonly LessenedMember[],
  isGiven = false,
): Losing {
  const [answers, setAnswers] = useState<Answers>();
  const { organizationId, own } = context;
  const keptKey = useMemo(() => ["leaving-answers", organizationId, own.recipient, id], [organizationId, own, id]);
  const { data, error, refetch } = useQuery({
    queryKey: ["leaving", context.organizationId, context.own.recipient, id],
    queryFn: async () => {
      const list = await loadList(context);
      if (list.kind !== "checked") throw new ListUnusable(list);
      const rows = await findLosing(context, list, toChanges(list));
      const member = list.list.members.get(id);
      if (!isGiven || member === undefined) return rows;
      return [await findGivenRole(list, member), ...rows.filter((row) => row.member.id !== id)];
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return {
    ...{ rows: data, error, retry: refetch, keptKey },
    answers: data?.length === 0 ? nobody : answers,
    onAnswered: setAnswers,
    askAgain: () => setAnswers(undefined),
  };
}

/** Members that this one has brought in go with them, unless somebody else stands for them. */
export function AskLosing({
  losing: { rows, error, retry, onAnswered, keptKey },
  name,
  role,
}: {
  readonly losing: Losing;
  readonly name: string;
  /** The one that they get, where their own key is asked about. */
  readonly role?: string | undefined;
}) {
  if (error instanceof ListUnusable) return <ListRefused list={error.list} />;
  if (error) return <ErrorNotice error={error} onRetry={retry} />;
  if (rows === undefined) return <Skeleton className="h-12 w-full" />;
  return <AskAbout keptKey={keptKey} name={name} onAnswered={onAnswered} role={role} rows={rows} />;
}

function AskAbout({
  name,
  role,
  rows,
  onAnswered,
  keptKey,
}: {
  readonly name: string;
  readonly role: string | undefined;
  readonly keptKey: QueryKey;
  readonly rows: readonly StandingRow[];
  readonly onAnswered: (answers: Answers) => void;
}) {
  const queryClient = useQueryClient();
  const kept = queryClient.getQueryData<StandingValues>(keptKey)?.answers;
  const first = firstAnswers(rows).answers;
  const fields = useFields<StandingValues, void>({
    // About members who are asked about still.
    initial: {
      answers: { ...first, ...Object.fromEntries(Object.entries(kept ?? {}).filter(([id]) => id in first)) },
    },
    send: (values) => onAnswered(readAnswers(rows, values)),
    // The answers are kept here, whatever closes the dialog.
    passing: "held_around",
  });
  const { values } = fields;
  useEffect(() => void queryClient.setQueryData(keptKey, values), [queryClient, keptKey, values]);
  return (
    <FieldsForm fields={fields}>
      <h3 className="font-semibold">{role === undefined ? words.leavingTitle(name) : words.givingTitle(name)}</h3>
      <p className="text-muted">{role === undefined ? words.leavingIntro(name) : words.givingIntro(name, role)}</p>
      <StandingFields fields={fields} rows={rows} />
      <ActionsInSight>
        <Button look="primary" type="submit">
          {words.continue}
        </Button>
      </ActionsInSight>
    </FieldsForm>
  );
}

/** The answers while nothing is signed yet: there is a way back to them. */
export function AnsweredAbout({ losing: { answers = nobody, askAgain } }: { readonly losing: Losing }) {
  if (answers.length === 0) return null;
  return (
    <>
      <LeftUnsure answers={answers} />
      <div>
        <Button onClick={askAgain}>{words.askAgain}</Button>
      </div>
    </>
  );
}

/** Says what happens to members whom nobody could confirm or reject. */
export function LeftUnsure({ answers }: { readonly answers: Answers }) {
  const names = answers.filter(([, answer]) => answer === "unsure").map(([{ member }]) => shownName(member));
  if (names.length === 0) return null;
  return (
    <Notice title={words.unsureTitle(names)} tone="warning">
      {words.unsureHint}
    </Notice>
  );
}
