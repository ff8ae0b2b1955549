import { type KeyboardEvent, type ReactNode, useState } from "react";
import { formatDayUtc, formatNumber, formatShortDayUtc } from "../texts/format.ts";
import { text } from "../texts/text.ts";

const { statistics: texts } = text;

interface Day {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly count: number;
}

/**
 * Bars in SVG rather than a canvas: at most 365 of them, they follow the theme and the text size by themselves and print
 * sharply. The day under the pointer, or the one that the arrow keys stand on, is said in words above.
 */
export function Chart({ timeline, label }: { readonly timeline: readonly Day[]; readonly label: string }) {
  const [index, setIndex] = useState<number>();
  const most = Math.max(...timeline.map(({ count }) => count), 0);
  const top = niceTop(most);
  const busiest = timeline.find(({ count }) => count === most && most > 0);
  const chosen = index === undefined ? undefined : timeline[index];
  return (
    <div>
      <p aria-live="polite" className="mb-3 min-h-6">
        {chosen !== undefined ? (
          <strong className="font-semibold">{texts.day(dayOf(chosen), chosen.count)}</strong>
        ) : (
          <span className="text-muted">
            {busiest === undefined ? texts.quiet : texts.busiest(dayOf(busiest), busiest.count)}
          </span>
        )}
      </p>
      <div className="flex gap-2">
        <div
          aria-hidden="true"
          className="flex h-56 flex-col justify-between text-right text-muted text-xs tabular-nums"
        >
          <span className="-mt-2">{formatNumber(top)}</span>
          <span>{formatNumber(top / 2)}</span>
          <span className="-mb-2">0</span>
        </div>
        <div className="min-w-0 grow">
          <DaySlider index={index} label={label} onIndex={setIndex} timeline={timeline}>
            <Bars index={index} timeline={timeline} top={top} />
          </DaySlider>
          <DayAxis timeline={timeline} />
        </div>
      </div>
    </div>
  );
}

/** One day is under the pointer, or the arrow keys stand on it. */
function DaySlider({
  timeline,
  label,
  index,
  onIndex,
  children,
}: {
  readonly timeline: readonly Day[];
  readonly label: string;
  readonly index: number | undefined;
  readonly onIndex: (index: number | undefined) => void;
  readonly children: ReactNode;
}) {
  const last = timeline.length - 1;
  const within = (position: number) => Math.min(last, Math.max(0, position));

  function move(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onIndex(within((index ?? last) + step));
  }

  const now = timeline[index ?? last];
  return (
    <div
      aria-label={label}
      aria-valuemax={last}
      aria-valuemin={0}
      aria-valuenow={index ?? last}
      aria-valuetext={texts.day(dayOf(now), now?.count ?? 0)}
      className="relative h-56 rounded-sm"
      onBlur={() => onIndex(undefined)}
      onKeyDown={move}
      onPointerLeave={() => onIndex(undefined)}
      onPointerMove={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        onIndex(within(Math.floor(((event.clientX - left) / width) * timeline.length)));
      }}
      role="slider"
      tabIndex={0}
    >
      {children}
    </div>
  );
}

function Bars({
  timeline,
  top,
  index,
}: {
  readonly timeline: readonly Day[];
  readonly top: number;
  readonly index: number | undefined;
}) {
  const gap = timeline.length > 60 ? 0.1 : 0.18;
  return (
    <>
      <div aria-hidden="true" className="absolute inset-0 flex flex-col justify-between">
        {["top", "middle", "bottom"].map((line) => (
          <span className="border-line border-t" key={line} />
        ))}
      </div>
      <svg
        aria-hidden="true"
        className="absolute inset-0 size-full"
        preserveAspectRatio="none"
        viewBox={`0 0 ${timeline.length} 100`}
      >
        {timeline.map(({ date, count }, position) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / top) * 100);
          return (
            <rect
              className={position === index ? "fill-ink" : "fill-accent"}
              height={height}
              key={date}
              width={1 - 2 * gap}
              x={position + gap}
              y={100 - height}
            />
          );
        })}
      </svg>
    </>
  );
}

function DayAxis({ timeline }: { readonly timeline: readonly Day[] }) {
  const last = timeline.length - 1;
  return (
    <div aria-hidden="true" className="mt-2 flex justify-between text-muted text-xs tabular-nums">
      <span>{shortOf(timeline[0])}</span>
      {last > 1 && <span>{shortOf(timeline[Math.floor(last / 2)])}</span>}
      {last > 0 && <span>{shortOf(timeline[last])}</span>}
    </div>
  );
}

const dayOf = (day: Day | undefined): string => (day === undefined ? "" : formatDayUtc(Date.parse(day.date)));
const shortOf = (day: Day | undefined): string => (day === undefined ? "" : formatShortDayUtc(Date.parse(day.date)));

/** The end of the axis: a round number not far above `most`, whose half is a whole number too. */
function niceTop(most: number): number {
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const factors = power === 1 ? [4, 6, 8, 10] : [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10];
  return Math.round((factors.find((factor) => factor * power >= most) ?? 10) * power);
}
