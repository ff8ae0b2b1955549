import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useForm } from "../form/form-frame.tsx";
import { useSeenMark } from "../form/seen-mark.ts";
import { useMedia } from "../ui/use-media.ts";
import type { Inbox, InboxState } from "./inbox.ts";
import type { Row } from "./row.ts";
import { applyView, columnsOf } from "./row-view.ts";
import type { BinMoves } from "./use-bin-moves.ts";
import { useFocusAfter, useFocusAfterMove } from "./use-focus-after.ts";
import type { InboxChoices } from "./use-inbox-choices.ts";
import { useShownSubmission } from "./use-shown-submission.ts";

const columnsMax = 60;
const columnsShownAtFirst = 5;
/** The columns that are shown at first are those of the latest submissions: a form changes. */
const latestCount = 100;

export interface InboxProps {
  readonly formId: string;
  readonly moves: BinMoves;
  readonly choices: InboxChoices;
  readonly inbox: Inbox;
  readonly state: InboxState;
}

/** State of the inbox: the rows that are shown, selected and open, and what deleting does to them. */
export function useInboxView({ formId, inbox, moves, choices, state }: InboxProps) {
  const { view, setView } = choices;
  const isWide = useMedia("(min-width: 64rem)");
  const lists = useLists(state, moves, choices);
  const open = useOpenRow(lists.shown);
  const selection = useSelection(lists.shown, choices);
  const deletion = useDeletion({ inbox, moves, open, selection, isWide });
  // Submissions that are being deleted are left out.
  const mark = useSeenMark(formId, lists.rows);
  const { see } = mark;
  useEffect(() => {
    if (open.shownId !== undefined) see(open.shownId);
  }, [open.shownId, see]);
  useFocusAfter(open.shownId, (open.next ?? open.previous)?.id);
  useFocusAfterMove(moves.last);
  return { view, setView, isWide, ...lists, ...open, ...selection, ...deletion, mark };
}

/** The rows that are there, those of the view, and the columns. */
function useLists(
  { rows: allRows }: InboxState,
  moves: BinMoves,
  { view, columns: chosenColumns, setColumns }: InboxChoices,
) {
  const rows = useMemo(
    () => (moves.hidden.size === 0 ? allRows : allRows.filter(({ id }) => !moves.hidden.has(id))),
    [allRows, moves.hidden],
  );
  // Typing stays fluent: a long list follows a moment later.
  const settledView = useDeferredValue(view);
  const shown = useMemo(() => applyView(rows, settledView), [rows, settledView]);
  const columns = useMemo(() => columnsOf(rows, columnsMax), [rows]);
  const commonColumns = useMemo(() => columnsOf(rows.slice(0, latestCount), columnsShownAtFirst), [rows]);
  return { rows, shown, columns, shownColumns: chosenColumns ?? commonColumns, setChosenColumns: setColumns };
}

/** The submission that is open next to the list or above it, and its neighbours. */
function useOpenRow(shown: readonly Row[]) {
  const { shownId, show, close } = useShownSubmission();
  const index = shown.findIndex(({ id }) => id === shownId);
  const shownRow = shown[index];
  const [previous, next] = shownRow === undefined ? [] : [shown[index - 1], shown[index + 1]];
  return { shownId, shownRow, previous, next, show, close };
}

function useSelection(shown: readonly Row[], { selected, setSelected }: InboxChoices) {
  const selectedRows = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected]);
  return { selected, setSelected, selectedRows };
}

function useDeletion({
  inbox,
  moves,
  open: { shownId, previous, next, show, close },
  selection: { selected, setSelected },
  isWide,
}: Pick<InboxProps, "inbox" | "moves"> & {
  readonly open: ReturnType<typeof useOpenRow>;
  readonly selection: ReturnType<typeof useSelection>;
  readonly isWide: boolean;
}) {
  const { binDays } = useForm().settings;
  const [asked, setAsked] = useState<readonly string[]>();

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
  return { asked, ask, remove, cancel: () => setAsked(undefined) };
}
