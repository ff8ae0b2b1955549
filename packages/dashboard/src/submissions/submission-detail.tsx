import { type ReactNode, useState } from "react";
import { useForm } from "../form/form-frame.tsx";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import { DetailPane, type DetailPaneProps } from "./detail-pane.tsx";
import { SubmissionContent } from "./submission-content.tsx";
import { SubmissionDeliveries } from "./submission-deliveries.tsx";
import { useIsSealedForm } from "./use-is-sealed-form.ts";
import { useMayDelete } from "./use-may-delete.ts";

interface DetailProps extends Omit<DetailPaneProps, "formName" | "isSealedForm"> {
  /** The list's message about the last action, where this covers the list. */
  readonly notice?: ReactNode;
  readonly onDelete: () => void;
}

/** One submission of the service in full. */
export function SubmissionDetail({ onDelete, ...pane }: DetailProps) {
  const form = useForm();
  const isSealedForm = useIsSealedForm();
  const actions = useMayDelete() && (
    <Button icon={<TrashIcon />} onClick={onDelete} small>
      {text.submissions.delete(1)}
    </Button>
  );
  return (
    <DetailPane {...pane} actions={actions} formName={form.name} isSealedForm={isSealedForm}>
      <Content formId={form.id} isSealedForm={isSealedForm} key={pane.row.id} row={pane.row} />
    </DetailPane>
  );
}

function Content({
  row,
  formId,
  isSealedForm,
}: Pick<DetailPaneProps, "row" | "isSealedForm"> & { readonly formId: string }) {
  const may = useMay();
  const [isAddingKey, setIsAddingKey] = useState(false);
  return (
    <div className="grid gap-5">
      {isAddingKey && <AddKeyDialog formId={formId} onClose={() => setIsAddingKey(false)} />}
      <SubmissionContent isSealedForm={isSealedForm} onAddKey={() => setIsAddingKey(true)} row={row} />
      {may("listDeliveries") && <SubmissionDeliveries submissionId={row.id} />}
    </div>
  );
}
