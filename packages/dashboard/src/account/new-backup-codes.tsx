import { useMutation } from "@tanstack/react-query";
import { mayHaveArrived } from "../api/describe-error.ts";
import { sessionApi } from "../api/session-api.ts";
import { PasswordDialog } from "../session/password-dialog.tsx";
import { text } from "../texts/text.ts";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { BackupCodes } from "./backup-codes.tsx";

/** Backup codes instead of those before, which count until the new ones were seen: an answer may be lost. */
export function NewBackupCodes({
  onClose,
  onReplaced,
}: {
  readonly onClose: () => void;
  readonly onReplaced: () => void;
}) {
  const texts = text.secondFactor;
  const making = useMutation({
    mutationFn: sessionApi.proposeBackupCodes,
    meta: { isSignIn: true, changesNothing: true }, // a wrong password is no ended session
    gcTime: 0, // the codes must not outlive this dialog
  });
  if (making.data !== undefined) return <Keep {...making.data} key="codes" onClose={onClose} onReplaced={onReplaced} />;
  return (
    <PasswordDialog
      action={texts.newCodes}
      intro={texts.newCodesIntro}
      onClose={onClose}
      send={making.mutateAsync}
      title={texts.newCodes}
      wantsCode
    />
  );
}

function Keep({
  backupCodes,
  proposal,
  onClose,
  onReplaced,
}: {
  readonly backupCodes: readonly string[];
  readonly proposal: string;
  readonly onClose: () => void;
  readonly onReplaced: () => void;
}) {
  const texts = text.secondFactor;
  const keeping = useMutation({
    mutationFn: () => sessionApi.keepBackupCodes(proposal),
    onSuccess() {
      onReplaced();
      onClose();
    },
  });
  const { question, ask } = useLeaveGuard(() => true, texts.leaveNewCodes, {
    change: keeping,
    texts: texts.leaveNewCodes,
  });
  const isUnsure = keeping.isError && mayHaveArrived(keeping.error);
  return (
    <BackupCodes
      codes={backupCodes}
      hint={texts.newCodesHint}
      isPending={keeping.isPending}
      onClose={() => ask(onClose)}
      onKept={keeping.mutate}
    >
      {keeping.isError && <ErrorNotice error={keeping.error} what={isUnsure ? texts.newCodesUnsure : undefined} />}
      {question}
    </BackupCodes>
  );
}
