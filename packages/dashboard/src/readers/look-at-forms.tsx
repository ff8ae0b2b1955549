import { asFormName } from "@sealpost/envelope";
import {
  type FirstSightGroup,
  groupFirstSights,
  type ShownReader,
  type SightDifference,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { NamedForm } from "../envelopes/form-names.ts";
import { ListUnusable } from "../envelopes/load-list.ts";
import {
  type AnsweredForm,
  answerSights,
  type FormSight,
  type LookedForm,
  lookAtAll,
} from "../envelopes/look-at-all.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge } from "../ui/page.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { Time } from "../ui/time.tsx";
import { describeOutcome } from "./answered-sight.ts";
import { ReaderName } from "./reader-name.tsx";
import type { ReaderRow } from "./reader-rows.ts";
import { ListRefused } from "./refusal-notice.tsx";
import { SightKeys } from "./sight-keys.tsx";
import { describeFailure } from "./sweep-failure.ts";
import { useOnce } from "./use-once.ts";
import { useShownWhole } from "./use-shown-whole.ts";

const { section, lookAt: one, lookAtForms: words } = text.envelopes;

interface Progress {
  readonly done: number;
  readonly of: number;
  readonly isWaiting: boolean;
}

type Looked = ReadonlyMap<string, LookedForm>;

/** Opens the forms, and takes an answer for each group of first sights; each sight stays as it was shown until it is answered. */
function useLooking(context: EnvelopeContext, forms: readonly NamedForm[], onRight: (() => void) | undefined) {
  const [looked, setLooked] = useState<Looked>(new Map());
  const [notes, setNotes] = useState<ReadonlyMap<string, string>>(new Map());
  const [progress, setProgress] = useState<Progress>();
  const [accepted, setAccepted] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = (of: number) => {
    running.current = new AbortController();
    const { signal } = running.current;
    setProgress({ done: 0, of, isWaiting: false });
    const onProgress = (results: readonly unknown[], isWaiting: boolean) =>
      setProgress({ done: results.length, of, isWaiting });
    return { signal, onProgress };
  };
  const looking = useMutation({
    mutationFn: () => {
      const left = forms.filter(({ id }) => looked.get(id)?.kind !== "looked");
      return lookAtAll(context, left, begin(left.length));
    },
    meta: { changesNothing: true },
    onSuccess: (results) => setLooked(new Map([...looked, ...results.map((form) => [form.form.id, form] as const)])),
    onSettled: () => setProgress(undefined),
  });
  useOnce(looking.mutate);
  const answering = useMutation({
    mutationFn: ({ sights }: Pick<FirstSightGroup<FormSight>, "sights">) =>
      answerSights(context, sights, begin(new Set(sights.map(({ form }) => form.id)).size)),
    meta: { changesNothing: true },
    onSuccess: (results) => {
      const next = new Map([...looked, ...results.flatMap(toLooked)]);
      setLooked(next);
      setNotes(new Map([...notes, ...results.map((form) => [form.form.id, describeAnswer(form)] as const)]));
      setAccepted(results.flatMap(toOutcomes).filter((outcome) => outcome === "accepted").length);
      if (forms.every(({ id }) => isDone(next.get(id)))) onRight?.();
    },
    onSettled: () => setProgress(undefined),
  });
  return { looked, notes, progress, accepted, looking, answering };
}

const toOutcomes = (form: AnsweredForm) => (form.kind === "answered" ? form.outcomes : []);

/** Keeps what was shown of a form at which it failed. */
function toLooked(answered: AnsweredForm): readonly (readonly [string, LookedForm])[] {
  if (answered.kind !== "answered") return [];
  const { form, sights } = answered;
  return [[form.id, { form, kind: "looked", sights }]];
}

function describeAnswer(answered: AnsweredForm): string {
  if (answered.kind === "failed") return describeFailure(answered.failure);
  if (answered.kind === "stopped") return words.stopped;
  return [...new Set(answered.outcomes.flatMap((outcome) => describeOutcome(outcome) ?? []))].join(" ");
}

const isDone = (form: LookedForm | undefined) => form?.kind === "looked" && form.sights.length === 0;

/**
 * Lists the first sights of these forms that wait for a person's answer, those with the same signer and readers as one group, and takes one answer for each
 * group. Those that differ from most come first.
 */
export function LookAtForms({
  context,
  forms,
  onRight,
  isPage = false,
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly NamedForm[];
  /** Nothing waits any longer. */
  readonly onRight?: () => void;
  /** It is all that the page has: also says that nothing waits. */
  readonly isPage?: boolean;
}) {
  const { looked, notes, progress, accepted, looking, answering } = useLooking(context, forms, onRight);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The pressed button is gone, or is about other forms now.
    if (answering.isSuccess) place.current?.focus();
  }, [answering.isSuccess]);
  const all = forms.flatMap(({ id }) => looked.get(id) ?? []);
  const groups = groupFirstSights(all.flatMap((form) => (form.kind === "looked" ? form.sights : [])));
  const failed = all.filter((form) => form.kind !== "looked");
  const settled = all.filter((form) => isDone(form) && (notes.get(form.form.id) ?? "") !== "");
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid gap-3 outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
        {answering.isSuccess && accepted > 0 && <Notice tone="good">{words.done(accepted)}</Notice>}
        {settled.length > 0 && <Notes forms={settled} notes={notes} title={words.settled(settled.length)} />}
        {isPage && looking.isSuccess && groups.length + failed.length === 0 && (
          <Notice tone="good">{words.none}</Notice>
        )}
      </div>
      {looking.isPending && <Running label={words.opening} progress={progress} state={words.opened} />}
      {looking.isError && <Failed error={looking.error} onRetry={() => looking.mutate()} />}
      {answering.isError && <Failed error={answering.error} />}
      {!looking.isPending && groups.length > 0 && (
        <Notice
          role="alert"
          title={words.title(groups.reduce((sum, { sights }) => sum + sights.length, 0))}
          tone="warning"
        >
          <p>{words.intro}</p>
          <p className="mt-2">{words.first}</p>
        </Notice>
      )}
      {!looking.isPending && failed.length > 0 && <FailedForms forms={failed} onRetry={() => looking.mutate()} />}
      {!looking.isPending &&
        groups.map((group) => (
          <Group
            {...{ context, group, notes, isPage }}
            isBusy={answering.isPending}
            key={nameGroup(group)}
            onRight={() => answering.mutate(group)}
            progress={answering.variables && nameGroup(answering.variables) === nameGroup(group) ? progress : undefined}
          />
        ))}
    </div>
  );
}

