import { adoptFormerKeys } from "@sealpost/vault";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { holdPersonalKey, lockPersonalKey } from "../personal-key/personal-key.ts";
import { type NewCopy, personalKeyApi } from "../personal-key/personal-key-api.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { startKeyWorker } from "../personal-key/start-key-worker.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Step, StepButtons, Steps } from "../ui/steps.tsx";
import {
  CopyChanged,
  checkStoredCopies,
  type KeyToReplace,
  type NewPersonalKey,
  prepareKey,
  sealFirstCopies,
  sealFormer,
  sendKey,
} from "./new-key.ts";
import { type KeptPassphrase, PassphraseSteps } from "./passphrase-steps.tsx";
import { SheetSteps } from "./sheet-steps.tsx";

const { personalKey } = text;

const texts = personalKey.wizard;
interface MadeNext {
  readonly intro: string;
  readonly button: string;
}
type Stage = "words" | "sheet" | "keep" | "done";
const stages: readonly Stage[] = ["words", "sheet", "keep"];

/**
 * Makes a person's key: six words, or a passphrase, and a sheet, each brought back once, and only then anything is sent. It ends when both copies
 * were read back from the server and have opened the key.
 */
export function MakeKey({
  onCancel,
  onDone,
  next,
  replaces,
}: {
  readonly onCancel: () => void;
  readonly onDone: () => void;
  /** Where it leads, if there is more to do with the key than to look at it. */
  readonly next?: MadeNext;
  /** The key in the place of which it comes. */
  readonly replaces?: KeyToReplace;
}) {
  const [key, setKey] = useState<NewPersonalKey>();
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const isHeld = useRef(false);
  useEffect(() => {
    const worker = startKeyWorker();
    let isWanted = attempt >= 0;
    prepareKey(worker).then(
      (made) => isWanted && setKey(made),
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
      if (!isHeld.current) worker.end();
    };
  }, [attempt]);
  if (error !== null)
    return (
      <ErrorNotice
        error={error}
        onRetry={() => {
          setError(null);
          setAttempt(attempt + 1);
        }}
        what={texts.makingFailed}
      />
    );
  if (key === undefined)
    return (
      <Button look="quiet" pending>
        {texts.making}
      </Button>
    );
  return (
    <Ceremony
      newKey={key}
      next={next}
      replaces={replaces}
      onCancel={onCancel}
      onDone={onDone}
      onHeld={() => {
        isHeld.current = true;
      }}
    />
  );
}

function Ceremony({
  newKey,
  next,
  replaces,
  onCancel,
  onDone,
  onHeld,
}: {
  readonly newKey: NewPersonalKey;
  readonly next: MadeNext | undefined;
  readonly replaces: KeyToReplace | undefined;
  readonly onCancel: () => void;
  readonly onDone: () => void;
  readonly onHeld: () => void;
}) {
  const [stage, setStage] = useState<Stage>("words");
  const [kept, setKept] = useState<KeptPassphrase>();
  const [isOwn, setIsOwn] = useState(false);
  const [isPrinted, setIsPrinted] = useState(false);
  const keeping = useKeeping(newKey, kept, replaces, () => {
    onHeld();
    setStage("done");
  });
  const change = { isPending: keeping.isPending || keeping.isSent, error: keeping.error };
  const sending = { change, texts: texts.leaveUnsure };
  const guard = useLeaveGuard(() => stage !== "done", texts.leave, sending);
  return (
    <>
      {guard.question}
      <div className="print:hidden">
        <Steps
          current={stages.indexOf(stage === "done" ? "keep" : stage)}
          label={texts.stepLabel}
          names={texts.steps(isOwn)}
        />
      </div>
      <div className="card p-5 sm:p-7 print:border-0 print:p-0">
        {stage === "words" && (
          <PassphraseSteps
            isOwn={isOwn}
            kept={kept}
            onOwn={setIsOwn}
            onBack={() => guard.ask(onCancel)}
            onKept={(passphrase) => {
              setKept(passphrase);
              setStage("sheet");
            }}
            words={newKey.words}
          />
        )}
        {stage === "sheet" && (
          <SheetSteps
            isTaken={isPrinted}
            name={newKey.sheetName}
            onBack={() => setStage("words")}
            onTaken={() => setIsPrinted(true)}
            onProved={() => setStage("keep")}
            sheet={newKey.sheet}
          />
        )}
        {stage === "keep" && (
          <KeepStep keeping={keeping} onBack={guard.isMaybeDone ? undefined : () => setStage("sheet")} />
        )}
        {stage === "done" && (
          <Step intro={next === undefined ? texts.doneIntro : next.intro} title={texts.doneTitle}>
            <StepButtons>
              <Button look="primary" onClick={onDone}>
                {next === undefined ? texts.doneNext : next.button}
              </Button>
            </StepButtons>
          </Step>
        )}
      </div>
    </>
  );
}

interface Keeping {
  readonly isPending: boolean;
  readonly isSent: boolean;
  readonly error: Error | null;
  readonly keep: () => void;
}

/** Sends the key once, however often it is tried, and then reads its copies back. */
function useKeeping(
  newKey: NewPersonalKey,
  kept: KeptPassphrase | undefined,
  replaces: KeyToReplace | undefined,
  onKept: () => void,
): Keeping {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const [isSent, setIsSent] = useState(false);
  const sealed = useRef<{ readonly passphrase: string; readonly copies: readonly NewCopy[] }>(undefined);
  const former = useRef<Awaited<ReturnType<typeof sealFormer>>>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (kept === undefined) throw new Error("No passphrase was kept");
      const { passphrase } = kept;
      // The same bytes again where an answer got lost: the server knows them.
      if (sealed.current?.passphrase !== passphrase)
        sealed.current = { passphrase, copies: await sealFirstCopies(newKey, kept) };
      if (replaces !== undefined) former.current ??= await sealFormer(newKey, replaces, user.id);
      if (!isSent) await sendKey(newKey, sealed.current.copies, former.current);
      setIsSent(true);
      const stored = await checkStoredCopies(newKey, kept);
      await (await loadSeenKeys()).rememberPublicHalves(user.id, newKey.halves);
      await adoptFormerKeys(newKey.worker, stored.formerKeys, personalKeyApi.loadFile);
      // An open key that is not the one in use is locked, so the new one is in use first.
      if (replaces !== undefined) lockPersonalKey();
      queryClient.setQueryData(personalKeyQuery.queryKey, stored);
      await holdPersonalKey(newKey.worker, newKey.halves);
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onKept();
    },
  });
  return { isPending, isSent, error, keep: mutate };
}

function KeepStep({ keeping, onBack }: { readonly keeping: Keeping; readonly onBack: (() => void) | undefined }) {
  const { isPending, isSent, error, keep } = keeping;
  return (
    <Step intro={texts.keepIntro} title={texts.keepTitle}>
      {error instanceof CopyChanged ? (
        <Notice role="alert" tone="danger">
          {texts.changed}
        </Notice>
      ) : (
        error !== null && <ErrorNotice error={error} isRepeatable {...(isSent && { what: texts.sentUnchecked })} />
      )}
      <p className="text-muted empty:absolute" role="status">
        {isPending ? texts.keeping : ""}
      </p>
      <StepButtons {...(!isSent && onBack && { onBack })}>
        <Button look="primary" onClick={keep} pending={isPending}>
          {isSent && error !== null ? texts.checkAgain : texts.keep}
        </Button>
      </StepButtons>
    </Step>
  );
}
