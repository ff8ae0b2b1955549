import type { BinnedSubmission } from "@sealpost/sdk";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { isKept } from "../api/is-kept.ts";
import { queries } from "../api/queries.ts";
import { serviceNow } from "../api/service-clock.ts";
import { useForm } from "../form/form-frame.tsx";
import { useKeys } from "../keys/keyring.ts";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { TrashIcon } from "../ui/icons.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Empty, Section } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { BinRow } from "./bin-row.tsx";
import { ConfirmDeletion } from "./confirm-deletion.tsx";
import { useMayDelete } from "./use-may-delete.ts";
import { useOpened } from "./use-opened.ts";

/** A deletion for good names ids, or all that this page knows of: so many, moved to the bin before this time. */
type Deletion = { readonly ids: readonly string[] } | { readonly all: number; readonly before: number };

const hour = 3_600_000;

/**
 * All in the bin, up to a moment after the latest of these was moved there. If that is in the future, a clock was wrong, and what is
 * moved there meanwhile may be dated before it: then these rows alone.
 */
function nameAll(rows: readonly BinnedSubmission[], total: number): Deletion {
  const before = rows.reduce((latest, { binnedAt }) => Math.max(latest, binnedAt), 0) + 1;
  return before > serviceNow() + hour ? { ids: rows.map(({ id }) => id) } : { all: total, before };
}

/** Deletes nothing that somebody else has restored, or moved to the bin, since the list was read. */
async function deleteForGood(formId: string, deletion: Deletion) {
  const [asked, { submissionsDeleted }] =
    "all" in deletion
      ? [deletion.all, await client.submissions.emptyBin(formId, { before: deletion.before })]
      : [deletion.ids.length, await client.submissions.deleteBinned(formId, deletion.ids)];
  return { deleted: submissionsDeleted, left: Math.max(0, asked - submissionsDeleted) };
}

/** Restoring and deleting what is in the bin. */
function useBin(formId: string, onChanged: () => void) {
  const [asked, setAsked] = useState<Deletion>();
  /** Whether a deletion of this page had no answer: a later one then finds less than it names. */
  const isUnsure = useRef(false);
  /** The same of bringing back. */
  const isRestoreUnsure = useRef(false);
  const queryClient = useQueryClient();
  const refresh = async () => {
    onChanged();
    await queryClient.invalidateQueries({ queryKey: ["form", formId] });
    await queryClient.invalidateQueries({ queryKey: ["forms"] });
  };
  const restoring = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const restored = await client.submissions.restore(formId, ids);
      return { restored, left: Math.max(0, ids.length - restored) };
    },
    onSuccess: refresh,
    onError: (error) => {
      isRestoreUnsure.current ||= mayHaveArrived(error);
    },
  });
  const deleting = useMutation({
    mutationFn: (deletion: Deletion) => deleteForGood(formId, deletion),
    onSuccess: () => {
      setAsked(undefined);
      return refresh();
    },
    onError: (error) => {
      isUnsure.current ||= mayHaveArrived(error);
    },
  });
  const texts = text.bin;
  return {
    asked,
    cancel: () => setAsked(undefined),
    restoring,
    deleting,
    restore: (ids: readonly string[]) => {
      deleting.reset();
      restoring.mutate(ids);
    },
    ask: (deletion: Deletion) => {
      restoring.reset();
      deleting.reset();
      setAsked(deletion);
    },
    /** In a sentence. */
    done: restoring.isSuccess
      ? (isRestoreUnsure.current ? texts.restoredOrBefore : texts.restored)(
          restoring.data.restored,
          restoring.data.left,
        )
      : deleting.isSuccess
        ? (isUnsure.current ? texts.deletedOrBefore : texts.deletedAndLeft)(deleting.data.deleted, deleting.data.left)
        : "",
  };
}

