import { type Form, findNewestKey, type KeyClosing, type OpeningKey } from "@sealpost/sdk";
import { provesFingerprint } from "@sealpost/vault";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { createSnippets } from "../form/embed-snippets.ts";
import { keyLogQuery } from "../key-log/key-log-query.ts";
import { addKeys, labelKey, useKeys } from "../keys/keyring.ts";
import { makeKey, type NewKey, publicKeysOf } from "../keys/new-key.ts";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { type NewKeyProgress, useNewKey } from "../keys/use-new-key.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { SwitchField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { type End, EndField, toClosing } from "./end-versions.tsx";

const { keyLog: keyLogTexts } = text;

/** More key pairs than these no service gives a form, and one that lies could name any version. */
const keyVersionsMax = 1000;

/** Rotates together with the form's envelope, which then has the new key as well. */
export interface EnvelopeRotation {
  /** Gives why the envelope could not be read back: then the key has to be saved as a file at once. */
  rotate(newKey: NewKey, closing: KeyClosing | undefined): Promise<ReactNode>;
}

/** A new key pair for the form, in the same order as at the start: made here, saved, proved, and only then used. */
export function RotateKeys({
  form,
  currentVersion,
  currentFingerprint,
  isHybrid,
  envelope,
  keyLog,
  instead,
}: {
  readonly form: Form;
  readonly currentVersion: number;
  /** Of the hybrid key, where there is one: the key that a page names. */
  readonly currentFingerprint: string;
  /** Whether the current version has a hybrid key. */
  readonly isHybrid: boolean;
  /** Where the form has one: then nothing has to be saved. `"locked"`: the personal key is needed first. */
  readonly envelope?: EnvelopeRotation | "locked" | undefined;
  /** Where the form has a key log: signs the new key's entry, for a form without an envelope. `"locked"`: the personal key is needed first. */
  readonly keyLog?: ((newKey: NewKey) => Promise<string | undefined>) | "locked" | undefined;
  /** Why this browser rotates nothing for now. */
  readonly instead?: ReactNode;
}) {
  const texts = text.formKeys;
  const { progress, begin, markSaved, markProved, giveUp } = useNewKey();
  const newKey = progress?.newKey;
  const place = useRef<HTMLDivElement>(null);
  const guard = useLeaveGuard(() => newKey !== undefined, texts.leave);
  const queryClient = useQueryClient();
  const isProved = provesFingerprint(useKeys(form.id), currentFingerprint);
  const rotation = envelope === "locked" ? undefined : envelope;
  const signEntry = keyLog === "locked" ? undefined : keyLog;
  const isLocked = envelope === "locked" || keyLog === "locked" || Boolean(instead);
  const hasReceiver = form.settings.webhookUrl !== null;
  // The owner decides before a receiver first gets what is sealed to a hybrid key.
  const [choice, setWantsHybrid] = useState<boolean>();
  const wantsHybrid = choice ?? (isHybrid || !hasReceiver);
  const [end, setEnd] = useState<End>("never");
  const closing = end === "never" ? undefined : toClosing(end, currentVersion + 1);
  const making = useMutation({
    mutationFn: async () => {
      if (currentVersion >= keyVersionsMax) throw new Error(texts.versionsUsedUp);
      return makeKey({ formId: form.id, formName: form.name, keyVersion: currentVersion + 1 }, wantsHybrid);
    },
    onSuccess: begin,
  });
  const rotating = useMutation({
    mutationFn: async ({ newKey }: NewKeyProgress) => {
      if (rotation !== undefined)
        return { keyVersion: newKey.keyVersion, problem: await rotation.rotate(newKey, closing) };
      const before = await client.forms.keys(form.id);
      const isOvertaken = (findNewestKey(before)?.version ?? 0) >= newKey.keyVersion;
      // The saved file says which version it opens, and receivers go by that.
      if (isOvertaken && before.every(({ fingerprint }) => fingerprint !== newKey.fingerprint))
        throw new Error(texts.overtaken);
      try {
        const keyLogEntry = await signEntry?.(newKey);
        const rotation = {
          ...publicKeysOf(newKey),
          ...(closing && { closeKeyVersions: closing }),
          ...(keyLogEntry !== undefined && { keyLogEntry }),
        };
        const { keyVersion } = await withFreshSession(() => client.forms.rotateKeys(form.id, rotation));
        return { keyVersion };
      } catch (error) {
        // Perhaps only the answer was lost, now or at the last try: then the server has the key already.
        const versions = await client.forms.keys(form.id).catch(() => []);
        const own = versions.find(({ fingerprint }) => fingerprint === newKey.fingerprint);
        if (own === undefined) throw error;
        return { keyVersion: own.version };
      }
    },
    onError: () => queryClient.invalidateQueries(queries.keys(form.id)),
    onSuccess: async ({ keyVersion, problem }, { provenKey }) => {
      if (provenKey !== undefined) addKeys(form.id, [labelKey(provenKey, form.id, keyVersion)]);
      if (problem && provenKey === undefined) return;
      // It was proved before it was sent.
      await reportProof(form.id, keyVersion);
      await settle();
    },
  });
  /** The page shows the new version before the step of making one comes back: until then it would offer to make the same once more. */
  const settle = async () => {
    await Promise.all(
      [keyLogQuery(form.id), queries.form(form.id), queries.keys(form.id)].map(({ queryKey }) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
    giveUp();
    // The pressed button is gone.
    place.current?.focus();
  };
  // The rotation is done, and the new key is here and nowhere else.
  const problem = rotating.variables?.newKey === newKey ? rotating.data?.problem : undefined;
  const isOptional = envelope !== undefined && !problem;
  const finish = (newKey: NewKey, key: OpeningKey) => {
    addKeys(form.id, [labelKey(key, form.id, newKey.keyVersion)]);
    void reportProof(form.id, newKey.keyVersion).then(settle);
  };
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
                  {form.settings.encryption && texts.donePinned}
                </Notice>
              )}
            </div>
            <div>
              <h3 className="font-semibold">{texts.explainTitle}</h3>
              <ul className="mt-1 grid list-disc gap-1 pl-5 text-muted">
                {texts.explain(currentVersion, envelope !== undefined).map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </div>
            {making.isError && (
              <ErrorNotice error={making.error} what={text.forms.wizard.keyFailed} onRetry={() => making.mutate()} />
            )}
            {instead}
            {!instead && envelope !== undefined && (
              <p>{envelope === "locked" ? texts.envelopeLocked : texts.envelopeIntro}</p>
            )}
            {!instead && keyLog !== undefined && (
              <p>{keyLog === "locked" ? keyLogTexts.rotateLocked : keyLogTexts.rotateIntro}</p>
            )}
            {progress === undefined && !isLocked && (
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
                <Button className="justify-self-start" onClick={() => making.mutate()} pending={making.isPending}>
                  {making.isPending ? texts.making : texts.make}
                </Button>
              </>
            )}
            {progress !== undefined && (
              <>
                <h3
                  className="border-line border-t pt-5 font-semibold outline-none"
                  key={progress.newKey.fingerprint}
                  ref={focusIt}
                  tabIndex={-1}
                >
                  {isOptional ? texts.envelopeStep : texts.step[0]}
                </h3>
                {problem}
                <Optional isOptional={isOptional} title={texts.envelopeFile}>
                  <SaveKey
                    key={`save ${progress.newKey.fingerprint}`}
                    newKey={progress.newKey}
                    onSaved={() => markSaved(progress.newKey)}
                  />
                </Optional>
                {form.settings.encryption && (
                  <div className="grid gap-2">
                    <h3 className="font-semibold">{texts.pinnedTitle}</h3>
                    <p className="text-muted">
                      {texts.pinnedIntro} {!isProved && text.forms.embed.pinnedUnproved}
                    </p>
                    <PinnedSnippets fingerprints={[currentFingerprint, pinOfNew(progress.newKey)]} form={form} />
                  </div>
                )}
                {progress.isSaved && !isOptional && (
                  <>
                    <h3 className="border-line border-t pt-5 font-semibold">{texts.step[1]}</h3>
                    <p className="-mt-3 text-muted">{text.forms.wizard.proveIntro}</p>
                    <ProveKey
                      isProved={progress.provenKey !== undefined}
                      newKey={progress.newKey}
                      onProved={(key) => {
                        markProved(progress.newKey, key);
                        if (problem) finish(progress.newKey, key);
                      }}
                    />
                  </>
                )}
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
                  <Button look="quiet" onClick={() => guard.ask(giveUp)}>
                    {texts.discard}
                  </Button>
                </div>
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
