// biome-ignore-all lint/a11y/useSemanticElements: a real table can't hold only the rows in view, at their places among 100,000
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons and checkboxes inside take the focus
import { formatDateTime } from "../texts/format.ts";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { AlertIcon } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import type { Row } from "./row.ts";
import { fieldText, previewsOf } from "./row-view.ts";
import { Preview } from "./submission-cells.tsx";
import type { TableLayout } from "./table-layout.ts";

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly layout: TableLayout;
  readonly isSelected: boolean;
  readonly isFresh: boolean;
  readonly isShown: boolean;
  readonly isSealedForm: boolean;
  readonly tabIndex: 0 | -1;
  readonly onOpen: (id: string) => void;
  readonly onCheck: (index: number, isChecked: boolean, isRange: boolean) => void;
}

/** A row of the table, at its place among all. */
export function SubmissionRow({
  start,
  height,
  onFocus,
  ...props
}: RowProps & {
  /** In pixels, as its height is. */
  readonly start: number;
  readonly height: number;
  readonly onFocus: (index: number) => void;
}) {
  const { row, index, layout, isShown, onOpen } = props;
  const { isNarrow, columns, template } = layout;
  const naming = columns.find((name) => fieldText(row, name) !== "");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click anywhere is a shortcut for the row's button
    <div
      aria-rowindex={index + 2}
      className={`absolute inset-x-0 top-0 grid cursor-pointer items-center border-line border-b ${isShown ? "bg-accent-soft" : "hover:bg-sunken"}`}
      data-index={index}
      data-submission={row.id}
      onClick={(event) => {
        // The check box has a meaning of its own, and the button says it already.
        if (event.target instanceof Element && !event.target.closest("label, button")) onOpen(row.id);
      }}
      onFocus={() => onFocus(index)}
      role="row"
      style={{ height, gridTemplateColumns: template, transform: `translateY(${start}px)` }}
    >
      <CheckCell {...props} />
      <TimeCell {...props} />
      {!isNarrow && (columns.length === 0 || row.opened?.opened !== true) && (
        <div className="min-w-0 px-3" id={textIdOf(row)} role="cell" style={{ gridColumn: "3 / -1" }}>
          <Preview row={row} />
        </div>
      )}
      {row.opened?.opened === true &&
        columns.map((name) => (
          <div
            className="truncate px-3"
            dir="auto"
            id={name === naming ? textIdOf(row) : undefined}
            key={name}
            role="cell"
          >
            {shorten(fieldText(row, name))}
          </div>
        ))}
    </div>
  );
}

/** The element with a row's text, which its button is called by too: times alone are often the same. */
const textIdOf = ({ id }: Row): string => `${id}-text`;

/** A row in words that tell it from the others. */
export function nameOf(row: Row, index: number): string {
  return text.submissions.row(index + 1, shorten(previewsOf(row)[0] ?? "", 40));
}

function CheckCell({ row, index, isSelected, tabIndex, onCheck }: RowProps) {
  const texts = text.submissions;
  const name = nameOf(row, index);
  return (
    <div className="h-full" role="cell">
      {/* All of the cell, so that a finger that misses the box does not open the submission. */}
      <label className="grid h-full place-items-center">
        <input
          aria-label={texts.selectRow(formatDateTime(row.receivedAt), name)}
          checked={isSelected}
          onChange={() => undefined}
          onClick={(event) => onCheck(index, !isSelected, event.shiftKey)}
          tabIndex={tabIndex}
          type="checkbox"
        />
      </label>
    </div>
  );
}

function TimeCell({ row, index, layout: { isNarrow }, isFresh, isShown, isSealedForm, tabIndex, onOpen }: RowProps) {
  const texts = text.submissions;
  return (
    <div className={isNarrow ? "min-w-0 px-3" : "min-w-0 pl-3"} role="cell">
      {/* On a phone who wrote comes first, and the time is small below it. */}
      {isNarrow && (
        <div id={textIdOf(row)}>
          <Preview isNarrow row={row} />
        </div>
      )}
      <button
        aria-current={isShown || undefined}
        aria-labelledby={`${row.id}-open ${textIdOf(row)}`}
        className={`flex min-h-6 max-w-full items-center gap-2 whitespace-nowrap rounded text-left tabular-nums ${isNarrow ? "text-muted text-sm" : "font-medium"}`}
        id={`${row.id}-open`}
        onClick={() => onOpen(row.id)}
        tabIndex={tabIndex}
        type="button"
      >
        {isFresh && (
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
  );
}
