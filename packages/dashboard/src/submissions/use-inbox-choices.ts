import { useState } from "react";
import type { View } from "./row-view.ts";

export const everything: View = { search: "", status: "all", sortBy: "", isAscending: false };

/** A person's search and order, selected rows and columns, in memory alone. While the key is locked they are not shown. */
export function useInboxChoices() {
  const [view, setView] = useState(everything);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** `undefined` until somebody chooses: then the columns follow the latest submissions. */
  const [columns, setColumns] = useState<readonly string[]>();
  return { view, setView, selected, setSelected, columns, setColumns };
}

export type InboxChoices = ReturnType<typeof useInboxChoices>;
