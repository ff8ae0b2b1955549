// biome-ignore-all lint/a11y/useSemanticElements: a real table can't hold only the rows in view, at their places among 100,000
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons and checkboxes inside take the focus
import { useRef } from "react";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { useMedia } from "../ui/use-media.ts";
import type { Row } from "./row.ts";
import { headingsOf, type View } from "./row-view.ts";
import { Heading } from "./submission-cells.tsx";
import { SubmissionRow } from "./submission-row.tsx";
import { layOut, type TableLayout } from "./table-layout.ts";
import { useRowWindow } from "./use-row-window.ts";

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

/** A table of any length: only the rows in view exist. Up and down move between rows, Enter opens one. */
export function SubmissionTable(props: TableProps) {
  const { rows, columns, selected, freshIds, shownId, isSealedForm, onOpen, onWant } = props;
  const isNarrow = useMedia("(max-width: 40rem)");
  const { scroller, virtual, height, move, tabIndexOf, setFocusedIndex } = useRowWindow(
    rows,
    shownId,
    isNarrow,
    onWant,
  );
  const layout = layOut(rows, columns, isNarrow);
  const check = useChecks(props);
  return (
    <div
      aria-label={text.submissions.table}
      aria-rowcount={rows.length + 1}
      className="card max-h-[max(calc(100dvh-10rem),14rem)] overflow-auto"
      onKeyDown={move}
      ref={scroller}
      role="table"
    >
      <Head {...props} layout={layout} />
      <div className="relative" role="rowgroup" style={{ height: virtual.getTotalSize(), minWidth: layout.width }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <SubmissionRow
              height={height}
              index={index}
              isFresh={freshIds.has(row.id)}
              isSealedForm={isSealedForm}
              isSelected={selected.has(row.id)}
              isShown={row.id === shownId}
              key={row.id}
              layout={layout}
              onCheck={check}
              onFocus={setFocusedIndex}
              onOpen={onOpen}
              row={row}
              start={start}
              tabIndex={tabIndexOf(index)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Checks one row, or with Shift all from the last one that was checked. */
function useChecks({ rows, selected, onSelect }: TableProps) {
  const lastChecked = useRef<number>(undefined);
  return (index: number, isChecked: boolean, isRange: boolean): void => {
    const from = isRange ? (lastChecked.current ?? index) : index;
    const next = new Set(selected);
    for (const { id } of rows.slice(Math.min(from, index), Math.max(from, index) + 1)) {
      if (isChecked) next.add(id);
      else next.delete(id);
    }
    lastChecked.current = index;
    onSelect(next);
  };
}

function Head({
  rows,
  selected,
  view,
  onSelect,
  onSort,
  layout,
  ...props
}: TableProps & { readonly layout: TableLayout }) {
  const texts = text.submissions;
  const { isNarrow, columns, template, width } = layout;
  const headingOf = headingsOf(props.columns);
  const areAllSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  return (
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
        {columns.map((name) => (
          <Heading key={name} label={shorten(headingOf(name), 60)} name={name} onSort={onSort} view={view} />
        ))}
        {!isNarrow && columns.length === 0 && (
          <div className="px-3 font-medium text-muted text-sm" role="columnheader">
            {texts.preview}
          </div>
        )}
      </div>
    </div>
  );
}
