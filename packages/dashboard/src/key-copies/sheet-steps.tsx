import type { RecoverySheet } from "@sealpost/envelope";
import { useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PrinterIcon } from "../ui/icons.tsx";
import { Step, StepButtons, StepHint } from "../ui/steps.tsx";
import { PrintedSheet, SheetLines } from "./printed-sheet.tsx";
import { SheetInput } from "./sheet-input.tsx";

const { personalKey } = text;

const texts = personalKey.wizard;

/** Has a sheet printed or written down, and brought back once from the paper. */
export function SheetSteps({
  sheet,
  name,
  isTaken,
  onTaken,
  onProved,
  onBack,
}: {
  readonly sheet: RecoverySheet;
  /** Its name on the paper, and later in the list of ways to unlock. */
  readonly name: string;
  /** Whether it was printed, or its lines were shown: remembered by who comes back to this step. */
  readonly isTaken: boolean;
  readonly onTaken: () => void;
  readonly onProved: () => void;
  readonly onBack: () => void;
}) {
  const [isShown, setIsShown] = useState(true);
  return isShown ? (
    <ShownSheet
      isTaken={isTaken}
      name={name}
      onBack={onBack}
      onNext={() => setIsShown(false)}
      onTaken={onTaken}
      sheet={sheet}
    />
  ) : (
    <ProvedSheet onBack={() => setIsShown(true)} onProved={onProved} sheet={sheet} />
  );
}

function ShownSheet({
  sheet,
  name,
  isTaken,
  onTaken,
  onNext,
  onBack,
}: {
  readonly sheet: RecoverySheet;
  readonly name: string;
  readonly isTaken: boolean;
  readonly onTaken: () => void;
  readonly onNext: () => void;
  readonly onBack: () => void;
}) {
  return (
    <>
      <div className="print:hidden">
        <Step intro={texts.sheetIntro} title={texts.sheetTitle}>
          <div>
            <Button
              icon={<PrinterIcon />}
              look={isTaken ? "secondary" : "primary"}
              onClick={() => {
                window.print();
                onTaken();
              }}
            >
              {texts.print}
            </Button>
          </div>
          <details onToggle={(event) => event.currentTarget.open && onTaken()}>
            <summary className="cursor-pointer py-2 font-medium">{texts.byHand}</summary>
            <p className="my-2 text-muted">{texts.byHandIntro}</p>
            <SheetLines lines={sheet.lines} />
          </details>
          <StepButtons onBack={onBack}>
            <Button disabled={!isTaken} look={isTaken ? "primary" : "secondary"} onClick={onNext}>
              {texts.sheetKept}
            </Button>
            <StepHint isDone={isTaken}>{texts.sheetFirst}</StepHint>
          </StepButtons>
        </Step>
      </div>
      <PrintedSheet name={name} sheet={sheet} />
    </>
  );
}

function ProvedSheet({
  sheet,
  onProved,
  onBack,
}: {
  readonly sheet: RecoverySheet;
  readonly onProved: () => void;
  readonly onBack: () => void;
}) {
  const [refusal, setRefusal] = useState<string>();
  return (
    <Step intro={texts.proveIntro} title={texts.proveTitle}>
      <SheetInput
        action={text.common.next}
        isPending={false}
        onSheet={(identity) => {
          if (identity === sheet.identity) onProved();
          else setRefusal(personalKey.sheetInput.foreign);
        }}
        refusal={refusal}
      />
      <StepButtons onBack={onBack}>{null}</StepButtons>
    </Step>
  );
}
