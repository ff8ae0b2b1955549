import type { Form, FormKey as PublishedKey } from "@sealpost/sdk";
import { bringable, findDeniedHere, findDisplaced, findFirstSights } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findToLookAt } from "../envelopes/look-at.ts";
import type { FormOpening, OpenedForm, OpenedFormEnvelope } from "../envelopes/open-form.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { useMay } from "../organization/membership.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { BringBack } from "./bring-back.tsx";
import { BringKeys } from "./bring-keys.tsx";
import { FormNames } from "./form-names.tsx";
import { FormReaders } from "./form-readers.tsx";
import { LetLogDecide } from "./let-log-decide.tsx";
import { LookAtEnvelope } from "./look-at-envelope.tsx";
import { ListRefused, OpeningNotices } from "./refusal-notice.tsx";
import { RemoveEnvelope, RestoreEnvelope } from "./remove-envelope.tsx";
import { SeenAgain } from "./seen-again.tsx";
import { useFormEnvelope } from "./use-form-envelope.ts";

const { envelopes: texts } = text;

/** For links that lead here from elsewhere on the page. */
export const envelopeSectionId = "envelope";

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
      id={envelopeSectionId}
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

interface OpenSectionProps {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly published: readonly PublishedKey[];
}

interface OpeningProps extends OpenSectionProps {
  readonly opening: FormOpening;
  readonly onChanged: () => Promise<unknown>;
  /** Says what was done. The focus goes there: the pressed button is gone with its dialog. */
  readonly say: (sentence: string, isGood?: boolean) => void;
}

function OpenSection(props: OpenSectionProps) {
  const { context, form } = props;
  const opening = useFormEnvelope(form.id as FormId, context); // the server names no other
  const [done, setDone] = useState<{ readonly sentence: string; readonly isGood: boolean }>();
  const place = useRef<HTMLDivElement>(null);
  const say = (sentence: string | undefined, isGood = true) => {
    if (sentence !== undefined) setDone({ sentence, isGood });
    place.current?.focus();
  };
  if (opening.isPending) return <Skeleton className="h-12 w-full" />;
  const { data } = opening;
  const onChanged = () => opening.refetch();
  return (
    <div className="grid gap-4">
      <div className="outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
        {done && <Notice tone={done.isGood ? "good" : "warning"}>{done.sentence}</Notice>}
      </div>
      {opening.isError && <ErrorNotice error={opening.error} onRetry={onChanged} />}
      {data && <OpeningNotices isShowingFirst opening={data} />}
      {data?.kind === "opened" &&
        findToLookAt(data).map((sight) => (
          <LookAtEnvelope
            {...{ context, form, onChanged, say, sight }}
            key={`${sight.envelope.firstVersion} ${sight.envelope.head.hash}`}
            opened={data}
          />
        ))}
      {data?.kind === "none" && <p>{texts.section.none}</p>}
      <FormNames form={form} />
      {data?.kind === "opened" && <Readers {...props} onChanged={onChanged} opened={data} />}
      {!context.heads.isLasting && <Notice>{texts.notLasting}</Notice>}
      {data?.kind === "opened" && (
        <Refused {...props} onChanged={onChanged} onSettled={() => say(undefined)} opened={data} />
      )}
      {data?.kind === "list" && data.isMoved && (
        <Moved {...props} onChanged={onChanged} onSettled={() => say(undefined)} />
      )}
      {data && <Actions {...props} onChanged={onChanged} opening={data} say={say} />}
    </div>
  );
}

interface OpenedProps extends OpenSectionProps {
  readonly opened: OpenedForm;
  readonly onChanged: () => Promise<unknown>;
}

function Readers({ context, form, opened, onChanged }: OpenedProps) {
  const may = useMay();
  const { list, envelopes } = opened;
  return (
    <>
      {list.kind === "for_reading" && may("rotateFormKeys") && <ListRefused list={list} />}
      {envelopes.map((envelope) => (
        <EnvelopeState envelope={envelope} key={envelope.firstVersion} />
      ))}
      {envelopes.length > 0 && (
        <FormReaders context={context} form={form} onChanged={() => void onChanged()} opened={opened} />
      )}
    </>
  );
}