/** Deleted submissions that can be restored, the latest first. */
export function BinPage() {
  const form = useForm();
  const list = useInfiniteQuery(queries.bin(form.id));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const bin = useBin(form.id, () => setSelected(new Set()));
  const { asked, restoring, deleting, done } = bin;
  const texts = text.bin;
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.submissions) ?? [], [list.data]);
  const status = useFocusInstead<HTMLParagraphElement>(done !== "" && rows);
  return (
    <Section
      actions={
        <Link className={buttonClass("secondary")} params={{ formId: form.id }} to="/forms/$formId">
          {texts.back}
        </Link>
      }
      intro={form.hold === undefined ? texts.intro(form.settings.binDays) : texts.heldIntro}
      title={text.pages.bin}
    >
      {restoring.isError && <ErrorNotice error={restoring.error} />}
      <p className="text-accent outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {done}
      </p>
      {list.isLoadingError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {(list.isPending || (rows.length === 0 && isKept(list))) && <ListLoading />}
      {list.data !== undefined && rows.length === 0 && !isKept(list) && (
        <Empty icon={<TrashIcon className="size-6" />} title={texts.emptyTitle}>
          {texts.emptyIntro}
        </Empty>
      )}
      {rows.length > 0 && (
        <>
          <BinList
            bin={bin}
            onSelect={setSelected}
            rows={rows}
            selected={selected}
            total={list.data?.pages.at(-1)?.total ?? 0}
          />
          <MoreButton list={list}>{texts.more}</MoreButton>
        </>
      )}
      {asked !== undefined && (
        <ConfirmDeletion
          binDays={form.settings.binDays}
          count={"all" in asked ? asked.all : asked.ids.length}
          isForGood
          onClose={bin.cancel}
          onConfirm={() => deleting.mutateAsync(asked)}
        />
      )}
    </Section>
  );
}

interface BinListProps {
  readonly rows: readonly BinnedSubmission[];
  readonly total: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly bin: ReturnType<typeof useBin>;
}

function BinList(props: BinListProps) {
  const { rows, total, selected, onSelect, bin } = props;
  const opened = useOpenedRows(useForm().id, rows);
  const wasSealed = useRef(false);
  wasSealed.current ||= opened === undefined;
  const mayMove = useMay()("binSubmissions");
  const mayDelete = useMayDelete();
  const texts = text.bin;
  return (
    <>
      {mayMove ? <BinToolbar {...props} /> : <p className="py-2 text-muted">{texts.count(total)}</p>}
      {/* It keeps its place: the key may come from another tab, and the rows would move under the finger. */}
      {wasSealed.current && (
        <p className={`pb-2 text-muted text-sm ${opened === undefined ? "" : "invisible"}`}>{texts.sealed}</p>
      )}
      <ul className="divide-y divide-line border-line border-t">
        {rows.map((row, index) => (
          <BinRow
            isRestoring={bin.restoring.isPending && bin.restoring.variables.includes(row.id)}
            isSelected={selected.has(row.id)}
            key={row.id}
            mayMove={mayMove}
            number={index + 1}
            onDelete={mayDelete ? () => bin.ask({ ids: [row.id] }) : undefined}
            onRestore={() => bin.restore([row.id])}
            onSelect={(isSelected) => onSelect(changed(selected, row.id, isSelected))}
            opened={opened?.get(row.id)}
            row={row}
          />
        ))}
      </ul>
    </>
  );
}

function BinToolbar({ rows, total, selected, onSelect, bin: { restore, restoring, ask } }: BinListProps) {
  const mayDelete = useMayDelete();
  const texts = text.bin;
  const chosen = rows.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  return (
    <div className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2 py-2">
      <label className="flex min-h-8 items-center gap-2">
        <input
          aria-label={texts.selectAll}
          checked={chosen.length === rows.length}
          onChange={({ target }) => onSelect(new Set(target.checked ? rows.map(({ id }) => id) : []))}
          type="checkbox"
        />
        <span className="text-muted">{chosen.length > 0 ? texts.selected(chosen.length) : texts.count(total)}</span>
      </label>
      <span className="ml-auto flex flex-wrap gap-2">
        {chosen.length > 0 ? (
          <>
            <Button onClick={() => restore(chosen)} pending={restoring.isPending} small>
              {texts.restoreMany(chosen.length)}
            </Button>
            {mayDelete && (
              <Button onClick={() => ask({ ids: chosen })} small>
                {texts.deleteForGood(chosen.length)}
              </Button>
            )}
          </>
        ) : (
          mayDelete && (
            <Button onClick={() => ask(nameAll(rows, total))} small>
              {texts.empty}
            </Button>
          )
        )}
      </span>
    </div>
  );
}

/** `undefined` while the form is locked. */
function useOpenedRows(formId: string, rows: readonly BinnedSubmission[]) {
  const { settings } = useForm();
  const keys = useKeys(formId);
  const { data } = useQuery(queries.keys(formId));
  const fingerprints = useMemo(
    () => data && new Map(data.map(({ version, fingerprint }) => [version, fingerprint])),
    [data],
  );
  const opened = useOpened(formId, rows, keys, fingerprints);
  return settings.encryption && keys.length === 0 ? undefined : opened;
}

function changed(set: ReadonlySet<string>, id: string, isMember: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (isMember) next.add(id);
  else next.delete(id);
  return next;
}