/** Names the revisions that it is about, and nothing else. */
const nameGroup = ({ sights }: Pick<FirstSightGroup<FormSight>, "sights">) =>
  sights.map(({ envelope }) => envelope.head.hash).join(" ");

function FailedForms({
  forms,
  onRetry,
}: {
  readonly forms: readonly Exclude<LookedForm, { kind: "looked" }>[];
  readonly onRetry: () => void;
}) {
  return (
    <Notice
      action={
        <Button onClick={onRetry} small>
          {text.common.retry}
        </Button>
      }
      role="alert"
      title={words.failed(forms.length)}
      tone="danger"
    >
      <ul className="grid gap-2">
        {forms.map((form) => (
          <li className="wrap-anywhere" key={form.form.id}>
            <bdi className="font-medium">{form.form.name}</bdi>:{" "}
            {form.kind === "failed" ? describeFailure(form.failure) : words.stopped}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return error instanceof ListUnusable ? (
    <ListRefused list={error.list} />
  ) : (
    <ErrorNotice error={error} {...(onRetry && { onRetry })} />
  );
}

function Notes({
  forms,
  notes,
  title,
}: {
  readonly forms: readonly LookedForm[];
  readonly notes: ReadonlyMap<string, string>;
  readonly title: string;
}) {
  return (
    <Notice title={title}>
      <ul className="grid gap-2">
        {forms.map(({ form }) => (
          <li className="wrap-anywhere" key={form.id}>
            <bdi className="font-medium">{form.name}</bdi>: {notes.get(form.id)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Running({
  label,
  progress: { done, of, isWaiting } = { done: 0, of: 1, isWaiting: false },
  state,
}: {
  readonly label: string;
  readonly progress: Progress | undefined;
  readonly state: (done: number, of: number) => string;
}) {
  return (
    <div className="grid gap-2">
      <ProgressBar done={done} label={label} of={of} />
      <p aria-live="polite" className="text-muted">
        {state(done, of)} {isWaiting && text.readers.sweep.waiting}
      </p>
    </div>
  );
}

interface GroupProps {
  readonly context: EnvelopeContext;
  readonly isPage: boolean;
  readonly group: FirstSightGroup<FormSight>;
  readonly notes: ReadonlyMap<string, string>;
  readonly isBusy: boolean;
  readonly progress: Progress | undefined;
  readonly onRight: () => void;
}

function Group({ context, group, notes, isPage, isBusy, progress, onRight }: GroupProps) {
  const { sights, shown, differs } = group;
  const { signer, end, readers } = shown;
  const { place, isWhole, lead } = useShownWhole<HTMLElement>();
  const isSelf = signer.id === context.personId;
  const [Title, Part] = isPage ? (["h2", "h3"] as const) : (["h3", "h4"] as const);
  const name = shownName(signer);
  const title = words.group(sights.length, name);
  return (
    <section
      aria-label={title}
      className={`grid grid-cols-1 gap-3 rounded-lg border p-4 ${differs ? "border-warning" : "border-line"}`}
      ref={place}
    >
      <Title className="wrap-anywhere font-semibold">
        <bdi>{title}</bdi>
      </Title>
      {differs && <Differs differs={differs} />}
      <p className="wrap-anywhere">
        {end && (
          <>
            {one.ended[isSelf ? "own" : end.how]} <Time at={Date.parse(end.writtenAt)} />.
          </>
        )}
      </p>
      <Part className="font-medium">{words.readers(readers.length)}</Part>
      <Readers group={group} personId={context.personId} />
      <Part className="font-medium">{words.forms(sights.length)}</Part>
      <ul aria-label={words.formList} className="divide-y divide-line">
        {sights.map((sight) => (
          <SightRow
            key={`${sight.form.id} ${sight.envelope.head.hash}`}
            note={notes.get(sight.form.id)}
            sight={sight}
          />
        ))}
      </ul>
      {progress && <Running label={words.answering} progress={progress} state={words.answered} />}
      <Answer
        count={sights.length}
        isBusy={isBusy}
        isPending={progress !== undefined}
        lead={isWhole ? undefined : lead}
        onRight={onRight}
      />
    </section>
  );
}

/** `lead`: leads to what was not on the screen yet; until then nothing is answered. */
function Answer({
  count,
  isBusy,
  isPending,
  lead,
  onRight,
}: {
  readonly count: number;
  readonly isBusy: boolean;
  readonly isPending: boolean;
  readonly lead: (() => void) | undefined;
  readonly onRight: () => void;
}) {
  const [isAsked, setIsAsked] = useState(false);
  const answer = () => {
    if (isBusy) return;
    setIsAsked(true);
    (lead ?? onRight)();
  };
  return (
    <>
      <p className="text-warning empty:absolute" role="status">
        {isAsked && lead && words.notShown}
      </p>
      <Button aria-disabled={isBusy} className="justify-self-start" onClick={answer} pending={isPending}>
        {words.submit(count)}
      </Button>
    </>
  );
}

function Differs({ differs: { isOtherSigner, missing } }: { readonly differs: SightDifference }) {
  return (
    <Notice title={words.differs} tone="warning">
      {isOtherSigner && <p>{words.otherSigner}</p>}
      {missing.length > 0 && (
        <p>
          <bdi>{words.missing(missing.map(shownName))}</bdi>
        </p>
      )}
    </Notice>
  );
}

function Readers({
  group: { shown, differs },
  personId,
}: {
  readonly group: FirstSightGroup<FormSight>;
  readonly personId: string;
}) {
  const rows = shown.readers.map(toRow).toSorted((first, second) => first.name.localeCompare(second.name));
  return (
    <ul aria-label={one.readers} className="divide-y divide-line">
      {rows.map((row) => (
        <li
          className="flex flex-wrap items-center gap-x-2.5 gap-y-1 py-2 outline-none"
          data-row
          key={row.id}
          tabIndex={-1}
        >
          <ReaderName isSelf={row.id === personId} row={row} />
          {differs?.more.includes(row.id) && <Badge tone="warning">{words.more}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** A form of the group: its keys, and the revision that the answer is about. */
function SightRow({ sight, note }: { readonly sight: FormSight; readonly note: string | undefined }) {
  return (
    <li className="grid grid-cols-1 gap-1 py-2">
      <SightTitle sight={sight} />
      <SightKeys sight={sight} />
      {note && <p className="text-danger text-sm">{note}</p>}
    </li>
  );
}

function SightTitle({ sight: { form, envelope } }: { readonly sight: FormSight }) {
  const { head, formName, writtenAt } = envelope;
  const isNamed = asFormName(form.id as FormId, form.name) === formName; // the server names no other
  return (
    <div className="grid gap-0.5 outline-none" data-row tabIndex={-1}>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Link
          className="inline-flex min-w-0 items-center py-1.5 font-medium text-accent underline pointer-coarse:min-h-11"
          params={{ formId: form.id }}
          to="/forms/$formId/keys"
        >
          <bdi className="min-w-0 wrap-anywhere">{form.name}</bdi>
        </Link>
        {!isNamed && (
          <Badge isLong tone="warning">
            {words.otherName(formName)}
          </Badge>
        )}
      </div>
      <p className="text-muted text-sm">
        {section.state(head.keys.map(({ version }) => version))}. {section.revision(head.revision)}. {words.written}{" "}
        <Time at={Date.parse(writtenAt)} />.
      </p>
    </div>
  );
}

function toRow({ id, name, role, isOutdated, isUnproven, isUnknown, alike, ownWord }: ShownReader): ReaderRow {
  return {
    ...{ id, ownWord, isUnproven, isUnknown, name: shownName({ id, name }), alike: alike.map(shownName) },
    ...{ role: role ?? "reader", reads: role === undefined ? "gone" : isOutdated ? "other_key" : "all" },
    hasAccess: undefined,
  };
}
