import { useState } from "react";
import { useForm } from "../form/form-frame.tsx";
import { AddKeyDialog } from "../keys/add-key-dialog.tsx";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SearchIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { ConfirmDeletion } from "./confirm-deletion.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { findMissing, type Inbox } from "./inbox.ts";
import { InboxAnnouncer } from "./inbox-announcer.tsx";
import { InboxToolbar } from "./inbox-toolbar.tsx";
import { MissingNotice, type MissingRows, toMissing } from "./missing-rows.tsx";
import { FailedRows, OpeningProgress } from "./opening-progress.tsx";
import { sortView } from "./row-view.ts";
import { SubmissionDetail } from "./submission-detail.tsx";
import { nameOf } from "./submission-row.tsx";
import { SubmissionTable } from "./submission-table.tsx";
import { MoveFailed, UndoBar } from "./undo-bar.tsx";
import type { BinMoves } from "./use-bin-moves.ts";
import { everything } from "./use-inbox-choices.ts";
import { type InboxProps, useInboxView } from "./use-inbox-view.ts";
import { useIsSealedForm } from "./use-is-sealed-form.ts";

type InboxViewState = ReturnType<typeof useInboxView>;

export function InboxView(props: InboxProps) {
  const { formId, inbox, moves, state } = props;
  const shown = useInboxView(props);
  const { selectedRows, shownId, shownRow, isWide, close } = shown;
  const [isExporting, setIsExporting] = useState(false);
  const [isAddingKey, setIsAddingKey] = useState(false);
  const missing = toMissing(inbox, state);
  // A notice of its own, but while the bar below says how far loading is.
  const isPartial = missing !== undefined && state.phase !== "loading";
  const areAllSelected = selectedRows.length > 0 && selectedRows.length === shown.shown.length;
  return (
    <div className="grid grid-cols-1 gap-1.5 sm:gap-3">
      <InboxAnnouncer shownName={isWide ? describeShown(shown) : undefined} state={state} view={shown.view} />
      <FailedRows
        onAddKey={() => setIsAddingKey(true)}
        onShowFailed={() => shown.setView({ ...everything, status: "failed" })}
        state={state}
      />
      {state.phase === "failed" && <ErrorNotice error={state.error} onRetry={() => inbox.refresh()} />}
      {isPartial && <MissingNotice missing={missing} />}
      <MoveFailed moves={moves} />
      {shownId !== undefined && state.phase === "done" && !state.rows.some(({ id }) => id === shownId) && (
        <NotThere onClose={close} />
      )}
      <InboxToolbar
        chosenColumns={shown.shownColumns}
        columns={shown.columns}
        formId={formId}
        freshCount={shown.mark.fresh.size}
        inbox={inbox}
        missingCount={areAllSelected ? findMissing(state) : 0}
        onClearSelection={() => shown.setSelected(new Set())}
        onColumns={shown.setChosenColumns}
        onDelete={() => shown.ask(selectedRows.map(({ id }) => id))}
        onExport={() => setIsExporting(true)}
        onSeeAll={shown.mark.seeAll}
        onView={shown.setView}
        selectedCount={selectedRows.length}
        shownCount={shown.shown.length}
        total={Math.max(state.total - moves.hidden.size, shown.rows.length)}
        view={shown.view}
      />
      <div>
        <ListAndDetail inbox={inbox} moves={moves} shown={shown} />
        <OpeningProgress inbox={inbox} isRaised={selectedRows.length > 0} state={state} />
      </div>
      {isAddingKey && <AddKeyDialog formId={formId} onClose={() => setIsAddingKey(false)} />}
      {isExporting && <ExportShown missing={missing} onClose={() => setIsExporting(false)} shown={shown} />}
      <AskDeletion missingCount={findMissing(state)} shown={shown} />
      {(shownRow === undefined || isWide) && <UndoBar isRaised={selectedRows.length > 0} moves={moves} />}
    </div>
  );
}

