// biome-ignore-all lint/a11y/useSemanticElements: a real table can't hold only the rows in view, at their places among 100,000
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons and checkboxes inside take the focus
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { formatDateTime } from "../texts/format.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { AlertIcon } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import { useMedia } from "../ui/use-media.ts";
import type { Row } from "./row.ts";
import { fieldText, headingsOf, previewsOf, type View, weightOf, widthMinOf } from "./row-view.ts";
import { Heading, Preview } from "./submission-cells.tsx";

interface TableProps {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
  readonly selected: ReadonlySet<string>;
  /** Rows that came since the form was last looked at. */
  readonly freshIds: ReadonlySet<string>;
  readonly shownId: string | undefined;
  /** One that came in the clear deserves a warning. */
  readonly isSealedForm: boolean;
  readonly view: View;
  readonly onOpen: (id: string) => void;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onSort: (column: string) => void;
  readonly onWant: (ids: readonly string[]) => void;
}

/** In the size of letters that the reader has chosen, by which everything in a row grows. */
const rowHeightRem = 2.75;
const narrowRowHeightRem = 4;

const pageRows = 10;

function findRemPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The row to which a key leads from another, if it leads anywhere. */
function targetOf(key: string, index: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: Math.min(index + pageRows, count - 1),
    PageUp: Math.max(index - pageRows, 0),
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined || target < 0 || target >= count ? undefined : target;
}

