import type { OpeningKey } from "@sealpost/sdk";
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ExportDialog } from "../submissions/export-dialog.tsx";
import { createInbox, type Inbox, type InboxState } from "../submissions/inbox.ts";
import { MissingNotice, toMissing } from "../submissions/missing-rows.tsx";
import { FailedRows, OpeningProgress } from "../submissions/opening-progress.tsx";
import { applyView, columnsOf, sortView, type View } from "../submissions/row-view.ts";
import { SubmissionTable } from "../submissions/submission-table.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { DownloadIcon, SearchIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { useMedia } from "../ui/use-media.ts";
import { FileFindings } from "./file-findings.tsx";
import { OfflineDetail } from "./offline-detail.tsx";
import { createFileSource, type SealedFiles } from "./sealed-files.ts";
import { useHash } from "./use-hash.ts";

const { offline } = text;

const everything: View = { search: "", status: "all", sortBy: "", isAscending: false };
const columnsShown = 6;
const statuses = ["all", "opened", "failed"] as const;
/** Without a service nobody says which key a version has: each key is tried for what its file says it belongs to. */
const noFingerprints: ReadonlyMap<number, string> = new Map();

export interface OfflineInboxProps {
  readonly sealed: SealedFiles;
  readonly formId: string;
  readonly keys: readonly OpeningKey[];
  /** The form's name, or its id. */
  readonly nameOf: (formId: string) => string;
  readonly onForm: (formId: string) => void;
  readonly onAddKey: () => void;
}

/** The submissions of one form in the files, opened as they are read. Another form or another key makes another one. */
export function OfflineInbox(props: OfflineInboxProps) {
  const { sealed, formId, keys } = props;
  const [inbox, setInbox] = useState<Inbox>();
  useEffect(() => {
    const made = createInbox({ client: createFileSource(sealed), formId, keys, fingerprints: noFingerprints });
    setInbox(made);
    return () => made.close();
  }, [sealed, formId, keys]);
  return inbox && <OpenInbox {...props} inbox={inbox} />;
}

/** State of the list: the rows that are shown, selected and open. */
function useOfflineView({ rows }: InboxState) {
  const [view, setView] = useState(everything);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { hash: shownId, setHash: show, clear: close } = useHash();
  const settledView = useDeferredValue(view);
  const shown = useMemo(() => applyView(rows, settledView), [rows, settledView]);
  const columns = useMemo(() => columnsOf(rows, columnsShown), [rows]);
  const selectedRows = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected]);
  const index = shown.findIndex(({ id }) => id === shownId);
  const shownRow = shown[index];
  const [previous, next] = shownRow === undefined ? [] : [shown[index - 1], shown[index + 1]];
  return {
    ...{ rows, view, setView, shown, columns },
    ...{ selected, setSelected, selectedRows },
    ...{ shownRow, previous, next, show, close },
  };
}

type OfflineView = ReturnType<typeof useOfflineView>;
type OpenProps = OfflineInboxProps & { readonly inbox: Inbox };
type PartProps = OpenProps & { readonly shown: OfflineView };

function OpenInbox(props: OpenProps) {
  const { sealed, formId, nameOf, onForm, onAddKey, inbox } = props;
  const state: InboxState = useSyncExternalStore(inbox.subscribe, inbox.state);
  const shown = useOfflineView(state);
  const [isExporting, setIsExporting] = useState(false);
  const missing = toMissing(inbox, state);
  return (
    <div className="grid gap-3">
      <FileFindings onlyWarnings sealed={sealed} />
      <FailedRows
        onAddKey={onAddKey}
        onShowFailed={() => shown.setView({ ...everything, status: "failed" })}
        state={state}
      />
      {state.phase === "failed" && <Unreadable onRetry={() => inbox.refresh()} />}
      {missing && state.phase !== "loading" && <MissingNotice missing={missing} />}
      {sealed.counts.size > 1 && (
        <Select
          aria-label={offline.form}
          onChange={onForm}
          options={[...sealed.counts].map(([id, count]) => [id, offline.formOption(nameOf(id), count)] as const)}
          value={formId}
        />
      )}
      <Filters onExport={() => setIsExporting(true)} shown={shown} />
      <Counts onAddKey={onAddKey} shown={shown} total={state.total} />
      <div>
        <ListAndDetail {...props} shown={shown} />
        <OpeningProgress inbox={inbox} state={state} />
      </div>
      {isExporting && (
        <ExportDialog
          formName={nameOf(formId)}
          hasZip
          isSelection={shown.selectedRows.length > 0}
          missing={
            shown.selectedRows.length < shown.shown.length && shown.selectedRows.length > 0 ? undefined : missing
          }
          onClose={() => setIsExporting(false)}
          rows={shown.selectedRows.length > 0 ? shown.selectedRows : shown.shown}
        />
      )}
    </div>
  );
}

