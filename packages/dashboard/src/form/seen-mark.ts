import { useCallback, useEffect, useMemo, useState } from "react";

/** A submission of the list. */
interface Received {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** Which rows came since this form was last looked at, in this browser. */
export interface SeenMark {
  /** The ids of the rows that are new, and were not read in this visit. */
  readonly fresh: ReadonlySet<string>;
  see(id: string): void;
  seeAll(): void;
}

const storageKey = (formId: string) => `sealpost-seen-${formId}`;
/** How many had come at that moment, for the list of forms. */
const countKey = (formId: string) => `sealpost-seen-count-${formId}`;
const nothing: ReadonlySet<string> = new Set();

/**
 * Keeps one moment for each form: when the newest submission came that was in the list. No id and nothing of the content
 * is stored. A form that was never looked at in this browser has nothing new.
 */
export function useSeenMark(formId: string, rows: readonly Received[]): SeenMark {
  // As it was when the list was opened: what came since stays new for as long as the list is open.
  const [mark, setMark] = useState(() => findMark(formId) ?? Number.POSITIVE_INFINITY);
  const [seen, setSeen] = useState(nothing);
  const newest = useMemo(() => rows.reduce((latest, row) => Math.max(latest, row.receivedAt), 0), [rows]);
  useEffect(() => {
    if (newest > (findMark(formId) ?? 0)) storeMark(formId, newest);
  }, [formId, newest]);
  const fresh = useMemo(() => {
    const ids = new Set<string>();
    for (const { id, receivedAt } of rows) if (receivedAt > mark && !seen.has(id)) ids.add(id);
    return ids;
  }, [rows, mark, seen]);
  const see = useCallback(
    (id: string) => setSeen((before) => (before.has(id) ? before : new Set([...before, id]))),
    [],
  );
  return {
    fresh,
    see,
    seeAll: () => {
      setMark(newest);
      setSeen(nothing);
    },
  };
}

/** A form as the list of forms tells it. */
interface ListedForm {
  readonly id: string;
  readonly receivedCount: number;
  readonly lastReceivedAt: number | null;
}

/** Whether something came since the form was last looked at in this browser, and how much where that is known. */
export function useFresh({ id, receivedCount, lastReceivedAt }: ListedForm): "none" | "some" | number {
  const mark = findMark(id);
  useEffect(() => {
    // Everything in the list is seen, exactly: from here on, new ones can be counted.
    if (lastReceivedAt !== null && lastReceivedAt === mark) store(countKey(id), `${mark} ${receivedCount}`);
  }, [id, mark, lastReceivedAt, receivedCount]);
  if (mark === undefined || lastReceivedAt === null || lastReceivedAt <= mark) return "none";
  const [countedMark, seenCount] = (localStorage.getItem(countKey(id)) ?? "").split(" ").map(Number);
  // Looked at since it was counted: how much had come by then is not known.
  if (countedMark !== mark || seenCount === undefined || seenCount >= receivedCount) return "some";
  return receivedCount - seenCount;
}

function findMark(formId: string): number | undefined {
  const stored = Number(localStorage.getItem(storageKey(formId)) ?? Number.NaN);
  return Number.isSafeInteger(stored) ? stored : undefined;
}

function storeMark(formId: string, receivedAt: number): void {
  store(storageKey(formId), String(receivedAt));
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A full or forbidden storage: then nothing is marked as new.
  }
}
