import { deriveRecoveryKey, generateSheet, type SigningKeys, splitIdentity } from "@sealpost/envelope";
import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { SheetLines } from "../key-copies/printed-sheet.tsx";
import { ListRefused } from "../readers/refusal-notice.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PrinterIcon } from "../ui/icons.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Step, StepButtons, StepHint, Steps } from "../ui/steps.tsx";
import { keepRecoveryKey } from "./keep-recovery-key.ts";
import { PrintedSheets, type SheetToPrint } from "./printed-sheets.tsx";
import { SheetsInput } from "./sheets-input.tsx";
import { type Split, SplitChoice } from "./split-choice.tsx";
import { SweepAll } from "./sweep-all.tsx";

const { recovery } = text;

const texts = recovery.make;
type Stage = "choose" | "print" | "prove" | "keep" | "done";
const stages: readonly Stage[] = ["choose", "print", "prove", "keep"];

interface NewRecoveryKey {
  readonly key: SigningKeys;
  readonly sheets: readonly SheetToPrint[];
  readonly isSplit: boolean;
}

async function makeKey(split: Split | undefined): Promise<NewRecoveryKey> {
  const sheet = await generateSheet("organization");
  const key = await deriveRecoveryKey(sheet.identity);
  if (split === undefined) return { key, sheets: [sheet], isSplit: false };
  const shares = await splitIdentity(sheet.identity, split.needed, split.of);
  return { key, sheets: shares.map((share) => ({ ...share, share })), isSplit: true };
}

/**
 * Makes an organization's recovery key: printed, brought back from the paper, and only then put into the list of members. Then the forms get
 * it as a reader.
 */
export function MakeRecoveryKey({
  context,
  replaced,
  onEnd,
}: {
  readonly context: EnvelopeContext;
  /** Ids of the recovery keys whose place it takes. */
  readonly replaced: readonly string[];
  readonly onEnd: () => void;
}) {
  const [stage, setStage] = useState<Stage>("choose");
  const [made, setMade] = useState<NewRecoveryKey>();
  const [chosen, setChosen] = useState<{ readonly split: Split | undefined }>();
  const [printed, setPrinted] = useState<NewRecoveryKey>();
  const making = useMutation({
    mutationFn: makeKey,
    onSuccess: (next) => {
      setMade(next);
      setStage("print");
    },
    gcTime: 0,
  });
  const keeping = useMutation({
    mutationFn: (key: NewRecoveryKey["key"]) => keepRecoveryKey(context, key, recovery.memberName, replaced),
    onSuccess: (kept) => kept.kind === "kept" && setStage("done"),
  });
  const sending = { change: keeping, texts: texts.leaveUnsure };
  const guard = useLeaveGuard(() => stage !== "choose" && stage !== "done", texts.leave, sending);
  return (
    <>
      {guard.question}
      <div className="print:hidden">
        <Steps
          current={stages.indexOf(stage === "done" ? "keep" : stage)}
          label={texts.stepLabel}
          names={texts.steps}
        />
      </div>
      <div className="card p-5 sm:p-7 print:border-0 print:p-0">
        {stage === "choose" && (
          <>
            {making.isError && <ErrorNotice error={making.error} />}
            <SplitChoice
              before={chosen}
              isPending={making.isPending}
              onBack={onEnd}
              onChosen={(split) => {
                setChosen({ split });
                making.mutate(split);
              }}
            />
          </>
        )}
        {made !== undefined && stage === "print" && (
          <PrintStep
            isTaken={printed === made}
            made={made}
            onBack={() => guard.ask(() => setStage("choose"))}
            onNext={() => setStage("prove")}
            onTaken={() => setPrinted(made)}
          />
        )}
        {made !== undefined && stage === "prove" && (
          <ProveStep made={made} onBack={() => setStage("print")} onProved={() => setStage("keep")} />
        )}
        {made !== undefined && stage === "keep" && <KeepStep keeping={keeping} made={made} />}
        {stage === "done" && (
          <Step intro={texts.doneIntro} title={texts.doneTitle}>
            <SweepAll context={context} />
            <StepButtons>
              <Button look="primary" onClick={onEnd}>
                {texts.finish}
              </Button>
            </StepButtons>
          </Step>
        )}
      </div>
    </>
  );
}

function PrintStep({
  made: { sheets },
  isTaken,
  onTaken,
  onNext,
  onBack,
}: {
  readonly made: NewRecoveryKey;
  /** Whether these sheets were printed, or their lines were shown. */
  readonly isTaken: boolean;
  readonly onTaken: () => void;
  readonly onNext: () => void;
  readonly onBack: () => void;
}) {
  return (
    <>
      <div className="print:hidden">
        <Step intro={texts.printIntro(sheets.length)} title={texts.printTitle(sheets.length)}>
          <div>
            <Button
              icon={<PrinterIcon />}
              look={isTaken ? "secondary" : "primary"}
              onClick={() => {
                window.print();
                onTaken();
              }}
            >
              {texts.print(sheets.length)}
            </Button>
          </div>
          <details onToggle={(event) => event.currentTarget.open && onTaken()}>
            <summary className="cursor-pointer py-2 font-medium">{texts.byHand}</summary>
            <p className="my-2 text-muted">{texts.byHandIntro}</p>
            <div className="grid gap-4">
              {sheets.map(({ lines, code, share }) => (
                <div className="overflow-x-auto" key={code}>
                  {share && <h3 className="mb-1 font-medium">{texts.sheetOf(share.place, share.of)}</h3>}
                  <SheetLines lines={lines} />
                </div>
              ))}
            </div>
          </details>
          <StepButtons onBack={onBack}>
            <Button disabled={!isTaken} look={isTaken ? "primary" : "secondary"} onClick={onNext}>
              {texts.kept(sheets.length)}
            </Button>
            <StepHint isDone={isTaken}>{texts.printFirst}</StepHint>
          </StepButtons>
        </Step>
      </div>
      <PrintedSheets sheets={sheets} />
    </>
  );
}

function ProveStep({
  made: { key, sheets, isSplit },
  onProved,
  onBack,
}: {
  readonly made: NewRecoveryKey;
  readonly onProved: () => void;
  readonly onBack: () => void;
}) {
  const [refusal, setRefusal] = useState<string>();
  return (
    <Step intro={texts.proveIntro(sheets[0]?.share?.needed ?? 1)} title={texts.proveTitle}>
      <SheetsInput
        action={text.common.next}
        isPending={false}
        kind={isSplit ? "share" : "organization"}
        onKey={(identity) => {
          if (identity === key.identity) onProved();
          else setRefusal(texts.foreign);
        }}
        refusal={refusal}
      />
      <StepButtons onBack={onBack}>{null}</StepButtons>
    </Step>
  );
}

type Keeping = UseMutationResult<Awaited<ReturnType<typeof keepRecoveryKey>>, Error, NewRecoveryKey["key"]>;

function KeepStep({ keeping, made: { key } }: { readonly keeping: Keeping; readonly made: NewRecoveryKey }) {
  return (
    <Step intro={texts.keepIntro} title={texts.keepTitle}>
      {keeping.isError && <ErrorNotice error={keeping.error} isRepeatable />}
      {keeping.data?.kind === "list" && <ListRefused list={keeping.data.list} />}
      <StepButtons>
        <Button look="primary" onClick={() => keeping.mutate(key)} pending={keeping.isPending}>
          {texts.keep}
        </Button>
      </StepButtons>
    </Step>
  );
}
