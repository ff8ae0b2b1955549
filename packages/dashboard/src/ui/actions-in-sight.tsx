import type { ReactNode } from "react";

/**
 * The buttons after a long form, at the lower edge of what scrolls: on a phone nobody looks for them. `dialog.tsx` keeps what has the focus
 * above them, and has this much padding at its lower edge, over which they go.
 */
export function ActionsInSight({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 z-1 flex flex-wrap gap-2 border-line border-t bg-raised pt-3 pb-5" data-in-sight>
      {children}
    </div>
  );
}
