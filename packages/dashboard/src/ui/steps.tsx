import { type ReactNode, useEffect, useRef } from "react";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { CheckIcon } from "./icons.tsx";

/** The steps of something that is done one after the other, and which of them (from 0) is the current one. */
export function Steps({
  names,
  current,
  label,
}: {
  readonly names: readonly string[];
  readonly current: number;
  readonly label: (step: number, count: number, name: string) => string;
}) {
  return (
    <ol className="mb-5 flex flex-wrap gap-x-6 gap-y-2">
      {names.map((name, index) => (
        <li
          aria-current={index === current ? "step" : undefined}
          aria-label={label(index + 1, names.length, name)}
          className={`flex items-center gap-2 ${index === current ? "font-medium" : "text-muted"}`}
          key={name}
        >
          <span
            className={`grid size-6 place-items-center rounded-full border font-semibold text-xs ${index < current ? "border-accent bg-accent-soft text-accent" : index === current ? "border-accent bg-accent text-on-accent" : "border-line-strong"}`}
          >
            {index < current ? <CheckIcon className="size-3.5" /> : index + 1}
          </span>
          {name}
        </li>
      ))}
    </ol>
  );
}

/** One step, whose heading gets the focus when it comes. */
export function Step({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that led here is gone: the focus moves to the new step, and screen readers read its title.
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="grid grid-cols-1 gap-5">
      <div>
        <h2 className="font-semibold text-lg outline-none" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <p className="mt-1 text-muted">{intro}</p>
      </div>
      {children}
    </div>
  );
}

/** The condition of the button next to it. It keeps its place once it is done: a page that shrinks moves under the finger. */
export function StepHint({ isDone, children }: { readonly isDone: boolean; readonly children: ReactNode }) {
  return <p className={`text-muted text-sm ${isDone ? "invisible" : ""}`}>{children}</p>;
}

/** Several ways on are one below the other on a phone, each as wide as the others. */
const stacked = "max-sm:has-[>div>button~button]:flex-col max-sm:has-[>div>button~button]:items-stretch";
const stackedOn =
  "max-sm:has-[>button~button]:flex-col max-sm:has-[>button~button]:items-stretch max-sm:has-[>button~button]:basis-auto";

/** The way back, and what leads on: in one line, also where the hint of the latter is below it. */
export function StepButtons({ onBack, children }: { readonly onBack?: () => void; readonly children: ReactNode }) {
  return (
    <div
      className={`mt-2 flex flex-row-reverse flex-wrap items-start justify-end gap-3 border-line border-t pt-5 ${stacked}`}
    >
      <div
        className={`flex min-w-0 grow basis-48 flex-row-reverse flex-wrap items-baseline gap-3 [&>p]:flex-1 [&>p]:basis-40 [&>p]:text-right ${stackedOn}`}
      >
        {children}
      </div>
      {onBack && <Button onClick={onBack}>{text.common.back}</Button>}
    </div>
  );
}
