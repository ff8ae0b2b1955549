import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { changeList, ListUnusable } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { SweptForm } from "../envelopes/sweep.ts";
import { findExposedForms, isInOrder, type Settling, useSettling } from "../envelopes/to-rotate.ts";
import { findUnfinished } from "../envelopes/unfinished.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { FormsLoading } from "../organization/forms-loading.tsx";
import { memberListTextQuery, useAllForms } from "../organization/member-queries.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { RotateForms } from "./rotate-forms.tsx";
import { SweepProgress } from "./sweep-progress.tsx";

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

function Unlocked({
  context,
  member,
  settle,
}: {
  readonly context: EnvelopeContext;
  readonly member: Leaving;
  readonly settle: Settling["settle"];
}) {
  const { forms, isComplete, error: formsError } = useAllForms();
  const queryClient = useQueryClient();
  const [read, setRead] = useState<ReadonlySet<string>>(new Set());
  const removing = useMutation({
    mutationFn: () =>
      changeList(context, ({ list: { members } }) =>
        members.has(member.id) ? { change: "remove", member: { id: member.id } } : undefined,
      ),
    onSuccess: () => queryClient.invalidateQueries(memberListTextQuery),
  });
  // A mutation, as it asks for the password where the sign-in is too long ago; once, also where React runs effects twice.
  const isBegun = useRef(false);
  const { mutate } = removing;
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    mutate();
  }, [mutate]);
  const list = removing.data;
  const note = async (results: readonly SweptForm[]) => {
    const exposed = findExposedForms(results, (id) => id === member.id);
    setRead((before) => new Set([...before, ...exposed]));
    if (list !== undefined && isInOrder(results)) {
      const { renewed } = await findUnfinished(context, list, []);
      const remember = () => context.heads.rememberSwept(context.organizationId, list.list.head);
      if (renewed.length === 0) await settle(remember, exposed.length > 0);
    }
    // The page below says what is left to do.
    await queryClient.invalidateQueries({ queryKey: ["unfinished"] });
  };
  const { error } = removing;
  if (error instanceof ListUnusable) return <ListRefused list={error.list} />;
  if (removing.isError) return <ErrorNotice error={error} onRetry={() => mutate()} />;
  if (!removing.isSuccess || !isComplete) return <FormsLoading error={formsError} />;
  return (
    <>
      <p>{words.outOfList(member.name)}</p>
      <SweepProgress
        change={{ add: [], remove: [member.id], findsExposed: true }}
        context={context}
        forms={forms}
        onDone={note}
      />
      {read.size > 0 && (
        <RotateForms context={context} forms={forms.filter(({ id }) => read.has(id))} key={read.size} />
      )}
    </>
  );
}
