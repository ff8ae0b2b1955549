import { DetailPane, type DetailPaneProps } from "../submissions/detail-pane.tsx";
import { SubmissionContent } from "../submissions/submission-content.tsx";
import { AttachedFiles } from "./attached-files.tsx";

/** One submission of a file in full. There is no server to delete it from, and no deliveries. */
export function OfflineDetail({
  formId,
  onAddKey,
  ...pane
}: Omit<DetailPaneProps, "isSealedForm"> & { readonly formId: string; readonly onAddKey: () => void }) {
  const { id, opened } = pane.row;
  return (
    <DetailPane {...pane} isSealedForm>
      <div className="grid gap-5">
        <SubmissionContent isSealedForm key={id} onAddKey={onAddKey} row={pane.row} />
        {opened?.opened && <AttachedFiles formId={formId} opened={opened} submissionId={id} />}
      </div>
    </DetailPane>
  );
}
