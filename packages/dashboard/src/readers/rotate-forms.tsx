import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { text } from "../texts/text.ts";
import { ActionsInSight } from "../ui/actions-in-sight.tsx";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { ListRefused, StoredUnread } from "./refusal-notice.tsx";
import { type RotatedForm, rotateForm } from "./rotate-form.ts";
import type { FormToSweep } from "./sweep-progress.tsx";

const { sweepRefusals, readers: texts } = text;

const { rotate: words } = texts;

/** Rotates the chosen forms one after the other, until it is stopped or the key of one is in this page alone. */
function useRotating(context: EnvelopeContext, forms: readonly FormToSweep[]) {
  const [results, setResults] = useState<ReadonlyMap<string, RotatedForm>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(forms.map(({ id }) => id)));
  const [current, setCurrent] = useState<FormToSweep>();
  const isStopped = useRef(false);
  const [isStopping, setIsStopping] = useState(false);
  const left = forms.filter(({ id }) => chosen.has(id) && results.get(id)?.kind !== "rotated");
  const rotating = useMutation({
    mutationFn: async () => {
      isStopped.current = false;
      setIsStopping(false);
      for (const form of left) {
        if (isStopped.current) return;
        setCurrent(form);
        const result = await rotateForm(context, form);
        setResults((before) => new Map([...before, [form.id, result]]));
        // It was proved a moment ago. Should this not arrive, unlocking the form says it again.
        if (result.kind === "rotated") await reportProof(form.id, result.keyVersion);
        if (result.kind === "unread") return;
      }
    },
    onSettled: () => setCurrent(undefined),
  });
  return {
    ...{ results, chosen, left, rotating, current },
    isStopping,
    stop: () => {
      isStopped.current = true;
      setIsStopping(true);
    },
    toggle: (id: string) =>
      setChosen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
  };
}

/** Offers to rotate forms that somebody read until now, those that are chosen, one after the other. */
export function RotateForms({
  context,
  forms,
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly FormToSweep[];
}) {
  const rotation = useRotating(context, forms);
  const { results, left, rotating, stop, isStopping } = rotation;
  return (
    <section aria-label={words.title} className="grid gap-3">
      <h3 className="font-semibold">{words.title}</h3>
      <p className="text-muted">{words.intro}</p>
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
      {rotating.isError && <ErrorNotice error={rotating.error} />}
      <ActionsInSight>
        <Progress count={forms.length} rotation={rotation} />
        {countRotated(results) < forms.length && (
          <Button
            disabled={left.length === 0}
            look="primary"
            onClick={() => rotating.mutate()}
            pending={rotating.isPending}
          >
            {words.action(left.length)}
          </Button>
        )}
        {rotating.isPending && (
          <Button onClick={stop} pending={isStopping}>
            {isStopping ? texts.sweep.stopping : texts.sweep.stop}
          </Button>
        )}
      </ActionsInSight>
    </section>
  );
}

/** How far it is, in sight above the buttons. */
function Progress({
  count,
  rotation: { results, current, rotating },
}: {
  readonly count: number;
  readonly rotation: ReturnType<typeof useRotating>;
}) {
  const done = countRotated(results);
  const isBegun = rotating.isPending || results.size > 0;
  return (
    <div className={isBegun ? "grid w-full gap-1.5" : "contents"}>
      {isBegun && <ProgressBar done={done} label={words.progress} of={count} />}
      <p aria-live="polite" className="text-muted empty:absolute">
        {isBegun && words.state(done, count)} {current !== undefined && <bdi>{words.current(current.name)}</bdi>}
      </p>
      {rotating.isPending && <p className="text-muted text-sm">{texts.sweep.keepOpen}</p>}
    </div>
  );
}

function FormRow({
  form: { id, name },
  rotation: { chosen, results, rotating, current, toggle },
}: {
  readonly form: FormToSweep;
  readonly rotation: ReturnType<typeof useRotating>;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3">
      <label className="flex min-w-0 grow items-center gap-3 py-1.5 pointer-coarse:min-h-11">
        <input
          checked={chosen.has(id)}
          disabled={rotating.isPending || results.get(id)?.kind === "rotated"}
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
      {current?.id === id ? (
        <span className="w-full text-muted text-sm">{words.now}</span>
      ) : (
        <RotationResult result={results.get(id)} />
      )}
    </li>
  );
}

const countRotated = (results: ReadonlyMap<string, RotatedForm>) =>
  [...results.values()].filter(({ kind }) => kind === "rotated").length;

function RotationResult({ result }: { readonly result: RotatedForm | undefined }) {
  if (result === undefined) return null;
  switch (result.kind) {
    case "rotated":
      return <span className="w-full text-muted text-sm">{words.done(result.keyVersion)}</span>;
    case "none":
      return <span className="w-full text-muted text-sm">{words.none}</span>;
    case "list":
      return result.list.kind === "checked" ? null : <ListRefused list={result.list} />;
    case "refused":
      return (
        <p className="w-full text-danger text-sm" role="alert">
          {result.reason === "other_published_key" ? words.otherPublished : sweepRefusals[result.reason].title}
          {result.reason === "former_writer" && `. ${sweepRefusals.former_writer.hint}`}
        </p>
      );
    case "name":
      return (
        <p className="w-full text-danger text-sm" role="alert">
          <bdi>{words.otherName(result.signed)}</bdi>
        </p>
      );
    case "version":
      return (
        <p className="w-full text-danger text-sm" role="alert">
          {words.farVersion(result.newest, result.known)}
        </p>
      );
    case "lost_keys":
      return (
        <p className="w-full text-danger text-sm" role="alert">
          {words.lostKeys(result.missing)}
        </p>
      );
    case "key_log":
      return (
        <p className="w-full text-danger text-sm" role="alert">
          {result.sentence}
        </p>
      );
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