function Unreadable({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={onRetry} small>
          {text.common.retry}
        </Button>
      }
      role="alert"
      title={offline.unreadableFile}
      tone="danger"
    />
  );
}

function Filters({
  shown: { view, setView },
  onExport,
}: {
  readonly shown: OfflineView;
  readonly onExport: () => void;
}) {
  const texts = text.submissions;
  return (
    <div className="flex items-center gap-2">
      <div className="relative min-w-0 grow basis-0 sm:basis-56">
        <SearchIcon className="absolute top-3 left-3 size-4 text-muted" />
        <input
          aria-label={texts.search}
          className="control pl-9"
          onChange={({ target }) => setView({ ...view, search: target.value })}
          placeholder={texts.search}
          type="search"
          value={view.search}
        />
      </div>
      <Select
        aria-label={texts.status}
        className="w-auto"
        onChange={(status) => setView({ ...view, status })}
        options={statuses.map((status) => [status, texts.statuses[status]] as const)}
        value={view.status}
      />
      <Button icon={<DownloadIcon />} onClick={onExport}>
        <span className="max-sm:sr-only">{texts.export}</span>
      </Button>
    </div>
  );
}

function Counts({
  shown: { rows, shown, selectedRows, setSelected },
  total,
  onAddKey,
}: {
  readonly shown: OfflineView;
  readonly total: number;
  readonly onAddKey: () => void;
}) {
  const texts = text.submissions;
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 text-muted">
      <p role="status">
        {selectedRows.length > 0
          ? texts.selected(selectedRows.length)
          : texts.count(shown.length, Math.max(total, rows.length))}
      </p>
      {selectedRows.length > 0 && (
        <Button look="quiet" onClick={() => setSelected(new Set())} small>
          {texts.clearSelection}
        </Button>
      )}
      <div className="ml-auto">
        <Button look="quiet" onClick={onAddKey} small>
          {text.keys.addKey}
        </Button>
      </div>
    </div>
  );
}

function ListAndDetail({ formId, nameOf, onAddKey, inbox, shown }: PartProps) {
  const { rows, view, setView, shownRow, previous, next, show } = shown;
  const isWide = useMedia("(min-width: 64rem)");
  return (
    <div className={shownRow && isWide ? "grid grid-cols-[minmax(0,1fr)_26rem] items-start gap-4" : "grid"}>
      {rows.length > 0 && shown.shown.length === 0 ? (
        <NoneFound onClear={() => setView(everything)} />
      ) : (
        <SubmissionTable
          columns={shown.columns}
          freshIds={noIds}
          isSealedForm
          onOpen={show}
          onSelect={shown.setSelected}
          onSort={(column) => setView(sortView(view, column))}
          onWant={inbox.want}
          rows={shown.shown}
          selected={shown.selected}
          shownId={shownRow?.id}
          view={view}
        />
      )}
      {shownRow && (
        <OfflineDetail
          formId={formId}
          formName={nameOf(formId)}
          isModal={!isWide}
          onAddKey={onAddKey}
          onClose={shown.close}
          onNext={next && (() => show(next.id))}
          onPrevious={previous && (() => show(previous.id))}
          row={shownRow}
        />
      )}
    </div>
  );
}

function NoneFound({ onClear }: { readonly onClear: () => void }) {
  const texts = text.submissions;
  return (
    <div className="card">
      <Empty
        action={<Button onClick={onClear}>{texts.clearFilters}</Button>}
        icon={<SearchIcon className="size-6" />}
        title={texts.noneFound}
      >
        {texts.noneFoundHint}
      </Empty>
    </div>
  );
}

const noIds: ReadonlySet<string> = new Set();
