import { useDeferredValue, useMemo, useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SearchIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { useMedia } from "../ui/use-media.ts";
import { ExportDialog } from "./export-dialog.tsx";
import type { Inbox, InboxState } from "./inbox.ts";
import { InboxToolbar } from "./inbox-toolbar.tsx";
import { OpeningProgress } from "./opening-progress.tsx";
import { applyView, columnsOf, type View } from "./row-view.ts";
import { useSeenMark } from "./seen-mark.ts";
import { SubmissionDetail } from "./submission-detail.tsx";
import { SubmissionTable } from "./submission-table.tsx";
import { UndoBar, useDeletion } from "./use-deletion.tsx";

const everything: View = { search: "", status: "all", sortBy: "", isAscending: false };
const columnsMax = 60;
const columnsShownAtFirst = 5;
/** The columns that are shown at first are those of the latest submissions: a form changes. */
const latestCount = 100;

export function InboxView({
  formId,
  inbox,
  state,
}: {
  readonly formId: string;
  readonly inbox: Inbox;
  readonly state: InboxState;
}) {
  const [view, setView] = useState(everything);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [shownId, setShownId] = useState<string>();
  const [chosenColumns, setChosenColumns] = useState<readonly string[]>();
  const [isExporting, setIsExporting] = useState(false);
  const deletion = useDeletion(formId, inbox);
  const mark = useSeenMark(formId, state.rows);
  const isWide = useMedia("(min-width: 64rem)");

  const { rows: allRows } = state;
  const rows = useMemo(
    () => (deletion.hidden.size === 0 ? allRows : allRows.filter(({ id }) => !deletion.hidden.has(id))),
    [allRows, deletion.hidden],
  );
  // Typing stays fluent: a long list follows a moment later.
  const settledView = useDeferredValue(view);
  const shown = useMemo(() => applyView(rows, settledView), [rows, settledView]);
  const columns = useMemo(() => columnsOf(rows, columnsMax), [rows]);
  const commonColumns = useMemo(() => columnsOf(rows.slice(0, latestCount), columnsShownAtFirst), [rows]);
  const shownColumns = chosenColumns ?? commonColumns;
  const shownIndex = shown.findIndex(({ id }) => id === shownId);
  const shownRow = shown[shownIndex];
  const selectedRows = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected]);

  function open(id: string | undefined): void {
    if (id !== undefined) mark.see(id);
    setShownId(id);
  }

  function remove(ids: readonly string[]): void {
    deletion.remove(ids);
    setSelected(new Set());
    if (shownId !== undefined && ids.includes(shownId)) open(shown[shownIndex + 1]?.id ?? shown[shownIndex - 1]?.id);
  }

  return (
    <div className="grid gap-3">
      <OpeningProgress inbox={inbox} onShowFailed={() => setView({ ...everything, status: "failed" })} state={state} />
      {state.phase === "failed" && <ErrorNotice error={state.error} onRetry={() => inbox.refresh()} />}
      {deletion.error !== undefined && <ErrorNotice error={deletion.error} what={text.submissions.deleteFailed} />}
      <InboxToolbar
        chosenColumns={shownColumns}
        columns={columns}
        formId={formId}
        freshCount={mark.fresh.size}
        inbox={inbox}
        onClearSelection={() => setSelected(new Set())}
        onColumns={setChosenColumns}
        onDelete={() => remove(selectedRows.map(({ id }) => id))}
        onExport={() => setIsExporting(true)}
        onSeeAll={mark.seeAll}
        onView={setView}
        selectedCount={selectedRows.length}
        shownCount={shown.length}
        total={Math.max(state.total - deletion.hidden.size, rows.length)}
        view={view}
      />
      <div
        className={shownRow !== undefined && isWide ? "grid grid-cols-[minmax(0,1fr)_26rem] items-start gap-4" : "grid"}
      >
        {shown.length === 0 ? (
          <div className="card">
            <Empty
              action={<Button onClick={() => setView(everything)}>{text.submissions.clearFilters}</Button>}
              icon={<SearchIcon className="size-6" />}
              title={text.submissions.noneFound}
            >
              {text.submissions.noneFoundHint}
            </Empty>
          </div>
        ) : (
          <SubmissionTable
            columns={shownColumns}
            freshIds={mark.fresh}
            onOpen={open}
            onSelect={setSelected}
            onSort={(sortBy) =>
              setView({ ...view, sortBy, isAscending: view.sortBy === sortBy ? !view.isAscending : sortBy !== "" })
            }
            onWant={inbox.want}
            rows={shown}
            selected={selected}
            shownId={shownRow?.id}
            view={view}
          />
        )}
        {shownRow !== undefined && (
          <SubmissionDetail
            isModal={!isWide}
            onClose={() => {
              // Back to the row from which it was opened.
              document.querySelector<HTMLElement>("[role=row] button[aria-current]")?.focus();
              setShownId(undefined);
            }}
            onDelete={() => remove([shownRow.id])}
            onNext={shown[shownIndex + 1] && (() => open(shown[shownIndex + 1]?.id))}
            onPrevious={shown[shownIndex - 1] && (() => open(shown[shownIndex - 1]?.id))}
            row={shownRow}
          />
        )}
      </div>
      {isExporting && (
        <ExportDialog
          isSelection={selectedRows.length > 0}
          onClose={() => setIsExporting(false)}
          rows={selectedRows.length > 0 ? selectedRows : shown}
        />
      )}
      <UndoBar deletion={deletion} />
    </div>
  );
}
