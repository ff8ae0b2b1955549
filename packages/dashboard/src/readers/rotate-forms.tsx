import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { text } from "../texts/text.ts";
import { ActionsInSight } from "../ui/actions-in-sight.tsx";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { LookAtForms } from "./look-at-forms.tsx";
import { ListRefused, StoredUnread } from "./refusal-notice.tsx";
import { type LookedAtForm, lookAtForm, type RotatedForm, rotateForm } from "./rotate-form.ts";
import { FormReaders } from "./rotation-readers.tsx";
import type { FormToSweep } from "./sweep-progress.tsx";
import { useOnce } from "./use-once.ts";

const { sweepRefusals, readers: texts } = text;

const { rotate: words } = texts;

const looksAtOnce = 3;

/**
 * Looks at who will read each form, and then rotates the chosen ones for these, one after the other, until it is stopped or the key of one is in this page alone.
 */
function useRotating(context: EnvelopeContext, forms: readonly FormToSweep[]) {
  const [looked, setLooked] = useState<ReadonlyMap<string, LookedAtForm>>(new Map());
  const [results, setResults] = useState<ReadonlyMap<string, RotatedForm>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(forms.map(({ id }) => id)));
  const [current, setCurrent] = useState<FormToSweep>();
  const isStopped = useRef(false);
  const [isStopping, setIsStopping] = useState(false);
  const left = forms.filter(({ id }) => chosen.has(id) && !isRotated(results.get(id)));
  const shown = left.flatMap((form) => {
    const one = looked.get(form.id);
    return one?.kind === "shown" ? [{ form, shown: one.shown }] : [];
  });
  const unseen = left.filter(({ id }) => looked.get(id)?.kind !== "shown");
  const begin = () => {
    isStopped.current = false;
    setIsStopping(false);
  };
  const note = (id: string, one: LookedAtForm) => setLooked((before) => new Map([...before, [id, one]]));
  const looking = useMutation({
    mutationFn: async () => {
      begin();
      const waiting = unseen.values();
      const work = async () => {
        for (const form of waiting) {
          if (isStopped.current) return;
          note(form.id, await lookAtForm(context, form));
        }
      };
      await Promise.all(Array.from({ length: looksAtOnce }, work));
    },
    onError: () => {
      isStopped.current = true;
    },
  });
  useOnce(looking.mutate);
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const rotating = useMutation({
    mutationFn: async () => {
      begin();
      for (const { form, shown: readers } of shown) {
        if (isStopped.current) return;
        setCurrent(form);
        const result = await rotateForm(context, form, readers);
        setResults((before) => new Map([...before, [form.id, result]]));
        if (result.kind === "others") note(form.id, { kind: "shown", shown: result.shown });
        // It was proved a moment ago. Should this not arrive, unlocking the form says it again.
        if (result.kind === "rotated") await reportProof(form.id, result.keyVersion);
        if (result.kind === "unread") return;
      }
    },
    onSettled: () => setCurrent(undefined),
  });
  return {
    ...{ looked, results, chosen, shown, unseen, looking, rotating, current },
    left,
    isLooked: looking.isSuccess || looking.isError,
    isBusy: looking.isPending || rotating.isPending,
    isStopping,
    stop: () => {
      isStopped.current = true;
      setIsStopping(true);
    },
    toggle: (id: string) =>
      setChosen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
  };
}

/** Offers to rotate the forms that somebody could read until now. Shows who will read each one, then rotates the chosen ones in turn. */
export function RotateForms({
  context,
  forms,
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly FormToSweep[];
}) {
  const rotation = useRotating(context, forms);
  const { results, left, shown, unseen, isLooked, looking, rotating, isBusy, stop, isStopping } = rotation;
  return (
    <section aria-label={words.title} className="grid gap-3">
      <h3 className="font-semibold">{words.title}</h3>
      <p className="text-muted">{words.intro}</p>
      <p className="text-muted">{words.readers}</p>
      <Notice tone="warning">
        <p>
          {words.pinned} <HelpLink page="rotateKeys">{words.link}</HelpLink>
        </p>
      </Notice>
      <ul className="divide-y divide-line rounded-lg border border-line px-3 py-1">
        {forms.map((form) => (
          <FormRow form={form} key={form.id} rotation={rotation} />
        ))}
      </ul>
      {isLooked && !isBusy && <ToLookAt context={context} forms={forms} rotation={rotation} />}
      {looking.isError && <ErrorNotice error={looking.error} />}
      {rotating.isError && <ErrorNotice error={rotating.error} />}
      <ActionsInSight>
        <Progress count={forms.length} rotation={rotation} />
        {countRotated(results) < forms.length && (
          <Button
            disabled={!isLooked || shown.length === 0}
            look="primary"
            onClick={() => rotating.mutate()}
            pending={rotating.isPending}
          >
            {words.action(isLooked ? shown.length : left.length)}
          </Button>
        )}
        {isLooked && !isBusy && unseen.length > 0 && (
          <Button onClick={() => looking.mutate()}>{words.lookAction(unseen.length)}</Button>
        )}
        {isBusy && (
          <Button onClick={stop} pending={isStopping}>
            {isStopping ? texts.sweep.stopping : texts.sweep.stop}
          </Button>
        )}
      </ActionsInSight>
    </section>
  );
}

