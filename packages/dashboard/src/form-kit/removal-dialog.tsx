import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNotice } from "../ui/notice.tsx";
import { ActionDialog } from "./action-dialog.tsx";

/** Asks before something is taken away, with what that means as its content, and says why it could not be. */
export function RemovalDialog({
  title,
  action,
  removing,
  onClose,
  children,
}: {
  readonly title: string;
  /** The label of the button that does it. */
  readonly action: string;
  readonly removing: UseMutationResult<unknown, Error, void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <ActionDialog
      action={action}
      isPending={removing.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => removing.mutate()}
      title={title}
    >
      {removing.isError && <ErrorNotice error={removing.error} />}
      {children}
    </ActionDialog>
  );
}