function describeShown({ shown, shownRow }: InboxViewState): string | undefined {
  if (shownRow === undefined) return undefined;
  return text.submissions.shown(nameOf(shownRow, shown.indexOf(shownRow)), formatDateTime(shownRow.receivedAt));
}

/** The submission that the address names is in the bin by now, or was never here. */
function NotThere({ onClose }: { readonly onClose: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={onClose} small>
          {text.common.close}
        </Button>
      }
      role="status"
    >
      {text.submissions.gone}
    </Notice>
  );
}

function ListAndDetail({
  shown: { shownRow, isWide, close, asked, ask, previous, next, show, ...shown },
  inbox,
  moves,
}: {
  readonly shown: InboxViewState;
  readonly inbox: Inbox;
  readonly moves: BinMoves;
}) {
  const isSealedForm = useIsSealedForm();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a shortcut for the button that closes
    <div
      className={shownRow !== undefined && isWide ? "grid grid-cols-[minmax(0,1fr)_26rem] items-start gap-4" : "grid"}
      onKeyDown={({ key, target }) => {
        const isInDialog = target instanceof Element && target.closest("dialog") !== null;
        if (key === "Escape" && shownRow !== undefined && !isInDialog) close();
      }}
    >
      {shown.rows.length > 0 && shown.shown.length === 0 ? (
        <NoneFound {...shown} />
      ) : (
        <SubmissionTable
          columns={shown.shownColumns}
          freshIds={shown.mark.fresh}
          isSealedForm={isSealedForm}
          onOpen={show}
          onSelect={shown.setSelected}
          onSort={(column) => shown.setView(sortView(shown.view, column))}
          onWant={inbox.want}
          rows={shown.shown}
          selected={shown.selected}
          shownId={shownRow?.id}
          view={shown.view}
        />
      )}
      {shownRow !== undefined && (
        <SubmissionDetail
          isModal={!isWide}
          notice={!isWide && asked === undefined && <UndoBar isInDialog moves={moves} />}
          onClose={close}
          onDelete={() => ask([shownRow.id])}
          onNext={next && (() => show(next.id))}
          onPrevious={previous && (() => show(previous.id))}
          row={shownRow}
        />
      )}
    </div>
  );
}

function NoneFound({ view, setView }: Pick<InboxViewState, "view" | "setView">) {
  const texts = text.submissions;
  return (
    <div className="card">
      <Empty
        action={<Button onClick={() => setView(everything)}>{texts.clearFilters}</Button>}
        icon={<SearchIcon className="size-6" />}
        title={texts.noneFound}
      >
        {view.status === "failed" && view.search.trim() === "" ? texts.noneFailedHint : texts.noneFoundHint}
      </Empty>
    </div>
  );
}

/** Exports a selection, or everything that is shown. */
function ExportShown({
  shown: { selectedRows, shown },
  missing,
  onClose,
}: {
  readonly missing: MissingRows | undefined;
  readonly shown: InboxViewState;
  readonly onClose: () => void;
}) {
  const { name } = useForm();
  const isSelection = selectedRows.length > 0;
  return (
    <ExportDialog
      formName={name}
      isSelection={isSelection}
      missing={isSelection && selectedRows.length < shown.length ? undefined : missing}
      onClose={onClose}
      rows={isSelection ? selectedRows : shown}
    />
  );
}

function AskDeletion({
  shown: { asked, remove, cancel, shown },
  missingCount,
}: {
  readonly shown: InboxViewState;
  readonly missingCount: number;
}) {
  const { binDays } = useForm().settings;
  if (asked === undefined) return null;
  return (
    <ConfirmDeletion
      binDays={binDays}
      count={asked.length}
      isForGood={binDays === 0}
      keptCount={asked.length === shown.length ? missingCount : 0}
      onClose={cancel}
      onConfirm={() => remove(asked)}
    />
  );
}
