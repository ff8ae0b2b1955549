import { createContext, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { text } from "../texts/text.ts";
import { IconButton } from "./button.tsx";
import { CrossIcon } from "./icons.tsx";

/** Asked one after the other before a dialog closes: one that answers `true` keeps it open, and closes it itself or not. */
type DialogGuard = (close: () => void) => boolean;

/** Guards of the surrounding dialog, for what would be lost with it. */
export const DialogGuards = createContext<Set<DialogGuard> | undefined>(undefined);

/**
 * A modal dialog: the browser's own element, which keeps the focus inside, closes on Escape and gives the focus back. It is
 * open while it is rendered. (The usual libraries inject a style element, which the page's policy refuses.)
 */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  isWide = false,
  isTall = false,
  beginsAtTitle = false,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly isWide?: boolean;
  /** As high as it can be, whatever is in it: its buttons stay where they are while the content changes. */
  readonly isTall?: boolean;
  /** The focus is on its title first, so that a second Enter presses nothing. */
  readonly beginsAtTitle?: boolean;
}) {
  const reference = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [guards] = useState(() => new Set<DialogGuard>());
  const isKept = () => [...guards].some((guard) => guard(onClose));
  const close = () => {
    if (!isKept()) onClose();
  };
  useEffect(() => {
    const dialog = reference.current;
    dialog?.showModal();
    // `autoFocus` comes too early, while the dialog is not yet shown, and the browser's own choice is the first button.
    dialog?.querySelector<HTMLElement>("[data-focus]")?.focus();
  }, []);
  // While it is still in the page: one that was taken out first gives the focus back to nobody.
  useLayoutEffect(() => {
    const dialog = reference.current;
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      aria-labelledby={id}
      className={`m-auto ${isTall ? "h-[calc(100dvh-2rem)]" : "max-h-[calc(100dvh-2rem)]"} w-[calc(100vw-2rem)] ${isWide ? "max-w-3xl" : "max-w-lg"} flex-col overflow-hidden rounded-xl border border-line bg-raised p-0 text-ink shadow-float open:flex`}
      onCancel={(event) => {
        // Not of what is inside: a file picker that was cancelled, another dialog.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      // A telephone's way back closes it without asking, when nothing was touched since it came up.
      onClose={(event) => {
        const dialog = reference.current;
        if (event.target !== dialog || dialog.open) return;
        if (isKept()) dialog.showModal();
        else onClose();
      }}
      ref={reference}
    >
      <div className="flex items-start justify-between gap-2 px-3 pt-5 pb-2 2xs:px-5 sm:px-6">
        <h2
          className="min-w-0 font-semibold text-lg outline-none"
          id={id}
          {...(beginsAtTitle && { "data-focus": true, tabIndex: -1 })}
        >
          {title}
        </h2>
        <IconButton icon={<CrossIcon />} label={text.common.close} onClick={close} />
      </div>
      <DialogGuards value={guards}>
        <Scroller labelledBy={id}>{children}</Scroller>
      </DialogGuards>
      {footer && (
        <div className="flex flex-wrap justify-end gap-2 border-line border-t bg-sunken px-3 py-3 2xs:px-5 sm:px-6">
          {footer}
        </div>
      )}
    </dialog>
  );
}

/** Takes the focus where nothing inside does and it has to be scrolled: not every browser scrolls it by keyboard otherwise. */
function Scroller({ labelledBy, children }: { readonly labelledBy: string; readonly children: ReactNode }) {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [takesFocus, setTakesFocus] = useState(false);
  useEffect(() => {
    const [region, content] = [outer.current, inner.current];
    if (region === null || content === null) return;
    const observer = new ResizeObserver(() =>
      setTakesFocus(
        region.scrollHeight > region.clientHeight &&
          content.querySelector("a[href], button, input, select, textarea, summary") === null,
      ),
    );
    observer.observe(region);
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  return (
    // `relative` keeps what is hidden from sight, but placed, from making the dialog itself scroll.
    <div
      className="relative grow has-data-in-sight:scroll-pb-20 overflow-y-auto px-3 pb-5 2xs:px-5 -outline-offset-2 sm:px-6"
      ref={outer}
      {...(takesFocus && { role: "group", "aria-labelledby": labelledBy, tabIndex: 0 })}
    >
      <div className="grid gap-4" ref={inner}>
        {children}
      </div>
    </div>
  );
}
