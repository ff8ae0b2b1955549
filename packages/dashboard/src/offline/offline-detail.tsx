import { DetailPane, type DetailPaneProps } from "../submissions/detail-pane.tsx";
import { SubmissionContent } from "../submissions/submission-content.tsx";

/** One submission of a file in full. There is no server to delete it from, and no deliveries. */
export function OfflineDetail({
  onAddKey,
  ...pane
}: Omit<DetailPaneProps, "isSealedForm"> & { readonly onAddKey: () => void }) {
  return (
    <DetailPane {...pane} isSealedForm>
      <div className="grid gap-5">
        <SubmissionContent isSealedForm key={pane.row.id} onAddKey={onAddKey} row={pane.row} />
      </div>
    </DetailPane>
  );
}
