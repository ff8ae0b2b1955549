import { useState } from "react";
import { MakeKey } from "../key-copies/make-key.tsx";
import type { StoredPersonalKey } from "../personal-key/personal-key-query.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";

const { personalKeyReplaced } = text;

const texts = personalKeyReplaced.replace;

/** Replaces the person's key: says what that does and what not, and then makes another one. */
export function ReplaceKey({
  stored,
  isOpen,
  onEnd,
}: {
  readonly stored: StoredPersonalKey;
  /** Whether the key until now is open, and signs for the new one. */
  readonly isOpen: boolean;
  readonly onEnd: () => void;
}) {
  // Once the new key is open it must not be taken for the former one.
  const [replaces, setReplaces] = useState<{ readonly signingKey: string; readonly isOpen: boolean }>();
  if (replaces !== undefined) return <MakeKey onCancel={onEnd} onDone={onEnd} replaces={replaces} />;
  const { sentences } = isOpen ? texts.open : texts.lost;
  return (
    <div className="card p-5 sm:p-7">
      <Step intro={texts.intro} title={texts.title}>
        {!isOpen && <Notice tone="warning">{texts.lost.unlockFirst}</Notice>}
        <ul className="grid max-w-2xl list-disc gap-2 pl-5">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <StepButtons onBack={onEnd}>
          <Button look="primary" onClick={() => setReplaces({ signingKey: stored.halves.signingKey, isOpen })}>
            {isOpen ? texts.open.action : texts.lost.action}
          </Button>
        </StepButtons>
      </Step>
    </div>
  );
}
