import type { Form, FormKey as PublishedKey } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { bringable } from "../envelopes/bring-back-envelope.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { FormOpening, OpenedFormEnvelope } from "../envelopes/open-form.ts";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { BringBack } from "./bring-back.tsx";
import { BringKeys } from "./bring-keys.tsx";
import { FormReaders } from "./form-readers.tsx";
import { ListRefused, OpeningNotices } from "./refusal-notice.tsx";
import { RemoveEnvelope, RestoreEnvelope } from "./remove-envelope.tsx";
import { useFormEnvelope } from "./use-form-envelope.ts";

const { envelopes: texts } = text;

/** The form's envelopes on its Keys page: who reads them, and how a key gets into one. */
export default function EnvelopeSection({
  form,
  published,
}: {
  readonly form: Form;
  readonly published: readonly PublishedKey[];
}) {
  const key = usePersonalKey();
  const context = useEnvelopeContext();
  const { section } = texts;
  return (
    <Section
      intro={
        <>
          {section.intro} <HelpLink page="envelopes">{section.link}</HelpLink>
        </>
      }
      title={section.title}
    >
      {key.kind === "none" && (
        <p>
          {section.noKey}{" "}
          <Link className="font-medium text-accent underline" to="/account/key">
            {section.noKeyLink}
          </Link>
        </p>
      )}
      {key.kind === "locked" && (
        <div className="grid gap-3">
          <p className="text-muted">{section.locked}</p>
          <UnlockPersonalKey />
        </div>
      )}
      {key.kind === "open" && context === undefined && <Skeleton className="h-12 w-full" />}
      {context && <OpenSection context={context} form={form} published={published} />}
    </Section>
  );
}

function OpenSection({
  context,
  form,
  published,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly published: readonly PublishedKey[];
}) {
  const formId = form.id as FormId; // the server names no other
  const opening = useFormEnvelope(formId, context);
  const [isBringing, setIsBringing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const [done, setDone] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const may = useMay();
  const { data } = opening;
  const list = data?.kind === "opened" && data.list.kind === "checked" ? data.list : undefined;
  // The pressed button is gone with its dialog.
  const say = (sentence: string) => {
    setDone(sentence);
    place.current?.focus();
  };
  if (opening.isPending) return <Skeleton className="h-12 w-full" />;
  return (
    <div className="grid gap-4">
      <div className="outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
        {done && <Notice tone="good">{done}</Notice>}
      </div>
      {opening.isError && <ErrorNotice error={opening.error} onRetry={() => opening.refetch()} />}
      {data && <OpeningNotices opening={data} />}
      {data?.kind === "none" && <p>{texts.section.none}</p>}
      {data?.kind === "opened" && data.list.kind === "for_reading" && may("rotateFormKeys") && (
        <ListRefused list={data.list} />
      )}
      {data?.kind === "opened" &&
        data.envelopes.map((envelope) => <EnvelopeState envelope={envelope} key={envelope.firstVersion} />)}
      {data?.kind === "opened" && data.envelopes.length > 0 && (
        <FormReaders context={context} form={form} onChanged={() => void opening.refetch()} opened={data} />
      )}
      {!context.heads.isLasting && <Notice>{texts.notLasting}</Notice>}
      {data?.kind === "opened" && data.refused.some(({ reason }) => acceptable.includes(reason)) && (
        <AcceptEnvelope
          onAccepted={async () => {
            const isMoved = data.refused.some(({ reason }) => reason === "moved_form");
            await (isMoved ? context.heads.forgetForm(formId) : context.heads.forgetEnvelopes(formId));
            await opening.refetch();
            place.current?.focus();
          }}
        />
      )}
      {list !== undefined &&
        data?.kind === "opened" &&
        may("rotateFormKeys") &&
        data.refused
          .filter(({ reason }) => bringable.includes(reason))
          .map(({ firstVersion }) => (
            <BringBack
              context={context}
              firstVersion={firstVersion}
              form={form}
              key={firstVersion}
              list={list}
              onClose={() => void opening.refetch()}
            />
          ))}
      {data && may("rotateFormKeys") && canBring(data) && (
        <Button className="justify-self-start" onClick={() => setIsBringing(true)}>
          {texts.bring.action}
        </Button>
      )}
      {list !== undefined && data?.kind === "opened" && context.isOwner && data.refused.length === 0 && (
        <Button className="justify-self-start" look="quiet" onClick={() => setIsRemoving(true)}>
          {texts.remove.action}
        </Button>
      )}
      {isRemoving && data?.kind === "opened" && (
        <RemoveEnvelope
          context={context}
          form={form}
          onClose={() => setIsRemoving(false)}
          onDone={() => {
            setIsRemoving(false);
            say(texts.remove.done);
          }}
          opened={data}
          published={published}
        />
      )}
      {data?.kind === "none" && context.isOwner && (
        <RestoreEnvelope formId={formId} onRestored={() => say(texts.remove.restored)} />
      )}
      {isBringing && (
        <BringKeys
          context={context}
          envelopes={data?.kind === "opened" ? data.envelopes : []}
          formId={formId}
          onClose={() => setIsBringing(false)}
          onDone={(versions) => {
            setIsBringing(false);
            say(texts.bring.done(versions));
          }}
          published={published}
        />
      )}
    </div>
  );
}

/** A person may know why the server shows this: a backup was restored, or the form got another envelope. */
const acceptable: readonly EnvelopeRefusal[] = [
  "old_revision",
  "forked",
  "hidden_envelope",
  "key_missing",
  "former_writer",
  "moved_form",
];

function AcceptEnvelope({ onAccepted }: { readonly onAccepted: () => Promise<void> }) {
  const [isAsking, setIsAsking] = useState(false);
  const { forget } = texts;
  const accepting = useMutation({ mutationFn: onAccepted });
  return (
    <>
      <Button className="justify-self-start" onClick={() => setIsAsking(true)}>
        {forget.action}
      </Button>
      {isAsking && (
        <ActionDialog
          action={forget.submit}
          isPending={accepting.isPending}
          look="danger"
          onClose={() => setIsAsking(false)}
          onConfirm={() => accepting.mutate()}
          title={forget.title}
        >
          <p>{forget.hint}</p>
        </ActionDialog>
      )}
    </>
  );
}

/** Whether there are keys to bring, and nothing is in doubt that they would be added to. */
function canBring(opening: FormOpening): boolean {
  if (opening.kind === "none") return true;
  if (opening.kind === "list" || opening.list.kind !== "checked") return false;
  return opening.missing.length > 0 && opening.refused.length === 0;
}

function EnvelopeState({
  envelope: { head, isByFormer, writtenAt, writtenBy },
}: {
  readonly envelope: OpenedFormEnvelope;
}) {
  const { section } = texts;
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span className="font-medium">{section.state(head.keys.map(({ version }) => version))}</span>
      <Badge>{section.revision(head.revision)}</Badge>
      <span className="text-muted text-sm">
        <bdi>{section.written(writtenBy)}</bdi>
        <Time at={Date.parse(writtenAt)} />
      </span>
      {isByFormer && <Badge tone="warning">{section.byFormer}</Badge>}
    </p>
  );
}