/** A table of any length: only the rows in view exist. Up and down move between rows, Enter opens one. */
export function SubmissionTable({
  rows,
  columns,
  selected,
  freshIds,
  shownId,
  isSealedForm,
  view,
  onOpen,
  onSelect,
  onSort,
  onWant,
}: TableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const lastChecked = useRef<number>(undefined);
  const isNarrow = useMedia("(max-width: 40rem)");
  const texts = text.submissions;
  const height = Math.round((isNarrow ? narrowRowHeightRem : rowHeightRem) * findRemPixels());
  // All rows are as high, so none is known by more than its place: with keys of their own, 100,000 of them are made again
  // at every step of scrolling.
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  // It keeps the first height that it was given, although a turned phone shows other rows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again whenever the height changes
  useLayoutEffect(() => virtual.measure(), [height]);
  const items = virtual.getVirtualItems();
  const inView = items.map(({ index }) => rows[index]?.id ?? "").join(" ");
  useEffect(() => onWant(inView.split(" ")), [inView, onWant]);

  // A submission that was opened by its address, or by the steps to the next, is seen in the list as well.
  // biome-ignore lint/correctness/useExhaustiveDependencies: not when rows come, which would scroll under the reader's hands
  useEffect(() => {
    const index = rows.findIndex(({ id }) => id === shownId);
    if (index >= 0) virtual.scrollToIndex(index);
  }, [shownId]);

  const weights = columns.map((name) => weightOf(rows, name));
  const template = isNarrow
    ? "2.75rem minmax(0,1fr)"
    : `2.75rem 9rem ${columns.length === 0 ? "minmax(12rem,1fr)" : weights.map((weight) => `minmax(${widthMinOf(weight)}rem,${weight}fr)`).join(" ")}`;
  const width = isNarrow
    ? undefined
    : `${
        2.75 +
        9 +
        Math.max(
          12,
          weights.reduce((sum, weight) => sum + widthMinOf(weight), 0),
        )
      }rem`;
  const shownColumns = isNarrow ? [] : columns;
  const headingOf = headingsOf(columns);

  // One row is in the order of Tab, so that a list of any length is passed in a step: the last focused one, or the first in view.
  const [focusedIndex, setFocusedIndex] = useState(0);
  const firstInView = items.find(({ end }) => end > (virtual.scrollOffset ?? 0))?.index;
  const tabIndexOf = (index: number) =>
    index === (items.some((item) => item.index === focusedIndex) ? focusedIndex : firstInView) ? 0 : -1;

  function move(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]"); // keys go to elements
    if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = targetOf(event.key, Number(row.dataset.index), rows.length);
    if (index === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(index);
    const focus = () => {
      const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`);
      button?.focus();
      return button != null;
    };
    // The row may only come to exist by scrolling there.
    if (!focus()) requestAnimationFrame(() => focus() || requestAnimationFrame(focus));
  }

  function check(index: number, isChecked: boolean, isRange: boolean): void {
    const from = isRange ? (lastChecked.current ?? index) : index;
    const next = new Set(selected);
    for (const { id } of rows.slice(Math.min(from, index), Math.max(from, index) + 1)) {
      if (isChecked) next.add(id);
      else next.delete(id);
    }
    lastChecked.current = index;
    onSelect(next);
  }

  const areAllSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  return (
    <div
      aria-label={texts.table}
      aria-rowcount={rows.length + 1}
      className="card max-h-[max(calc(100dvh-10rem),14rem)] overflow-auto"
      onKeyDown={move}
      ref={scroller}
      role="table"
    >
      <div className="sticky top-0 z-1 border-line border-b bg-surface" role="rowgroup" style={{ minWidth: width }}>
        <div
          aria-rowindex={1}
          className="grid h-8 items-center roomy:h-10"
          role="row"
          style={{ gridTemplateColumns: template }}
        >
          <div className="grid place-items-center" role="columnheader">
            <input
              aria-label={texts.selectAll}
              checked={areAllSelected}
              onChange={() => onSelect(areAllSelected ? new Set() : new Set(rows.map(({ id }) => id)))}
              type="checkbox"
            />
          </div>
          <Heading label={texts.received} name="" onSort={onSort} view={view} />
          {shownColumns.map((name) => (
            <Heading key={name} label={shorten(headingOf(name), 60)} name={name} onSort={onSort} view={view} />
          ))}
          {!isNarrow && columns.length === 0 && (
            <div className="px-3 font-medium text-muted text-sm" role="columnheader">
              {texts.preview}
            </div>
          )}
        </div>
      </div>
      <div className="relative" role="rowgroup" style={{ height: virtual.getTotalSize(), minWidth: width }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const name = texts.row(index + 1, shorten(previewsOf(row)[0] ?? "", 40));
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: a click anywhere is a shortcut for the row's button
            <div
              aria-rowindex={index + 2}
              className={`absolute inset-x-0 top-0 grid cursor-pointer items-center border-line border-b ${row.id === shownId ? "bg-accent-soft" : "hover:bg-sunken"}`}
              data-index={index}
              data-submission={row.id}
              key={row.id}
              onFocus={() => setFocusedIndex(index)}
              onClick={(event) => {
                // The check box has a meaning of its own, and the button says it already.
                if (event.target instanceof Element && !event.target.closest("label, button")) onOpen(row.id);
              }}
              role="row"
              style={{ height, gridTemplateColumns: template, transform: `translateY(${start}px)` }}
            >
              <div className="h-full" role="cell">
                {/* All of the cell, so that a finger that misses the box does not open the submission. */}
                <label className="grid h-full place-items-center">
                  <input
                    aria-label={texts.selectRow(formatDateTime(row.receivedAt), name)}
                    checked={selected.has(row.id)}
                    onChange={() => undefined}
                    onClick={(event) => check(index, !selected.has(row.id), event.shiftKey)}
                    tabIndex={tabIndexOf(index)}
                    type="checkbox"
                  />
                </label>
              </div>
              <div className={isNarrow ? "min-w-0 px-3" : "min-w-0 pl-3"} role="cell">
                {/* On a phone who wrote comes first, and the time is small below it. */}
                {isNarrow && <Preview isNarrow row={row} />}
                <button
                  aria-current={row.id === shownId || undefined}
                  className={`flex min-h-6 max-w-full items-center gap-2 whitespace-nowrap rounded text-left tabular-nums ${isNarrow ? "text-muted text-sm" : "font-medium"}`}
                  onClick={() => onOpen(row.id)}
                  tabIndex={tabIndexOf(index)}
                  type="button"
                >
                  {freshIds.has(row.id) && (
                    <span className="-ml-3.5 size-1.5 shrink-0 rounded-full bg-accent">
                      <span className="sr-only">{texts.isFresh} </span>
                    </span>
                  )}
                  <Time at={row.receivedAt} />
                  <span className="sr-only">, {texts.row(index + 1, "")}</span>
                  {isSealedForm && row.opened?.opened === true && !row.opened.sealed && (
                    <span className="shrink-0 text-warning" title={texts.notSealed}>
                      <AlertIcon className="size-4" />
                      <span className="sr-only">{texts.reasons.not_sealed}</span>
                    </span>
                  )}
                </button>
              </div>
              {!isNarrow && (columns.length === 0 || row.opened?.opened !== true) && (
                <div className="min-w-0 px-3" role="cell" style={{ gridColumn: "3 / -1" }}>
                  <Preview row={row} />
                </div>
              )}
              {row.opened?.opened === true &&
                shownColumns.map((name) => (
                  <div className="truncate px-3" dir="auto" key={name} role="cell">
                    {shorten(fieldText(row, name))}
                  </div>
                ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
