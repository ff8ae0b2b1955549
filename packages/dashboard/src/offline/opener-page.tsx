import { useRef, useState } from "react";
import { KeyPicker } from "../keys/key-picker.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Mark } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { FilePicker } from "./file-picker.tsx";
import { type HeldKeys, holdMore, nothingHeld } from "./held-keys.ts";
import { KeyFindings } from "./key-findings.tsx";
import type { WaitingFile } from "./key-pool.ts";
import { OfflineInbox } from "./offline-inbox.tsx";
import { type Brought, readBrought } from "./read-brought.ts";
import type { SealedFiles } from "./sealed-files.ts";

const { offline: texts } = text;

/** Files and keys that were brought so far, and which form is shown. */
function useBrought() {
  const [sealed, setSealed] = useState<SealedFiles>();
  const [held, setHeld] = useState(nothingHeld);
  /** One after the other: the next finds everything that was opened before. */
  const turn = useRef(Promise.resolve(nothingHeld));
  const [isAddingKey, setIsAddingKey] = useState(false);
  const [formId, setFormId] = useState<string>();
  const { keys, names, pool } = held;

  /** As the key file calls it; a file of submissions knows its id alone, and some key files know the name alone. */
  function nameOf(id: string): string {
    const isOnlyForm = sealed?.counts.size === 1;
    const named = names.filter(({ formName }) => formName !== undefined);
    const own = named.find(({ formId: labelled }) => labelled === id);
    return (
      (own ?? (isOnlyForm ? named.find(({ formId: labelled }) => labelled === undefined) : undefined))?.formName ?? id
    );
  }

  async function take(brought: readonly Brought[], refusals: readonly string[]): Promise<string | undefined> {
    const next = turn.current.then((before) => holdMore(before, brought, refusals));
    turn.current = next.catch(() => held);
    const after = await next;
    setHeld(after);
    if (opensMore(held, after, brought)) setIsAddingKey(false);
    return undefined;
  }

  /** After all that is on its way. */
  function change(after: (before: HeldKeys) => HeldKeys): void {
    const next = turn.current.then(after);
    turn.current = next;
    void next.then(setHeld);
  }
  const removeWaiting = (file: WaitingFile) =>
    change((before) => ({
      ...before,
      pool: { ...before.pool, waiting: before.pool.waiting.filter((one) => one.file !== file.file) },
    }));
  const forgetKeys = () => change(() => nothingHeld);
  return {
    ...{ sealed, setSealed, held, take, removeWaiting, forgetKeys, nameOf, isAddingKey, setIsAddingKey, setFormId },
    isEmpty: sealed === undefined && keys.length + pool.identities.length + pool.waiting.length === 0,
    shownForm: formId ?? sealed?.counts.keys().next().value,
  };
}

/** The page of `sealpost-opener.html`: sealed files and keys are chosen, in whatever order, and what they open is shown. */
export function OpenerPage() {
  const brought = useBrought();
  const { sealed, held, take, nameOf, isAddingKey, setIsAddingKey, setFormId, shownForm } = brought;
  const { keys, pool, shares } = held;
  const hasKeys = keys.length + pool.identities.length + shares.length > 0;
  const picker = <KeyPicker onKeys={take} pasteHint={texts.pasteHint} read={readBrought} />;
  const findings = <KeyFindings held={held} nameOf={nameOf} onRemove={brought.removeWaiting} />;
  return (
    <div className="flex min-h-dvh flex-col">
      <Header isEmpty={brought.isEmpty} />
      <main className="mx-auto w-full max-w-6xl grow px-4 py-6 outline-none sm:px-6 sm:py-8" id="content" tabIndex={-1}>
        {!window.isSecureContext && <Notice title={texts.insecure} tone="danger" />}
        {sealed !== undefined && shownForm !== undefined && keys.length > 0 ? (
          <div className="grid gap-3">
            {!isAddingKey && findings}
            <OfflineInbox
              formId={shownForm}
              key={shownForm}
              keys={keys}
              nameOf={nameOf}
              onAddKey={() => setIsAddingKey(true)}
              onForm={setFormId}
              sealed={sealed}
            />
          </div>
        ) : (
          <div className="mx-auto grid max-w-2xl gap-5">
            <p className="text-muted">{texts.intro}</p>
            <Section intro={texts.filesIntro} title={texts.filesTitle}>
              <FilePicker onRead={brought.setSealed} sealed={sealed} />
            </Section>
            <Section intro={texts.keysIntro} title={texts.keysTitle}>
              <div className="grid gap-4">
                {keys.length > 0 && <Notice role="status" title={texts.keysRead(keys.length)} tone="good" />}
                {!isAddingKey && findings}
                {keys.length === 0 && picker}
                {hasKeys && (
                  <div className="flex flex-wrap gap-2">
                    {keys.length > 0 && <Button onClick={() => setIsAddingKey(true)}>{text.keys.addKey}</Button>}
                    <Button onClick={brought.forgetKeys}>{texts.removeKeys}</Button>
                  </div>
                )}
              </div>
            </Section>
          </div>
        )}
        {isAddingKey && (
          <Dialog onClose={() => setIsAddingKey(false)} title={text.keys.addKey}>
            <div className="grid gap-4">
              {findings}
              {picker}
            </div>
          </Dialog>
        )}
      </main>
    </div>
  );
}

function Header({ isEmpty }: { readonly isEmpty: boolean }) {
  return (
    <header className="border-line border-b bg-surface print:hidden">
      <div className="mx-auto flex h-14 max-w-6xl items-center gap-2 px-4 sm:px-6">
        <Mark className="size-7" />
        <h1 className="grow font-semibold">{texts.title}</h1>
        {!isEmpty && (
          <Button onClick={() => window.location.replace(window.location.pathname)} small title={texts.forgetHint}>
            {texts.forget}
          </Button>
        )}
      </div>
    </header>
  );
}

/** Whether there is something new to read with: otherwise the one who brings keys is not done. */
function opensMore(before: HeldKeys, after: HeldKeys, brought: readonly Brought[]): boolean {
  return after.envelopes.length > before.envelopes.length || brought.some(({ kind }) => kind === "key");
}
