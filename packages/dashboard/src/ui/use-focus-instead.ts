import { type RefObject, useEffect, useRef } from "react";
import { isFocusFree } from "./keep-focus.ts";

/**
 * The element that takes the focus when what was pressed is gone: the next Tab continues from there, not from the top of the
 * page. Looks each time that `done` is another value and not empty; give the element `tabIndex={-1}`.
 */
export function useFocusInstead<Target extends HTMLElement>(done: unknown): RefObject<Target | null> {
  const instead = useRef<Target>(null);
  useEffect(() => {
    if (done && isFocusFree()) instead.current?.focus();
  }, [done]);
  return instead;
}