/** Forms that wait until somebody has looked at their envelopes, and are looked at again once these were said to be right. */
function ToLookAt({
  context,
  forms,
  rotation: { looked, looking },
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly FormToSweep[];
  readonly rotation: ReturnType<typeof useRotating>;
}) {
  const waiting = forms.filter(({ id }) => {
    const one = looked.get(id);
    return one?.kind === "refused" && one.reason === "former_writer";
  });
  if (waiting.length === 0) return null;
  const key = waiting.map(({ id }) => id).join(" ");
  return <LookAtForms context={context} forms={waiting} key={key} onRight={() => looking.mutate()} />;
}

/** How far it is, in sight above the buttons. */
function Progress({
  count,
  rotation: { looked, results, current, looking, isBusy },
}: {
  readonly count: number;
  readonly rotation: ReturnType<typeof useRotating>;
}) {
  const isLooking = looking.isPending;
  const done = isLooking ? looked.size : countRotated(results);
  const isBegun = isBusy || results.size > 0;
  return (
    <div className={isBegun ? "grid w-full gap-1.5" : "contents"}>
      {isBegun && <ProgressBar done={done} label={isLooking ? words.lookProgress : words.progress} of={count} />}
      <p aria-live="polite" className="text-muted empty:absolute">
        {isBegun && (isLooking ? words.lookState : words.state)(done, count)}{" "}
        {current !== undefined && <bdi>{words.current(current.name)}</bdi>}
      </p>
      {isBusy && <p className="text-muted text-sm">{texts.sweep.keepOpen}</p>}
    </div>
  );
}

function FormRow({
  form: { id, name },
  rotation: { chosen, looked, results, isBusy, current, toggle },
}: {
  readonly form: FormToSweep;
  readonly rotation: ReturnType<typeof useRotating>;
}) {
  const seen = looked.get(id);
  const result = results.get(id) ?? (seen?.kind === "shown" ? undefined : seen);
  return (
    <li className="flex flex-wrap items-center gap-x-3">
      <label className="flex min-w-0 grow items-center gap-3 py-1.5 pointer-coarse:min-h-11">
        <input
          checked={chosen.has(id)}
          disabled={isBusy || isRotated(results.get(id))}
          onChange={() => toggle(id)}
          type="checkbox"
        />
        <bdi className="min-w-0 wrap-anywhere">{name}</bdi>
      </label>
      <Link
        className="inline-flex items-center py-1.5 text-accent text-sm underline pointer-coarse:min-h-11"
        params={{ formId: id }}
        to="/forms/$formId/keys"
      >
        {words.keys} <span className="sr-only">{name}</span>
      </Link>
      {seen?.kind === "shown" && <FormReaders shown={seen.shown} />}
      {current?.id === id ? (
        <span className="w-full text-muted text-sm">{words.now}</span>
      ) : (
        <RotationResult result={result} />
      )}
    </li>
  );
}

const isRotated = (result: RotatedForm | undefined) => result?.kind === "rotated" || result?.kind === "unread";

const countRotated = (results: ReadonlyMap<string, RotatedForm>) => [...results.values()].filter(isRotated).length;

function RotationResult({
  result,
}: {
  readonly result: RotatedForm | Exclude<LookedAtForm, { kind: "shown" }> | undefined;
}) {
  if (result === undefined) return null;
  switch (result.kind) {
    case "rotated":
      return <span className="w-full text-muted text-sm">{words.done(result.keyVersion)}</span>;
    case "others":
      return <NotRotated>{words.others}</NotRotated>;
    case "none":
      return <span className="w-full text-muted text-sm">{words.none}</span>;
    case "list":
      return result.list.kind === "checked" ? null : <ListRefused list={result.list} />;
    case "refused":
      return (
        <NotRotated>
          {result.reason === "other_published_key" ? words.otherPublished : sweepRefusals[result.reason].title}
        </NotRotated>
      );
    case "name":
      return (
        <NotRotated>
          <bdi>{words.otherName(result.signed)}</bdi>
        </NotRotated>
      );
    case "version":
      return <NotRotated>{words.farVersion(result.newest, result.known)}</NotRotated>;
    case "lost_keys":
      return <NotRotated>{words.lostKeys(result.missing)}</NotRotated>;
    case "key_log":
      return <NotRotated>{result.sentence}</NotRotated>;
    case "unread":
      return (
        <div className="grid w-full gap-3 py-2">
          <StoredUnread reason={result.reason} />
          <SaveKey newKey={result.newKey} onSaved={() => undefined} />
        </div>
      );
    default:
      return result satisfies never;
  }
}

function NotRotated({ children }: { readonly children: ReactNode }) {
  return (
    <p className="w-full text-danger text-sm" role="alert">
      {children}
    </p>
  );
}
