import type { OpeningKey } from "@sealpost/sdk";
import { useState } from "react";
import { type FoundKey, KeyPicker } from "../keys/key-picker.tsx";
import { mergeKeys } from "../keys/merge-keys.ts";
import { offline } from "../texts/english/offline.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Mark } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { FilePicker } from "./file-picker.tsx";
import { OfflineInbox } from "./offline-inbox.tsx";
import type { SealedFiles } from "./sealed-files.ts";

interface FormName {
  readonly formId: string | undefined;
  readonly formName: string | undefined;
}

/** The page of `sealpost-opener.html`: sealed files and keys are chosen, in whatever order, and what they open is shown. */
export function OpenerPage() {
  const [sealed, setSealed] = useState<SealedFiles>();
  const [keys, setKeys] = useState<readonly OpeningKey[]>([]);
  const [names, setNames] = useState<readonly FormName[]>([]);
  const [isAddingKey, setIsAddingKey] = useState(false);
  const [formId, setFormId] = useState<string>();
  const texts = offline;
  const shownForm = formId ?? sealed?.counts.keys().next().value;

  /** As the key file calls it; a file of submissions knows its id alone, and some key files know the name alone. */
  function nameOf(id: string): string {
    const isOnlyForm = sealed?.counts.size === 1;
    const named = names.filter(({ formName }) => formName !== undefined);
    const own = named.find(({ formId: labelled }) => labelled === id);
    return (
      (own ?? (isOnlyForm ? named.find(({ formId: labelled }) => labelled === undefined) : undefined))?.formName ?? id
    );
  }

  async function take(found: readonly FoundKey[]): Promise<string | undefined> {
    setKeys(
      mergeKeys(
        keys,
        found.map(({ key }) => key),
      ),
    );
    setNames([...found.map(({ key, formName }) => ({ formId: key.formId, formName })), ...names]);
    setIsAddingKey(false);
    return undefined;
  }

  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line border-b bg-surface print:hidden">
        <div className="mx-auto flex h-14 max-w-6xl items-center gap-2 px-4 sm:px-6">
          <Mark className="size-7" />
          <h1 className="grow font-semibold">{texts.title}</h1>
          {(sealed !== undefined || keys.length > 0) && (
            <Button onClick={() => window.location.replace(window.location.pathname)} small title={texts.forgetHint}>
              {texts.forget}
            </Button>
          )}
        </div>
      </header>
      <main className="mx-auto w-full max-w-6xl grow px-4 py-6 outline-none sm:px-6 sm:py-8" id="content" tabIndex={-1}>
        {!window.isSecureContext && <Notice title={texts.insecure} tone="danger" />}
        {sealed !== undefined && shownForm !== undefined && keys.length > 0 ? (
          <OfflineInbox
            formId={shownForm}
            key={shownForm}
            keys={keys}
            nameOf={nameOf}
            onAddKey={() => setIsAddingKey(true)}
            onForm={setFormId}
            sealed={sealed}
          />
        ) : (
          <div className="mx-auto grid max-w-2xl gap-5">
            <p className="text-muted">{texts.intro}</p>
            <Section intro={texts.filesIntro} title={texts.filesTitle}>
              <FilePicker onRead={setSealed} sealed={sealed} />
            </Section>
            <Section intro={texts.keysIntro} title={texts.keysTitle}>
              {keys.length > 0 ? (
                <Notice role="status" title={texts.keysRead(keys.length)} tone="good" />
              ) : (
                <KeyPicker onKeys={take} />
              )}
            </Section>
          </div>
        )}
        {isAddingKey && (
          <Dialog onClose={() => setIsAddingKey(false)} title={text.keys.addKey}>
            <KeyPicker onKeys={take} />
          </Dialog>
        )}
      </main>
    </div>
  );
}
