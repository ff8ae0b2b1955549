import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answerStanding } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { NamedForm } from "../envelopes/form-names.ts";
import { type CheckedList, ListUnusable } from "../envelopes/load-list.ts";
import type { SweptForm } from "../envelopes/sweep.ts";
import { findExposedForms, isInOrder, type Settling, useSettling } from "../envelopes/to-rotate.ts";
import { findUnfinished } from "../envelopes/unfinished.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { FormsLoading } from "../organization/forms-loading.tsx";
import { memberListTextQuery, useAllForms } from "../organization/member-queries.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { AnsweredAbout, AskLosing, LeftUnsure, type Losing, useLosing } from "./ask-losing.tsx";
import { NotAnswered } from "./confirm-members.tsx";
import { RotateForms } from "./rotate-forms.tsx";
import { SweepProgress } from "./sweep-progress.tsx";
import { useOnce } from "./use-once.ts";

const { readers: texts } = text;

const { takeOut: words } = texts;

export interface Leaving {
  readonly id: string;
  readonly name: string;
}

/** Takes somebody who has left out of the signed list and of all envelopes, and offers to rotate what they read. */
export default function TakeOut({ member, onClose }: { readonly member: Leaving; readonly onClose: () => void }) {
  const context = useEnvelopeContext();
  const { settle, close } = useSettling(onClose);
  return (
    <Dialog
      footer={<Button onClick={close}>{text.common.close}</Button>}
      isWide
      onClose={close}
      title={words.title(member.name)}
    >
      <p className="text-muted">{words.intro(member.name)}</p>
      {context === undefined ? (
        <>
          <p>{words.unlock}</p>
          <UnlockPersonalKey />
        </>
      ) : (
        <Unlocked context={context} member={member} settle={settle} />
      )}
    </Dialog>
  );
}

function Unlocked({ context, member, settle }: UnlockedProps) {
  const { id } = member;
  const losing = useLosing(context, id, ({ list: { members } }) =>
    members.has(id) ? [{ change: "remove", member: { id } }] : [],
  );
  if (losing.answers === undefined) return <AskLosing losing={losing} name={member.name} />;
  return <Removing context={context} losing={losing} member={member} settle={settle} />;
}

interface UnlockedProps {
  readonly context: EnvelopeContext;
  readonly member: Leaving;
  readonly settle: Settling["settle"];
}

function Removing({ context, member, losing, settle }: UnlockedProps & { readonly losing: Losing }) {
  const answers = losing.answers ?? [];
  const { forms, isComplete, error: formsError } = useAllForms();
  const queryClient = useQueryClient();
  const [read, setRead] = useState<ReadonlySet<string>>(new Set());
  const [swept, setSwept] = useState<readonly SweptForm[]>([]);
  const removing = useMutation({
    mutationFn: () => answerStanding(context, [member.id], answers),
    onSuccess: () => queryClient.invalidateQueries(memberListTextQuery),
  });
  useOnce(removing.mutate);
  const list = removing.data;
  const gone = [member.id, ...answers.filter(([, answer]) => answer === "remove").map(([row]) => row.member.id)];
  const asked = new Set([...gone, ...answers.map(([row]) => row.member.id)]);
  const note = async (results: readonly SweptForm[]) => {
    const exposed = findExposedForms(results, (id) => asked.has(id));
    setRead((before) => new Set([...before, ...exposed]));
    setSwept(results);
    if (list !== undefined && isInOrder(results)) {
      const { renewed } = await findUnfinished(context, list, []);
      const remember = () => context.heads.rememberSwept(context.organizationId, list.list.head);
      if (renewed.length === 0) await settle(remember, exposed.length > 0);
    }
    // The page below says what is left to do.
    await queryClient.invalidateQueries({ queryKey: ["unfinished"] });
  };
  if (removing.isError && !(removing.error instanceof ListUnusable))
    return (
      <>
        <ErrorNotice error={removing.error} onRetry={() => removing.mutate()} />
        <AnsweredAbout losing={losing} />
      </>
    );
  if (removing.isError) return <NotAnswered error={removing.error} />;
  if (!removing.isSuccess || !isComplete) return <FormsLoading error={formsError} />;
  return (
    <>
      <p>{words.outOfList(member.name)}</p>
      <LeftUnsure answers={answers} />
      <SweepProgress
        change={{ add: [], remove: gone, findsExposed: true }}
        context={context}
        forms={forms}
        onDone={note}
      />
      {list && <Introduced forms={forms} list={list} name={member.name} results={swept} />}
      {read.size > 0 && (
        <RotateForms context={context} forms={forms.filter(({ id }) => read.has(id))} key={read.size} />
      )}
    </>
  );
}

/** Readers that the member has put into forms read on: others vouch for their keys, and nobody for that they read there. */
function Introduced({
  name,
  forms,
  list: { list },
  results,
}: {
  readonly name: string;
  readonly forms: readonly NamedForm[];
  readonly list: CheckedList;
  readonly results: readonly SweptForm[];
}) {
  const rows = results.flatMap((result) => {
    const ids = "unproven" in result ? (result.unproven ?? []) : [];
    const form = forms.find(({ id }) => id === result.formId);
    return form === undefined || ids.length === 0 ? [] : [{ form, ids }];
  });
  if (rows.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h3 className="font-semibold">{words.introducedTitle(name)}</h3>
      <p className="text-muted">{words.introduced}</p>
      <ul aria-label={words.introducedTitle(name)} className="grid list-disc gap-1 pl-5">
        {rows.map(({ form, ids }) => (
          <li className="wrap-anywhere" key={form.id}>
            <Link
              className="inline-flex items-center py-1.5 font-medium text-accent underline pointer-coarse:min-h-11"
              params={{ formId: form.id }}
              to="/forms/$formId/keys"
            >
              <bdi>{form.name}</bdi>
            </Link>
            {": "}
            <bdi>{words.introducedReaders(ids.map((id) => shownName({ id, name: list.members.get(id)?.name })))}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
