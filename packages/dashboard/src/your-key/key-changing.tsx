import { generateSheet, type RecoverySheet } from "@sealpost/envelope";
import { generatePassphrase } from "@sealpost/vault";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { orGone } from "../api/attempt.ts";
import { addCopy, addPassphrase, type TriedCopy } from "../key-copies/add-copy.ts";
import { CopyChanged } from "../key-copies/new-key.ts";
import { type KeptPassphrase, PassphraseSteps } from "../key-copies/passphrase-steps.tsx";
import { SheetSteps } from "../key-copies/sheet-steps.tsx";
import { loadWords } from "../personal-key/load-words.ts";
import { type KeyCopy, personalKeyApi } from "../personal-key/personal-key-api.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { useMade } from "../ui/use-made.ts";
import { AddPasskey } from "./add-passkey.tsx";

const { personalKey } = text;

const texts = personalKey.ways;

/** A change of the ways to unlock, which needs the open key. */
export type KeyChange =
  | { readonly what: "passphrase"; readonly replaces?: KeyCopy }
  | { readonly what: "passkey" }
  | { readonly what: "sheet" };

/** Makes the change, in the place of the page's sections. `onEnd` gets what to say, or nothing where it was given up. */
export function KeyChanging({
  change,
  onEnd,
}: {
  readonly change: KeyChange;
  readonly onEnd: (said?: string) => void;
}) {
  switch (change.what) {
    case "passphrase":
      return <NewPassphrase onEnd={onEnd} replaces={change.replaces} />;
    case "passkey":
      return <AddPasskey onEnd={onEnd} />;
    case "sheet":
      return <NewSheet onEnd={onEnd} />;
    default:
      return change satisfies never;
  }
}

/** Adds a way to unlock with `add`, and then says so. */
function useAdding(add: () => Promise<KeyCopy>, say: (copy: KeyCopy) => string, onEnd: (said: string) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: add,
    onError: () => queryClient.invalidateQueries(personalKeyQuery),
    onSuccess: async (copy) => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onEnd(say(copy));
    },
  });
}

function NewPassphrase({
  replaces,
  onEnd,
}: {
  readonly replaces: KeyCopy | undefined;
  readonly onEnd: (said?: string) => void;
}) {
  const made = useMade(async () => generatePassphrase(await loadWords()));
  const [kept, setKept] = useState<KeptPassphrase>();
  const [isOwn, setIsOwn] = useState(false);
  const [isBack, setIsBack] = useState(false);
  const tried = useRef<{ readonly passphrase: string; readonly copy: TriedCopy }>(undefined);
  const adding = useAdding(
    async () => {
      if (kept === undefined) throw new Error("No passphrase was kept");
      const { passphrase } = kept;
      if (tried.current?.passphrase !== passphrase) tried.current = { passphrase, copy: {} };
      const added = await addPassphrase(kept, tried.current.copy);
      if (replaces !== undefined)
        await orGone(() => withFreshSession(() => personalKeyApi.remove(replaces.id)), "key_copy_not_found");
      return added;
    },
    (copy) => (replaces ? texts.changed : texts.added(copy.name)),
    onEnd,
  );
  const sending = { change: adding, texts: texts.leaveUnsure };
  const guard = useLeaveGuard(() => made.thing !== undefined && !adding.isSuccess, texts.leave, sending);
  const leave = () => guard.ask(() => onEnd());
  return (
    <div className="card p-5 sm:p-7">
      {guard.question}
      {made.error !== undefined && <ErrorNotice error={made.error} onRetry={made.retry} />}
      {made.thing !== undefined &&
        (kept !== undefined && !isBack ? (
          <Confirm
            adding={adding}
            intro={replaces ? texts.changeIntro : texts.keepIntro}
            onBack={guard.isMaybeDone ? undefined : () => setIsBack(true)}
            title={replaces ? texts.changeTitle : texts.addPassphraseTitle}
          />
        ) : (
          <PassphraseSteps
            isOwn={isOwn}
            kept={kept}
            onBack={leave}
            onOwn={setIsOwn}
            onKept={(passphrase) => {
              setKept(passphrase);
              setIsBack(false);
            }}
            words={made.thing}
          />
        ))}
    </div>
  );
}

function NewSheet({ onEnd }: { readonly onEnd: (said?: string) => void }) {
  const made = useMade(() => generateSheet("personal"));
  const [name] = useState(() => texts.sheetName(formatDateTime(Date.now())));
  const [isPrinted, setIsPrinted] = useState(false);
  const [proved, setProved] = useState<RecoverySheet>();
  const tried = useRef<TriedCopy>({}); // one sheet, one way
  const adding = useAdding(
    () => {
      if (proved === undefined) throw new Error("The sheet was not proved");
      const { identity, recipient } = proved;
      return addCopy({ way: "sheet", name, to: { recipient }, secret: { identity } }, tried.current);
    },
    (copy) => texts.added(copy.name),
    onEnd,
  );
  const sending = { change: adding, texts: texts.leaveUnsure };
  const guard = useLeaveGuard(() => made.thing !== undefined && !adding.isSuccess, texts.leave, sending);
  return (
    <div className="card p-5 sm:p-7 print:border-0 print:p-0">
      {guard.question}
      {made.thing !== undefined &&
        (proved ? (
          <Confirm
            adding={adding}
            intro={texts.keepIntro}
            onBack={guard.isMaybeDone ? undefined : () => setProved(undefined)}
            title={texts.addSheetTitle}
          />
        ) : (
          <SheetSteps
            isTaken={isPrinted}
            name={name}
            onBack={() => guard.ask(() => onEnd())}
            onTaken={() => setIsPrinted(true)}
            onProved={() => setProved(made.thing)}
            sheet={made.thing}
          />
        ))}
    </div>
  );
}

/** The last step: only here anything is sent. */
function Confirm({
  adding,
  title,
  intro,
  onBack,
}: {
  readonly adding: { readonly isPending: boolean; readonly error: Error | null; mutate(): void };
  readonly title: string;
  readonly intro: string;
  /** Until it may have been done. */
  readonly onBack: (() => void) | undefined;
}) {
  const { isPending, error } = adding;
  return (
    <Step intro={intro} title={title}>
      {error instanceof CopyChanged ? (
        <Notice role="alert" tone="danger">
          {personalKey.wizard.changed}
        </Notice>
      ) : (
        error !== null && <ErrorNotice error={error} isRepeatable />
      )}
      <p className="text-muted empty:absolute" role="status">
        {isPending ? personalKey.wizard.keeping : ""}
      </p>
      <StepButtons {...(onBack && { onBack })}>
        <Button look="primary" onClick={() => adding.mutate()} pending={isPending}>
          {text.common.save}
        </Button>
      </StepButtons>
    </Step>
  );
}
