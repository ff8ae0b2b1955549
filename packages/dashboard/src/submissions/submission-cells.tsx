// biome-ignore-all lint/a11y/useSemanticElements: a real table can't hold only the rows in view, at their places among 100,000
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons and checkboxes inside take the focus
import { Fragment } from "react";
import { shorten } from "../texts/shorten.ts";
import { text } from "../texts/text.ts";
import { LockIcon, SortIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";
import type { Row } from "./row.ts";
import { previewsOf, type View } from "./row-view.ts";

export function Heading({
  name,
  label,
  view,
  onSort,
}: {
  readonly name: string;
  readonly label: string;
  readonly view: View;
  readonly onSort: (name: string) => void;
}) {
  const isSorted = view.sortBy === name;
  return (
    <div
      aria-sort={isSorted ? (view.isAscending ? "ascending" : "descending") : "none"}
      className="min-w-0 px-3"
      role="columnheader"
    >
      <button
        className="flex min-h-6 max-w-full items-center gap-1 rounded font-medium text-muted text-sm hover:text-ink"
        onClick={() => onSort(name)}
        title={text.submissions.sortBy(name === "" ? label : shorten(name, 60))}
        type="button"
      >
        <bdi className="truncate">{label}</bdi>
        {isSorted && <SortIcon className={`size-3.5 ${view.isAscending ? "rotate-180" : ""}`} />}
      </button>
    </div>
  );
}

// `dir="auto"` isolates as `bdi` does, and turns the whole cell: what does not fit is cut at its end, not at its beginning.
/** A row's text without columns: the first of its content, or why there is none. */
export function Preview({ row, isNarrow = false }: { readonly row: Row; readonly isNarrow?: boolean }) {
  if (row.opened === undefined)
    return (
      <span className="flex items-center gap-1.5 text-muted text-sm">
        <LockIcon className="size-3.5" />
        {text.submissions.waiting}
      </span>
    );
  if (!row.opened.opened) return <Badge tone="warning">{text.submissions.reasons[row.opened.reason]}</Badge>;
  return (
    <p className={`truncate ${isNarrow ? "font-medium" : "text-muted"}`} dir="auto">
      {previewsOf(row).map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values may repeat, and the list never changes
        <Fragment key={index}>
          {index > 0 && " · "}
          <span className="[unicode-bidi:plaintext]">{value}</span>
        </Fragment>
      ))}
    </p>
  );
}
