import type { Row } from "./row.ts";
import { weightOf, widthMinOf } from "./row-view.ts";

export interface TableLayout {
  readonly isNarrow: boolean;
  /** Those that have room. */
  readonly columns: readonly string[];
  /** For `grid-template-columns`. */
  readonly template: string;
  readonly width: string | undefined;
}

const boxRem = 2.75;
const timeRem = 9;
const previewRem = 12;

/** How wide the columns are, by what is in them; on a phone there is room for one. */
export function layOut(rows: readonly Row[], columns: readonly string[], isNarrow: boolean): TableLayout {
  if (isNarrow) return { isNarrow, columns: [], template: `${boxRem}rem minmax(0,1fr)`, width: undefined };
  const weights = columns.map((name) => weightOf(rows, name));
  const tracks = weights.map((weight) => `minmax(${widthMinOf(weight)}rem,${weight}fr)`).join(" ");
  const needed = weights.reduce((sum, weight) => sum + widthMinOf(weight), 0);
  return {
    isNarrow,
    columns,
    template: `${boxRem}rem ${timeRem}rem ${columns.length === 0 ? `minmax(${previewRem}rem,1fr)` : tracks}`,
    width: `${boxRem + timeRem + Math.max(previewRem, needed)}rem`,
  };
}
