import { OwnPassphrase } from "./own-passphrase.tsx";
import { WordsSteps } from "./words-steps.tsx";

/** The secret of a copy: six drawn words, or a passphrase that its person has chosen. */
export interface KeptPassphrase {
  readonly passphrase: string;
  readonly isOwn: boolean;
}

/** Six words, or instead of them a passphrase of one's own. */
export function PassphraseSteps({
  words,
  kept,
  isOwn,
  onOwn,
  onKept,
  onBack,
}: {
  readonly words: string;
  /** The one that was kept here before somebody came back. */
  readonly kept?: KeptPassphrase | undefined;
  /** Whether one of one's own is chosen. */
  readonly isOwn: boolean;
  readonly onOwn: (isOwn: boolean) => void;
  readonly onKept: (passphrase: KeptPassphrase) => void;
  readonly onBack: () => void;
}) {
  return isOwn ? (
    <OwnPassphrase
      before={kept?.isOwn ? kept.passphrase : ""}
      onBack={() => onOwn(false)}
      onChosen={(passphrase) => onKept({ passphrase, isOwn: true })}
    />
  ) : (
    <WordsSteps
      onBack={onBack}
      onKept={() => onKept({ passphrase: words, isOwn: false })}
      onOwn={() => onOwn(true)}
      passphrase={words}
    />
  );
}
