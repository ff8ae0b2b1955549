import { text } from "../texts/text.ts";

const { usage: texts } = text;

/** How full something is, with words next to it: nobody has to interpret a bar. */
export function UsageMeter({
  label,
  bytes,
  max,
}: {
  readonly label: string;
  readonly bytes: number;
  readonly max: number;
}) {
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap justify-between gap-x-4">
        <bdi className="min-w-0 wrap-anywhere">{label}</bdi>
        <span className="text-muted text-sm tabular-nums">{texts.ofLimit(bytes, max)}</span>
      </p>
      <meter
        aria-label={label}
        className="h-3 w-full"
        high={0.95 * max}
        low={0.8 * max}
        max={max}
        optimum={0}
        value={bytes}
      />
    </div>
  );
}

/** The part of an account's bytes that the audit log may have until everybody but owners is refused. */
export const logMaxOf = (bytesMax: number): number => bytesMax / 2;

export const percentOf = (bytes: number, max: number): number => Math.min(100, Math.floor((100 * bytes) / max));
