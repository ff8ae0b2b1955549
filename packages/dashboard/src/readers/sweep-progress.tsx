import type { FormId } from "@sealpost/wire";
import { Link } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { changeReaders, type ReaderChange, type SweepState, type SweptForm } from "../envelopes/sweep.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { LookAtForms } from "./look-at-forms.tsx";
import { ListRefused } from "./refusal-notice.tsx";
import { describeFailure } from "./sweep-failure.ts";

const { readers: texts } = text;

export interface FormToSweep {
  readonly id: string;
  readonly name: string;
  readonly settings?: { readonly encryption: boolean };
}

const { sweep } = texts;

/** Changes the readers of these forms, from the moment that it is shown, and says how far it is and what failed. */
export function SweepProgress({
  context,
  forms,
  change,
  newReader,
  onDone,
}: {
  readonly context: EnvelopeContext;
  readonly forms: readonly FormToSweep[];
  readonly change: ReaderChange;
  /** Name of somebody for whom these forms were chosen: one that has no envelope for them is a warning. */
  readonly newReader?: string;
  /** Called when a run ends, also one that was stopped or in which forms failed. */
  readonly onDone?: (results: readonly SweptForm[]) => void;
}) {
  const { state, results, stop, start } = useSweep(context, forms, change, onDone);
  const place = useRef<HTMLDivElement>(null);
  // The pressed button is gone.
  const restart = () => {
    void start();
    place.current?.focus();
  };
  return (
    <div className="grid grid-cols-1 gap-3 outline-none" ref={place} tabIndex={-1}>
      <ProgressBar done={state.done} label={sweep.label} of={state.of} />
      <p aria-live="polite" className="text-muted">
        {sweep.state(state.done, state.of)} {state.isWaiting && results === undefined && sweep.waiting}
      </p>
      {results === undefined ? (
        <>
          <p className="text-muted text-sm">{sweep.keepOpen}</p>
          <Button className="justify-self-start" onClick={stop}>
            {sweep.stop}
          </Button>
        </>
      ) : (
        <SweepResults {...{ context, forms, newReader, results }} onContinue={restart} />
      )}
    </div>
  );
}

function useSweep(
  context: EnvelopeContext,
  forms: readonly FormToSweep[],
  change: ReaderChange,
  onDone: ((results: readonly SweptForm[]) => void) | undefined,
) {
  const [state, setState] = useState<SweepState>({ done: 0, of: forms.length, failed: 0, isWaiting: false });
  const [results, setResults] = useState<readonly SweptForm[]>();
  const running = useRef<AbortController>(undefined);
  const latest = useRef({ context, forms, change, onDone });
  latest.current = { context, forms, change, onDone };
  const start = useCallback(async () => {
    const controller = new AbortController();
    running.current = controller;
    setResults(undefined);
    const now = latest.current;
    const ids = now.forms.map(({ id }) => id as FormId); // the server names no others
    const onProgress = (next: SweepState) => running.current === controller && setState(next);
    onProgress({ done: 0, of: ids.length, failed: 0, isWaiting: false });
    const swept = await changeReaders(now.context, ids, now.change, { onProgress, signal: controller.signal }).catch(
      (error): readonly SweptForm[] =>
        ids.map((formId) => ({ formId, kind: "failed", failure: { kind: "error", error } })),
    );
    if (running.current !== controller) return;
    setResults(swept);
    latest.current.onDone?.(swept);
  }, []);
  useEffect(() => {
    void start();
    return () => {
      running.current?.abort();
      running.current = undefined;
    };
  }, [start]);
  return { state, results, start, stop: () => running.current?.abort() };
}

function SweepResults({
  context,
  results,
  forms,
  newReader,
  onContinue,
}: {
  readonly context: EnvelopeContext;
  readonly results: readonly SweptForm[];
  readonly forms: readonly FormToSweep[];
  readonly newReader: string | undefined;
  readonly onContinue: () => void;
}) {
  const count = (kind: SweptForm["kind"]) => results.filter((result) => result.kind === kind).length;
  const failed = results.filter((result) => result.kind === "failed");
  const [changed, none, stopped] = [count("changed"), count("none"), count("stopped")];
  const isSealed = (formId: string) => forms.find(({ id }) => id === formId)?.settings?.encryption !== false;
  const unsealed =
    newReader === undefined ? [] : results.filter(({ kind, formId }) => kind === "none" && isSealed(formId));
  const isToLookAt = ({ failure }: (typeof failed)[number]) =>
    failure.kind === "envelope" && failure.reason === "former_writer";
  const toLookAt: ReadonlySet<string> = new Set(failed.filter(isToLookAt).map(({ formId }) => formId));
  const isInOrder = failed.length + stopped + unsealed.length === 0;
  return (
    <>
      {(isInOrder || changed + none + stopped > unsealed.length) && (
        <Notice role="status" tone={isInOrder ? "good" : "info"}>
          {(isInOrder || changed > 0) && <p>{sweep.done(changed)}</p>}
          {none > unsealed.length && <p>{sweep.none(none)}</p>}
          {stopped > 0 && <p>{sweep.stopped(stopped)}</p>}
        </Notice>
      )}
      {newReader !== undefined && unsealed.length > 0 && <Unsealed forms={unsealed} names={forms} reader={newReader} />}
      {failed.length > 0 && <Failures failed={failed} forms={forms} toLookAt={toLookAt} />}
      {toLookAt.size > 0 && (
        <LookAtForms context={context} forms={forms.filter(({ id }) => toLookAt.has(id))} onRight={onContinue} />
      )}
      {failed.length + stopped > 0 && (
        <Button className="justify-self-start" look="primary" onClick={onContinue}>
          {stopped > 0 ? sweep.continue : sweep.retry}
        </Button>
      )}
    </>
  );
}

/** Names the forms that could not be sealed for somebody, and leads to where that is made up for. */
function Unsealed({
  forms,
  names,
  reader,
}: {
  readonly forms: readonly SweptForm[];
  readonly names: readonly FormToSweep[];
  readonly reader: string;
}) {
  return (
    <Notice role="alert" title={sweep.unsealed(forms.length, reader)} tone="warning">
      <p>{sweep.unsealedHint(reader)}</p>
      <ul className="mt-2 grid gap-1">
        {forms.map(({ formId }) => (
          <li key={formId}>
            <Link
              className="inline-flex items-center py-1.5 font-medium text-accent underline"
              params={{ formId }}
              to="/forms/$formId/keys"
            >
              <bdi>{nameIn(names, formId)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const nameIn = (forms: readonly FormToSweep[], formId: string) => forms.find(({ id }) => id === formId)?.name ?? formId;

function Failures({
  failed,
  forms,
  toLookAt,
}: {
  readonly failed: readonly Extract<SweptForm, { kind: "failed" }>[];
  readonly forms: readonly FormToSweep[];
  /** Those are shown below, with what there is to do. */
  readonly toLookAt: ReadonlySet<string>;
}) {
  // The list is the same for all forms.
  const list = failed.map(({ failure }) => failure).find((failure) => failure.kind === "list");
  if (list !== undefined) return <ListRefused list={list.list} />;
  const others = failed.filter(({ formId }) => !toLookAt.has(formId));
  return (
    <Notice role="alert" title={sweep.failed(failed.length)} tone="danger">
      <ul className="grid gap-2 empty:hidden">
        {others.map(({ formId, failure }) => (
          <li key={formId}>
            <bdi className="font-medium">{nameIn(forms, formId)}</bdi>: {describeFailure(failure)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
