import { findWrongWord } from "@sealpost/vault";
import { useState } from "react";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Notice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { WordList } from "../ui/word-list.tsx";
import { PassphraseField } from "./passphrase-field.tsx";

const { personalKey } = text;

const texts = personalKey.wizard;

/** Shows six words, and hides them until they were typed once. */
export function WordsSteps({
  passphrase,
  onKept,
  onOwn,
  onBack,
}: {
  readonly passphrase: string;
  readonly onKept: () => void;
  /** The person wants to choose a passphrase instead. */
  readonly onOwn: () => void;
  readonly onBack: () => void;
}) {
  const [isShown, setIsShown] = useState(true);
  return isShown ? (
    <ShownWords onBack={onBack} onNext={() => setIsShown(false)} onOwn={onOwn} passphrase={passphrase} />
  ) : (
    <TypedWords passphrase={passphrase} onBack={() => setIsShown(true)} onKept={onKept} />
  );
}

function ShownWords({
  passphrase,
  onNext,
  onOwn,
  onBack,
}: {
  readonly passphrase: string;
  readonly onNext: () => void;
  readonly onOwn: () => void;
  readonly onBack: () => void;
}) {
  return (
    <Step intro={texts.wordsIntro} title={texts.wordsTitle}>
      <WordList label={texts.words} testId="words" words={passphrase.split(" ")} />
      <div>
        <CopyButton small={false} value={passphrase} />
      </div>
      <Notice tone="warning">{texts.wordsWarning}</Notice>
      <StepButtons onBack={onBack}>
        <Button look="primary" onClick={onNext}>
          {texts.wordsKept}
        </Button>
        <Button onClick={onOwn}>{texts.wordsOwn}</Button>
      </StepButtons>
    </Step>
  );
}

function TypedWords({
  passphrase,
  onKept,
  onBack,
}: {
  readonly passphrase: string;
  readonly onKept: () => void;
  readonly onBack: () => void;
}) {
  const fields = useFields({
    initial: { words: "" },
    passing: "secret",
    check: ({ words }) => {
      const wrong = findWrongWord(words, passphrase);
      return wrong && { words: "word" in wrong ? texts.typeWrong(wrong.word) : texts.typeCount(wrong.count) };
    },
    send: onKept,
  });
  return (
    <Step intro={texts.typeIntro} title={texts.typeTitle}>
      <FieldsForm fields={fields}>
        <PassphraseField
          {...fields.secret("words")}
          autoComplete="new-password"
          hint={texts.typeHint}
          label={texts.typeLabel}
        />
        <StepButtons onBack={onBack}>
          <Button look="primary" type="submit">
            {text.common.next}
          </Button>
        </StepButtons>
      </FieldsForm>
    </Step>
  );
}
