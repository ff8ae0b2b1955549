import { FarVersionError } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import { type LostKeys, LostKeysError, UnfinishedSearchError } from "@sealpost/sdk/envelopes";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { createSnippets } from "../form/embed-snippets.ts";
import type { NewKey } from "../keys/new-key.ts";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { SaveKey } from "../keys/save-key.tsx";
import type { NewKeyProgress } from "../keys/use-new-key.ts";
import { envelopeSectionId } from "../readers/envelope-section.tsx";
import { FormNames } from "../readers/form-names.tsx";
import { OrganizationNames } from "../readers/organization-names.tsx";
import { LeftOutList, ReaderList, RotationReaders } from "../readers/rotation-readers.tsx";
import { UnfinishedSearch } from "../readers/unfinished-search.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { SwitchField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Loading, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { EndField } from "./end-versions.tsx";
import { type EnvelopeRotation, type Missing, type RotationProps, useRotation } from "./use-rotation.ts";

type Rotation = ReturnType<typeof useRotation>;

/** A new key pair for the form, in the same order as at the start: made here, saved, proved, and only then used. */
export function RotateKeys(props: RotationProps) {
  const texts = text.formKeys;
  const place = useRef<HTMLDivElement>(null);
  const rotation = useRotation(props, place);
  const { form, currentVersion, envelope, progress, problem, making, rotating, hasKeyLog, isLocked } = rotation;
  const newKey = progress?.newKey;
  const isOfThis = rotating.variables?.newKey === newKey;
  const change = { isPending: isOfThis && rotating.isPending, error: isOfThis ? rotating.error : null };
  const sending = { change, of: newKey, texts: texts.leaveUnsure };
  const guard = useLeaveGuard(() => newKey !== undefined, texts.leave, sending);
  return (
    <>
      <div className="print:hidden">
        <Section
          intro={
            <>
              {texts.rotateIntro} <HelpLink page="rotateKeys">{texts.rotateLink}</HelpLink>
            </>
          }
          title={texts.rotateTitle}
        >
          <div className="grid gap-5">
            <div className="outline-none empty:absolute" ref={place} role="status" tabIndex={-1}>
              {rotating.isSuccess && !(problem && progress) && (
                <Notice title={texts.done(rotating.data.keyVersion, envelope !== undefined)} tone="good">
                  {form.settings.encryption && (hasKeyLog ? texts.doneLogged : texts.donePinned)}
                </Notice>
              )}
            </div>
            <Explanation currentVersion={currentVersion} hasEnvelope={envelope !== undefined} />
            <MakingFailed envelope={envelope} making={making} />
            <OrganizationNames isTitled />
            <FormNames form={form} isTitled />
            <WhatIsNeeded {...props} />
            {progress === undefined && !isLocked && <Make rotation={rotation} />}
            {progress !== undefined && (
              <>
                <Keep progress={progress} rotation={rotation} />
                <Use onDiscard={() => guard.ask(rotation.giveUp)} progress={progress} rotation={rotation} />
              </>
            )}
          </div>
        </Section>
      </div>
      {guard.question}
      {newKey !== undefined && <RecoverySheet formName={form.name} newKey={newKey} />}
    </>
  );
}

function MakingFailed({ making: { error, mutate, variables }, envelope }: Pick<Rotation, "making" | "envelope">) {
  const { farVersion } = text.formKeys;
  if (error instanceof LostKeysError)
    return (
      <LostKeysQuestion
        lost={error.lost}
        namesOf={typeof envelope === "object" ? envelope.namesOf : () => []}
        onConfirm={() => mutate({ ...variables, lost: error.lost })}
      />
    );
  if (error instanceof UnfinishedSearchError)
    return <UnfinishedSearch error={error} onContinue={() => mutate({ ...variables, isThorough: true })} />;
  if (error instanceof FarVersionError)
    return (
      <Notice title={farVersion.title(error.newest, error.known)} tone={error.isLogged ? "danger" : "warning"}>
        <p>{error.isLogged ? farVersion.logged : farVersion.hint}</p>
        {!error.isLogged && (
          <Button onClick={() => mutate({ ...variables, version: error.newest })}>
            {farVersion.confirm(error.newest)}
          </Button>
        )}
      </Notice>
    );
  return error && <ErrorNotice error={error} what={text.forms.wizard.keyFailed} onRetry={() => mutate({})} />;
}

