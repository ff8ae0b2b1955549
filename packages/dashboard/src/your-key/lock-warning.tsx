import { useEffect, useRef } from "react";
import { holdOpen, lockPersonalKey } from "../personal-key/personal-key.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";

const { unlock: texts } = text.personalKey;

/** For the minute before the key locks by itself: above everything, dialogs too. It leaves the focus where it is. */
export default function LockWarning() {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => bar.current?.showPopover(), []);
  return (
    <div
      className="fixed inset-x-0 top-16 bottom-auto mx-auto my-0 w-max max-w-[calc(100vw-2rem)] flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-raised px-4 py-2 text-ink shadow-float open:flex print:hidden"
      popover="manual"
      ref={bar}
    >
      <p>
        <strong className="font-semibold">{texts.locksSoon}</strong> {texts.locksSoonHint}
      </p>
      <span className="flex gap-2">
        <Button onClick={holdOpen} small>
          {texts.holdOpen}
        </Button>
        <Button look="quiet" onClick={lockPersonalKey} small>
          {texts.lockNow}
        </Button>
      </span>
    </div>
  );
}
