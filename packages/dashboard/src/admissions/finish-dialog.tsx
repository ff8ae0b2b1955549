import { findDoubts } from "@sealpost/envelope";
import type { Admission, Member } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { answerStanding } from "../envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { nameOf } from "../organization/names.ts";
import { AnsweredAbout, AskLosing, LeftUnsure, useLosing } from "../readers/ask-losing.tsx";
import { OfferForms } from "../readers/offer-forms.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Loading, Notice } from "../ui/notice.tsx";
import { type Answered, bringIn, openAnswer } from "./bring-in.ts";
import { Failed, Next, WithKey } from "./with-key.tsx";

const { answerRefusals, admissions: texts, nameRole } = text;

/** Shows who has answered, brings them in, and offers the forms. */
export function FinishDialog({
  admission,
  member,
  onClose,
}: {
  readonly admission: Admission;
  readonly member: Member;
  readonly onClose: (said?: string) => void;
}) {
  return (
    <Dialog isWide onClose={() => onClose()} title={texts.finishTitle(nameOf(member))}>
      <WithKey>
        {(context) => <Finish admission={admission} context={context} member={member} onClose={onClose} />}
      </WithKey>
    </Dialog>
  );
}

export function Finish({
  context,
  admission,
  member,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly admission: Admission;
  readonly member: Member;
  readonly onClose: (said?: string) => void;
}) {
  const opened = useQuery({
    queryKey: ["admission", admission.id, admission.answeredAt, context.own.recipient],
    queryFn: () => openAnswer(context, admission.id),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const refusing = useMutation({
    mutationFn: () => client.admissions.refuse(admission.id),
    onSuccess: () => onClose(texts.refused),
  });
  if (opened.isPending) return <Loading />;
  if (opened.isError)
    return (
      <>
        <Failed error={opened.error} refusals={answerRefusals} />
        {refusing.isError && <ErrorNotice error={refusing.error} />}
        <Button onClick={() => refusing.mutate()} pending={refusing.isPending}>
          {texts.refuse}
        </Button>
      </>
    );
  return (
    <BringIn admission={admission} answered={opened.data} context={context} forms={member.forms} onClose={onClose} />
  );
}

interface BringInProps {
  readonly context: EnvelopeContext;
  readonly admission: Admission;
  readonly answered: Answered;
  readonly forms: Member["forms"];
  readonly onClose: (said?: string) => void;
}

/** Replaces keys or a role, after asking about the members who were let in by this person. */
function BringIn({ context, admission, answered, forms, onClose }: BringInProps) {
  const { member: entry, change, admission: used } = answered;
  const losing = useLosing(context, entry.id, ({ list: { members } }) =>
    change === "replace" && members.has(entry.id) ? [{ change, member: entry, admission: used }] : [],
  );
  const bringing = useMutation({
    mutationFn: async () => {
      await bringIn(context, admission.id, answered);
      if (losing.answers?.length) await answerStanding(context, [], losing.answers);
    },
  });
  const done = texts.done(entry.name);
  if (bringing.isSuccess)
    return (
      <Next key="forms">
        <Notice role="status" tone="good">
          {done}
        </Notice>
        <LeftUnsure answers={losing.answers ?? []} />
        <OfferForms context={context} member={entry} onDone={() => onClose(done)} suggested={forms} />
      </Next>
    );
  return (
    <Next key="answer">
      <Shown answered={answered} />
      {losing.answers === undefined && <AskLosing losing={losing} name={entry.name} />}
      {bringing.isError && <Failed error={bringing.error} refusals={answerRefusals} />}
      {losing.answers !== undefined && <AnsweredAbout losing={losing} />}
      {losing.answers !== undefined && (
        <Button look="primary" onClick={() => bringing.mutate()} pending={bringing.isPending}>
          {texts.confirm}
        </Button>
      )}
    </Next>
  );
}

function Shown({ answered: { member: entry, email, madeBy, change, list } }: { readonly answered: Answered }) {
  // By the signed list: which member's row the link was made from is the server's word.
  const before = list.list.members.get(entry.id);
  const { alike } = findDoubts(list.list)(entry);
  return (
    <>
      <p>{texts.finishIntro(entry.name, email)}</p>
      <p>{texts.asRole(nameRole(entry.role), shownName(madeBy))}</p>
      {change === "replace" && before !== undefined && (
        <Notice tone="warning">{texts.replaces(shownName(before))}</Notice>
      )}
      {alike.length > 0 && <Notice tone="warning">{texts.alike(alike.map(shownName))}</Notice>}
    </>
  );
}
