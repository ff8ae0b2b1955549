import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useForm } from "../form/form-frame.tsx";
import { useSeenMark } from "../form/seen-mark.ts";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SearchIcon } from "../ui/icons.tsx";
import { isFocusFree } from "../ui/keep-focus.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { useMedia } from "../ui/use-media.ts";
import { ConfirmDeletion } from "./confirm-deletion.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import type { Inbox, InboxState } from "./inbox.ts";
import { InboxToolbar } from "./inbox-toolbar.tsx";
import { OpeningProgress } from "./opening-progress.tsx";
import { applyView, columnsOf, sortView, type View } from "./row-view.ts";
import { SubmissionDetail } from "./submission-detail.tsx";
import { SubmissionTable } from "./submission-table.tsx";
import { MoveFailed, UndoBar } from "./undo-bar.tsx";
import type { BinMoves } from "./use-bin-moves.ts";
import { useIsSealedForm } from "./use-is-sealed-form.ts";
import { useShownSubmission } from "./use-shown-submission.ts";

const everything: View = { search: "", status: "all", sortBy: "", isAscending: false };
const columnsMax = 60;
const columnsShownAtFirst = 5;
/** The columns that are shown at first are those of the latest submissions: a form changes. */
const latestCount = 100;

export function InboxView({
  formId,
  inbox,
  moves,
  state,
}: {
  readonly formId: string;
  readonly moves: BinMoves;
  readonly inbox: Inbox;
  readonly state: InboxState;
}) {
  const [view, setView] = useState(everything);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { shownId, show, close } = useShownSubmission();
  const [chosenColumns, setChosenColumns] = useState<readonly string[]>();
  const [isExporting, setIsExporting] = useState(false);
  const [isAddingKey, setIsAddingKey] = useState(false);
  const [asked, setAsked] = useState<readonly string[]>();
  const form = useForm();
  const { binDays } = form.settings;
  const isSealedForm = useIsSealedForm();
  const mark = useSeenMark(formId, state.rows);
  const isWide = useMedia("(min-width: 64rem)");

  const { rows: allRows } = state;
  const rows = useMemo(
    () => (moves.hidden.size === 0 ? allRows : allRows.filter(({ id }) => !moves.hidden.has(id))),
    [allRows, moves.hidden],
  );
  // Typing stays fluent: a long list follows a moment later.
  const settledView = useDeferredValue(view);
  const shown = useMemo(() => applyView(rows, settledView), [rows, settledView]);
  const columns = useMemo(() => columnsOf(rows, columnsMax), [rows]);
  const commonColumns = useMemo(() => columnsOf(rows.slice(0, latestCount), columnsShownAtFirst), [rows]);
  const shownColumns = chosenColumns ?? commonColumns;
  const shownIndex = shown.findIndex(({ id }) => id === shownId);
  const shownRow = shown[shownIndex];
  const [previous, next] = shownRow === undefined ? [] : [shown[shownIndex - 1], shown[shownIndex + 1]];
  const selectedRows = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected]);

  const { see } = mark;
  useEffect(() => {
    if (shownId !== undefined) see(shownId);
  }, [shownId, see]);
  useFocusAfter(shownId, (next ?? previous)?.id);
  useFocusAfterMove(moves.last);

  /** Several are asked for, and one that no bin would keep. */
  function ask(ids: readonly string[]): void {
    if (ids.length > 1 || binDays === 0) setAsked(ids);
    else remove(ids);
  }

  function remove(ids: readonly string[]): void {
    setAsked(undefined);
    const before = selected;
    moves.move(inbox, ids, () => setSelected(before));
    setSelected(new Set());
    if (shownId === undefined || !ids.includes(shownId)) return;
    const following = next ?? previous;
    // Over the list, the next one would come with its Delete under the finger that has just pressed it.
    if (following === undefined || !isWide) close();
    else show(following.id);
  }

  return (
    <div className="grid grid-cols-1 gap-1.5 sm:gap-3">
      <OpeningProgress
        inbox={inbox}
        onAddKey={() => setIsAddingKey(true)}
        onShowFailed={() => setView({ ...everything, status: "failed" })}
        state={state}
      />
      {state.phase === "failed" && <ErrorNotice error={state.error} onRetry={() => inbox.refresh()} />}
      <MoveFailed moves={moves} />
      {shownId !== undefined && state.phase === "done" && !allRows.some(({ id }) => id === shownId) && (
        <Notice
          action={
            <Button onClick={close} small>
              {text.common.close}
            </Button>
          }
          role="status"
        >
          {text.submissions.gone}
        </Notice>
      )}
      <InboxToolbar
        chosenColumns={shownColumns}
        columns={columns}
        formId={formId}
        freshCount={mark.fresh.size}
        inbox={inbox}
        onClearSelection={() => setSelected(new Set())}
        onColumns={setChosenColumns}
        onDelete={() => ask(selectedRows.map(({ id }) => id))}
        onExport={() => setIsExporting(true)}
        onSeeAll={mark.seeAll}
        onView={setView}
        selectedCount={selectedRows.length}
        shownCount={shown.length}
        total={Math.max(state.total - moves.hidden.size, rows.length)}
        view={view}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape is a shortcut for the button that closes */}
      <div
        onKeyDown={({ key, target }) => {
          const isInDialog = target instanceof Element && target.closest("dialog") !== null;
          if (key === "Escape" && shownRow !== undefined && !isInDialog) close();
        }}
        className={shownRow !== undefined && isWide ? "grid grid-cols-[minmax(0,1fr)_26rem] items-start gap-4" : "grid"}
      >
        {rows.length > 0 && shown.length === 0 ? (
          <div className="card">
            <Empty
              action={<Button onClick={() => setView(everything)}>{text.submissions.clearFilters}</Button>}
              icon={<SearchIcon className="size-6" />}
              title={text.submissions.noneFound}
            >
              {view.status === "failed" && view.search.trim() === ""
                ? text.submissions.noneFailedHint
                : text.submissions.noneFoundHint}
            </Empty>
          </div>
        ) : (
          <SubmissionTable
            columns={shownColumns}
            freshIds={mark.fresh}
            isSealedForm={isSealedForm}
            onOpen={show}
            onSelect={setSelected}
            onSort={(column) => setView(sortView(view, column))}
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
            onClose={close}
            notice={!isWide && asked === undefined && <UndoBar isInDialog moves={moves} />}
            onDelete={() => ask([shownRow.id])}
            onNext={next && (() => show(next.id))}
            onPrevious={previous && (() => show(previous.id))}
            row={shownRow}
          />
        )}
      </div>
      {isAddingKey && <AddKeyDialog formId={formId} onClose={() => setIsAddingKey(false)} />}
      {isExporting && (
        <ExportDialog
          formName={form.name}
          isSelection={selectedRows.length > 0}
          onClose={() => setIsExporting(false)}
          rows={selectedRows.length > 0 ? selectedRows : shown}
        />
      )}
      {asked !== undefined && (
        <ConfirmDeletion
          binDays={binDays}
          count={asked.length}
          isForGood={binDays === 0}
          onClose={() => setAsked(undefined)}
          onConfirm={() => remove(asked)}
        />
      )}
      {(shownRow === undefined || isWide) && <UndoBar isRaised={selectedRows.length > 0} moves={moves} />}
    </div>
  );
}

