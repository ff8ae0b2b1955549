import { useEffect, useRef, useState } from "react";
import { text } from "../texts/text.ts";
import type { InboxState } from "./inbox.ts";
import type { View } from "./row-view.ts";

const { submissions: texts } = text;

interface Announced {
  readonly state: Pick<InboxState, "phase" | "openedCount">;
  readonly view: View;
  /** The row that is open next to the list, in words. */
  readonly shownName: string | undefined;
}

/** Announces changes of the list to screen readers (WCAG 2.2, 4.1.3). Always mounted: a region that is inserted with its text is not announced. */
export function InboxAnnouncer({ state: { phase, openedCount }, view: { sortBy, isAscending }, shownName }: Announced) {
  const [message, setMessage] = useState("");
  useEachChange(phase, () => {
    if (phase === "done") setMessage(texts.allOpened(openedCount));
  });
  useEachChange(`${isAscending} ${sortBy}`, () => setMessage(texts.sorted(sortBy, isAscending)));
  useEachChange(shownName, () => setMessage(shownName ?? ""));
  return (
    <p className="sr-only" role="status">
      {message}
    </p>
  );
}

function useEachChange(value: string | undefined, onChange: () => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    onChange();
  });
}
