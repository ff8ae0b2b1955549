import { RefusalError } from "@sealpost/envelope";
import type { Admission, Member } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { client } from "../api/client.ts";
import { ListUnusable } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { OfferForms } from "../envelopes/offer-forms.tsx";
import { EnvelopeRefused, ListRefused } from "../envelopes/refusal-notice.tsx";
import { useEnvelopeContext } from "../envelopes/use-envelope-context.ts";
import { nameOf } from "../members/names.ts";
import { UnlockPersonalKey } from "../personal-key/unlock-personal-key.tsx";
import { admissions as texts } from "../texts/english/admissions.ts";
import { members } from "../texts/english/members.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { bringIn, makeLink, openAnswer } from "./bring-in.ts";

/** With an open key; until then, what opens it. */
function WithKey({ children }: { readonly children: (context: EnvelopeContext) => ReactNode }) {
  const context = useEnvelopeContext();
  if (context !== undefined) return children(context);
  return (
    <>
      <p>{texts.unlock}</p>
      <UnlockPersonalKey />
    </>
  );
}

/** The stage that follows a press, and takes the focus where the button is gone. */
function Next({ children }: { readonly children: ReactNode }) {
  const place = useFocusInstead<HTMLDivElement>(true);
  return (
    <div className="grid gap-4 outline-none" ref={place} tabIndex={-1}>
      {children}
    </div>
  );
}

function Failed({ error }: { readonly error: Error }) {
  if (error instanceof RefusalError) return <EnvelopeRefused reason={error.reason} />;
  return error instanceof ListUnusable ? <ListRefused list={error.list} /> : <ErrorNotice error={error} />;
}

/** The link for a member, this once. */
export function LinkDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={texts.linkTitle(nameOf(member))}>
      <WithKey>{(context) => <NewLink context={context} member={member} onClose={onClose} />}</WithKey>
    </Dialog>
  );
}

function NewLink({
  context,
  member,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly member: Member;
  readonly onClose: () => void;
}) {
  const name = nameOf(member);
  const making = useMutation({ mutationFn: () => makeLink(context, member) });
  const link = making.data;
  if (link === undefined)
    return (
      <Next key="make">
        <p>{texts.linkHint(name)}</p>
        {making.isError && <Failed error={making.error} />}
        <Button look="primary" onClick={() => making.mutate()} pending={making.isPending}>
          {texts.make}
        </Button>
      </Next>
    );
  return (
    <Next key="link">
      <CodeBlock code={link} label={texts.link} wrap />
      <p className="text-muted text-sm">{texts.linkHint(name)}</p>
      <p className="text-muted text-sm">{texts.after(name)}</p>
      <div className="flex flex-wrap gap-2">
        {"share" in navigator && (
          <Button onClick={() => void navigator.share({ url: link }).catch(() => undefined)}>{texts.share}</Button>
        )}
        <Button look="primary" onClick={onClose}>
          {texts.copied}
        </Button>
      </div>
    </Next>
  );
}

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

function Finish({
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
  const bringing = useMutation({
    mutationFn: async () => {
      if (opened.data !== undefined) await bringIn(context, admission.id, opened.data);
    },
  });
  const refusing = useMutation({
    mutationFn: () => client.admissions.refuse(admission.id),
    onSuccess: () => onClose(texts.refused),
  });
  if (opened.isPending) return <p role="status">{text.common.loading}</p>;
  if (opened.isError)
    return (
      <>
        <Failed error={opened.error} />
        {refusing.isError && <ErrorNotice error={refusing.error} />}
        <Button onClick={() => refusing.mutate()} pending={refusing.isPending}>
          {texts.refuse}
        </Button>
      </>
    );
  const { member: entry, email, madeBy, change, list } = opened.data;
  // By the signed list: which member's row the link was made from is the server's word.
  const before = list.list.members.get(entry.id)?.name;
  const done = texts.done(entry.name);
  if (bringing.isSuccess)
    return (
      <Next key="forms">
        <Notice role="status" tone="good">
          {done}
        </Notice>
        <OfferForms context={context} member={entry} onDone={() => onClose(done)} suggested={member.forms} />
      </Next>
    );
  return (
    <Next key="answer">
      <p>{texts.finishIntro(entry.name, email)}</p>
      <p>{texts.asRole(members.roles[entry.role as keyof typeof members.roles], madeBy)}</p>
      {change === "replace" && before !== undefined && <Notice tone="warning">{texts.replaces(before)}</Notice>}
      {bringing.isError && <Failed error={bringing.error} />}
      <Button look="primary" onClick={() => bringing.mutate()} pending={bringing.isPending}>
        {texts.confirm}
      </Button>
    </Next>
  );
}
