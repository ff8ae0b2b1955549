import { type RefObject, useEffect, useRef, useState } from "react";

/** As much of a row as has to be on the screen. */
const part = 0.5;

/**
 * Whether each row of a part of the page has been on the screen, wherever it scrolls. Rows have `data-row` and `tabIndex={-1}`; they are those that are there at first.
 */
export function useShownWhole<Place extends HTMLElement>(): {
  readonly place: RefObject<Place | null>;
  readonly isWhole: boolean;
  /** Leads to the first row that was not shown. */
  readonly lead: () => void;
} {
  const place = useRef<Place>(null);
  const left = useRef<Set<Element>>(undefined);
  const [isWhole, setIsWhole] = useState(false);
  useEffect(() => {
    const rows = [...(place.current?.querySelectorAll("[data-row]") ?? [])];
    const waiting = new Set(rows);
    left.current = waiting;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries) if (intersectionRatio >= part) waiting.delete(target);
        if (waiting.size > 0) return;
        setIsWhole(true);
        observer.disconnect();
      },
      { threshold: part },
    );
    for (const row of rows) observer.observe(row);
    return () => observer.disconnect();
  }, []);
  return {
    place,
    isWhole,
    lead: () => {
      const [first] = left.current ?? [];
      if (first instanceof HTMLElement) first.focus();
    },
  };
}