/** Envelopes that are not what they were: what can be done about each. */
function Refused({ context, form, opened, onChanged, onSettled }: OpenedProps & { readonly onSettled: () => void }) {
  const may = useMay();
  const { list, refused } = opened;
  const first = findFirstSights(opened).map(({ firstVersion }) => firstVersion);
  const isAcceptable = ({ firstVersion, reason }: (typeof refused)[number]) =>
    acceptable.includes(reason) && !first.includes(firstVersion);
  const bringableVersions = refused
    .filter(({ reason }) => bringable.includes(reason))
    .map(({ firstVersion }) => firstVersion);
  const formId = form.id as FormId; // the server names no other
  async function accept(): Promise<void> {
    const isMoved = refused.some(({ reason }) => reason === "moved_form");
    await (isMoved ? context.heads.forgetForm(formId) : context.heads.forgetEnvelopes(formId));
    await onChanged();
    onSettled();
  }
  return (
    <>
      {opened.seenAgain.length > 0 && <SeenAgain {...{ context, formId }} onDone={onChanged} />}
      {findDeniedHere(opened).map((denied) => (
        <LetLogDecide {...{ context, denied, formId }} key={denied.firstVersion} onDone={onChanged} />
      ))}
      {refused.some(isAcceptable) && <AcceptEnvelope onAccepted={accept} />}
      {list.kind === "checked" &&
        may("rotateFormKeys") &&
        [...bringableVersions, ...findDisplaced(opened)].map((firstVersion) => (
          <BringBack
            context={context}
            firstVersion={firstVersion}
            form={form}
            key={firstVersion}
            list={list}
            onClose={() => void onChanged()}
          />
        ))}
    </>
  );
}

interface MovedProps extends OpenSectionProps {
  readonly onChanged: () => Promise<unknown>;
  readonly onSettled: () => void;
}

/** A form that this browser has seen in another organization, where the present one has no list of members to go by. */
function Moved({ context, form, onChanged, onSettled }: MovedProps) {
  async function accept(): Promise<void> {
    await context.heads.forgetForm(form.id);
    await onChanged();
    onSettled();
  }
  return <AcceptEnvelope onAccepted={accept} />;
}

/** Bringing keys in, taking the envelope away, putting it back. */
function Actions({ context, form, published, opening, say }: OpeningProps) {
  const may = useMay();
  const [asked, setAsked] = useState<"bring" | "remove">();
  const end = (sentence: string) => {
    setAsked(undefined);
    say(sentence);
  };
  const opened = opening.kind === "opened" ? opening : undefined;
  const isRemovable = opened?.list.kind === "checked" && context.isOwner;
  const props = { context, published, onClose: () => setAsked(undefined) };
  return (
    <>
      {may("rotateFormKeys") && canBring(opening) && (
        <Button className="justify-self-start" onClick={() => setAsked("bring")}>
          {texts.bring.action}
        </Button>
      )}
      {isRemovable && (
        <Button className="justify-self-start" look="quiet" onClick={() => setAsked("remove")}>
          {texts.remove.action}
        </Button>
      )}
      {asked === "remove" && opened && (
        <RemoveEnvelope {...props} form={form} onDone={() => end(texts.remove.done)} opened={opened} />
      )}
      {opening.kind === "none" && context.isOwner && (
        <RestoreEnvelope formId={form.id} onRestored={() => say(texts.remove.restored)} />
      )}
      {asked === "bring" && (
        <BringKeys
          {...props}
          formId={form.id as FormId} // as above
          formName={form.name}
          opened={opened}
          onDone={(versions) => end(texts.bring.done(versions))}
        />
      )}
    </>
  );
}

/** A person may know why the server shows this: a backup was restored, or the form got another envelope. */
const acceptable: readonly EnvelopeRefusal[] = [
  "old_list",
  "old_key_log",
  "old_revision",
  "forked",
  "other_previous",
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
        <bdi>{section.written(shownName(writtenBy))}</bdi>
        <Time at={Date.parse(writtenAt)} />
      </span>
      {isByFormer && (
        <Badge isLong tone="warning">
          {section.byFormer}
        </Badge>
      )}
    </p>
  );
}
