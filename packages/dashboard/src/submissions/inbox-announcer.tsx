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

/** Says to those who do not see the list what has changed in it (WCAG 2.2, 4.1.3). It is always there, so that what comes into it is heard. */
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