function LostKeysQuestion({
  lost: { envelope, newer, missing, readers, leftOut },
  namesOf,
  onConfirm,
}: {
  readonly lost: LostKeys;
  readonly namesOf: EnvelopeRotation["namesOf"];
  readonly onConfirm: () => void;
}) {
  const { lostKeys } = text.formKeys;
  const writers = namesOf(envelope?.writerIds ?? []);
  return (
    <Notice role="alert" title={lostKeys.title(missing)} tone="warning">
      {envelope !== undefined && <p>{envelope.isBegunAhead ? lostKeys.begunAhead : lostKeys.hint}</p>}
      {newer.length > 0 && <p>{lostKeys.newer(newer)}</p>}
      <p>{lostKeys.closed}</p>
      <p>{lostKeys.readers}</p>
      <ReaderList readers={readers} />
      <LeftOutList leftOut={leftOut} />
      <p>
        {writers.length > 0 && <bdi>{lostKeys.writers(writers)}</bdi>}{" "}
        {envelope !== undefined && (envelope.isBegunAhead ? lostKeys.begunFirst : lostKeys.first)}{" "}
        {newer.length > 0 && lostKeys.newerFirst}
      </p>
      <Button look="danger" onClick={onConfirm}>
        {lostKeys.confirm}
      </Button>
    </Notice>
  );
}

