import { RefusalError } from "@sealpost/envelope";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  type BegunByOwner,
  beginPart,
  findPartQuestion,
  type PartQuestion,
  partSteps,
} from "../envelopes/begin-part.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { memberListTextQuery } from "../organization/member-queries.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { NotAnswered } from "./confirm-members.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { keepingAnswers, readAnswers, StandingFields } from "./standing-fields.tsx";

const { part: words } = text.readers;

/** Dialog that begins a new part of the signed list: effects first, then the members to decide on, then progress and result. */
export default function BeginPart({ onClose }: { readonly onClose: () => void }) {
  const context = useEnvelopeContext();
  if (context === undefined)
    return (
      <Framed onClose={onClose}>
        <p>{words.unlock}</p>
        <UnlockPersonalKey />
      </Framed>
    );
  return <Unlocked context={context} onClose={onClose} />;
}

/** The dialog while there is nothing to confirm yet. */
function Framed({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
      <p className="text-muted">{words.intro}</p>
      {children}
    </Dialog>
  );
}

function Unlocked({ context, onClose }: { readonly context: EnvelopeContext; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [changed, setChanged] = useState<PartQuestion>();
  const [begun, setBegun] = useState<Extract<BegunByOwner, { kind: "begun" }>>();
  const question = useQuery({
    queryKey: ["list-part", context.organizationId, context.own.recipient],
    queryFn: () => findPartQuestion(context),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (begun !== undefined) return <Begun begun={begun} onClose={onClose} />;
  if (question.data === undefined)
    return (
      <Framed onClose={onClose}>
        {question.error === null ? (
          <Skeleton className="h-12 w-full" />
        ) : (
          <NotAsked error={question.error} onRetry={() => question.refetch()} />
        )}
      </Framed>
    );
  const shown = changed ?? question.data;
  return (
    <Ask
      context={context}
      hasChanged={changed !== undefined}
      key={shown.head.hash}
      onBegun={async (result) => {
        if (result.kind === "to_ask") return setChanged(result.question);
        await queryClient.invalidateQueries(memberListTextQuery);
        void queryClient.invalidateQueries({ queryKey: ["unfinished"] });
        setBegun(result);
      }}
      onClose={onClose}
      question={shown}
    />
  );
}

function NotAsked({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  if (error instanceof ListUnusable) return <ListRefused list={error.list} />;
  if (error instanceof RefusalError) return <Notice tone="warning">{words.ownersOnly}</Notice>;
  return <ErrorNotice error={error} onRetry={onRetry} />;
}

function Ask({
  context,
  question,
  hasChanged,
  onBegun,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly question: PartQuestion;
  readonly hasChanged: boolean;
  readonly onBegun: (begun: BegunByOwner) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { rows, following, staying } = question;
  const [done, setDone] = useState(0);
  const fields = useFields({
    initial: keepingAnswers(rows),
    send: (values) => {
      setDone(0);
      return beginPart(context, question, readAnswers(rows, values), setDone);
    },
    onSaved: onBegun,
  });
  return (
    <FormDialog
      action={words.action}
      fields={fields}
      notice={<NotAnswered error={fields.error} />}
      onClose={onClose}
      title={words.title}
    >
      {hasChanged && (
        <Notice role="alert" tone="warning">
          {words.changed}
        </Notice>
      )}
      <Effects staying={staying} />
      {rows.length > 0 && (
        <section aria-label={words.ask(rows.length)} className="grid gap-3">
          <h3 className="font-semibold">{words.ask(rows.length)}</h3>
          <p className="text-muted">{words.askIntro}</p>
          <StandingFields fields={fields} reason={words.reason} rows={rows} />
          {following > 0 && <p>{words.following(following)}</p>}
        </section>
      )}
      {fields.isPending && <Progress done={done} />}
    </FormDialog>
  );
}

/** Consequences for the members, and for people who were to be brought in. */
function Effects({ staying }: { readonly staying: number }) {
  return (
    <>
      <p className="text-muted">{words.intro}</p>
      <ul className="grid list-disc gap-1 pl-5">
        {words.effects(staying).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </>
  );
}

function Progress({ done }: { readonly done: number }) {
  return (
    <div className="grid gap-2">
      <ProgressBar done={done} label={words.title} of={partSteps} />
      <p aria-live="polite" className="text-muted text-sm">
        {words.steps[Math.min(done, words.steps.length - 1)]}
      </p>
    </div>
  );
}

function Begun({
  begun: { members, left },
  onClose,
}: {
  readonly begun: Extract<BegunByOwner, { kind: "begun" }>;
  readonly onClose: () => void;
}) {
  return (
    <Dialog beginsAtTitle footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.doneTitle}>
      <Notice role="status" tone="good">
        {words.done(members)}
      </Notice>
      {left.length > 0 && <Notice tone="warning">{words.left(left.map(shownName))}</Notice>}
    </Dialog>
  );
}