/** After a submission is closed, by whatever means, the focus continues at its row, or at `otherId` if that is gone. */
function useFocusAfter(shownId: string | undefined, otherId: string | undefined): void {
  const last = useRef<readonly (string | undefined)[]>([]);
  useEffect(() => {
    if (shownId !== undefined) {
      // One that is being deleted has left the list already, and its neighbours are not known any more.
      last.current = [shownId, otherId ?? (last.current[0] === shownId ? last.current[1] : undefined)];
      return;
    }
    const buttons = last.current.map((id) => document.querySelector<HTMLElement>(`[data-submission="${id}"] button`));
    if (isFocusFree()) buttons.find((button) => button !== null)?.focus();
    last.current = [];
  }, [shownId, otherId]);
}

/**
 * The button that deleted several is gone with the selection, and Undo with its message: then the focus continues at what
 * was put back, or at the first row.
 */
function useFocusAfterMove(last: BinMoves["last"]): void {
  const before = useRef(last);
  useEffect(() => {
    if (before.current === last) return;
    const restoredId = last === undefined ? before.current?.ids[0] : undefined;
    before.current = last;
    if (!isFocusFree()) return;
    const row =
      document.querySelector<HTMLElement>(`[data-submission="${restoredId}"] button`) ??
      document.querySelector<HTMLElement>("[data-submission] button");
    row?.focus({ preventScroll: true });
  }, [last]);
}