function Explanation({
  currentVersion,
  hasEnvelope,
}: {
  readonly currentVersion: number;
  readonly hasEnvelope: boolean;
}) {
  const texts = text.formKeys;
  return (
    <div>
      <h3 className="font-semibold">{texts.explainTitle}</h3>
      <ul className="mt-1 grid list-disc gap-1 pl-5 text-muted">
        {texts.explain(currentVersion, hasEnvelope).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

function WhatIsNeeded({ envelope, form, keyLog, instead }: RotationProps) {
  const { formKeys: texts, keyLog: keyLogTexts } = text;
  if (instead) return instead;
  return (
    <>
      {envelope !== undefined && (
        <Needed
          missing={envelope}
          ready={texts.envelopeIntro}
          locked={texts.envelopeLocked}
          unread={
            <>
              {texts.envelopeUnread}{" "}
              <Link
                className="font-medium text-accent underline"
                hash={envelopeSectionId}
                params={{ formId: form.id }}
                to="/forms/$formId/keys"
              >
                {texts.envelopeUnreadLink}
              </Link>
            </>
          }
        />
      )}
      {keyLog !== undefined && (
        <Needed missing={keyLog} ready={keyLogTexts.rotateIntro} locked={keyLogTexts.rotateLocked} />
      )}
    </>
  );
}

function Needed({
  missing,
  ready,
  locked,
  unread,
}: {
  readonly missing: Missing | object;
  readonly ready: string;
  readonly locked: string;
  readonly unread?: ReactNode;
}) {
  if (missing === "loading") return <Loading />;
  return <p>{missing === "locked" ? locked : missing === "unread" ? unread : ready}</p>;
}

/** The first step: which kind of key. */
function Make({ rotation }: { readonly rotation: Rotation }) {
  const texts = text.formKeys;
  const { currentVersion, isHybrid, hasReceiver, making } = rotation;
  const { wantsHybrid, setWantsHybrid } = rotation.hybrid;
  return (
    <>
      <SwitchField
        checked={wantsHybrid}
        hint={text.keys.hybridHint}
        label={text.keys.hybrid}
        onChange={setWantsHybrid}
      />
      {isHybrid && !wantsHybrid && (
        <Notice title={texts.hybridDropped(currentVersion)} tone="warning">
          {texts.hybridDroppedHint}
        </Notice>
      )}
      {!isHybrid && hasReceiver && (
        <Notice title={texts.hybridReceiver}>
          {texts.hybridReceiverHint} <HelpLink page="hybridKeys">{texts.hybridReceiverLink}</HelpLink>
        </Notice>
      )}
      <Button className="justify-self-start" onClick={() => making.mutate({})} pending={making.isPending}>
        {making.isPending ? texts.making : texts.make}
      </Button>
    </>
  );
}

interface StepProps {
  readonly progress: NewKeyProgress;
  readonly rotation: Rotation;
}

/** The new key is saved and proved, where nobody else keeps it. */
function Keep({ progress: { newKey, isSaved, provenKey }, rotation }: StepProps) {
  const texts = text.formKeys;
  const { form, currentFingerprint, hasKeyLog, isOptional, problem } = rotation;
  return (
    <>
      <h3
        className="border-line border-t pt-5 font-semibold outline-none"
        key={newKey.fingerprint}
        ref={focusIt}
        tabIndex={-1}
      >
        {isOptional ? texts.envelopeStep : texts.step[0]}
      </h3>
      {problem}
      <Optional isOptional={isOptional} title={texts.envelopeFile}>
        <SaveKey key={`save ${newKey.fingerprint}`} newKey={newKey} onSaved={() => rotation.markSaved(newKey)} />
      </Optional>
      {form.settings.encryption && hasKeyLog && <p className="text-muted">{texts.loggedIntro}</p>}
      {form.settings.encryption && !hasKeyLog && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{texts.pinnedTitle}</h3>
          <p className="text-muted">
            {texts.pinnedIntro} {!rotation.isCurrentProved && text.forms.embed.pinnedUnproved}
          </p>
          <PinnedSnippets fingerprints={[currentFingerprint, pinOfNew(newKey)]} form={form} />
        </div>
      )}
      {isSaved && !isOptional && (
        <>
          <h3 className="border-line border-t pt-5 font-semibold">{texts.step[1]}</h3>
          <p className="-mt-3 text-muted">{text.forms.wizard.proveIntro}</p>
          <ProveKey
            isProved={provenKey !== undefined}
            newKey={newKey}
            onProved={(key) => rotation.markProved(newKey, key)}
          />
        </>
      )}
    </>
  );
}

/** The last step: from now on visitors seal to it. */
function Use({ progress, rotation, onDiscard }: StepProps & { readonly onDiscard: () => void }) {
  const texts = text.formKeys;
  const { form, currentVersion, problem, rotating, isLocked, isOptional, shown, end, setEnd } = rotation;
  return (
    <>
      {!problem && shown !== undefined && <RotationReaders shown={shown} />}
      {!problem && form.settings.encryption && (
        <EndField
          hint={texts.end.rotationHint}
          label={texts.end.rotationLabel(currentVersion)}
          onChange={setEnd}
          value={end}
        />
      )}
      {rotating.isError && <ErrorNotice error={rotating.error} />}
      <div className={problem ? "hidden" : "flex flex-wrap gap-2"}>
        <Button
          disabled={isLocked || (!isOptional && progress.provenKey === undefined)}
          look="primary"
          onClick={() => rotating.mutate(progress)}
          pending={rotating.isPending}
        >
          {texts.finish(progress.newKey.keyVersion)}
        </Button>
        <Button look="quiet" onClick={onDiscard}>
          {texts.discard}
        </Button>
      </div>
    </>
  );
}

/** A step that nobody has to take stays closed until somebody wants it. */
function Optional({
  isOptional,
  title,
  children,
}: {
  readonly isOptional: boolean;
  readonly title: string;
  readonly children: ReactNode;
}) {
  if (!isOptional) return children;
  return (
    <details>
      <summary className="cursor-pointer py-2.5 font-medium">{title}</summary>
      <div className="mt-4">{children}</div>
    </details>
  );
}

/** The button that led here is gone: the next Tab continues from the new step. */
function focusIt(element: HTMLElement | null): void {
  element?.focus();
}

/** The hybrid key alone, where there is one: a page that named the RSA key too would seal to it if the server hid the other. */
function pinOfNew(newKey: NewKey): string {
  return newKey.hybrid?.fingerprint ?? newKey.fingerprint;
}

/** The ways of the Embed page that can pin, for the time in which the page has to accept both keys. */
function PinnedSnippets({ form, fingerprints }: { readonly form: Form; readonly fingerprints: readonly string[] }) {
  const snippets = createSnippets(form, fingerprints, window.location.origin);
  const { snippet, snippetStrict, snippetReact } = text.formKeys;
  return (
    <>
      <CodeBlock code={snippets.html} label={text.forms.embed.html} name={snippet} />
      <CodeBlock code={snippets.strict} label={snippetStrict} name={snippetStrict} />
      <CodeBlock code={snippets.react} label={snippetReact} name={snippetReact} />
    </>
  );
}
