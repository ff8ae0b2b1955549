/** Numbers, times, sizes and lists as the language writes them. Times are milliseconds since the Unix epoch, shown in the reader's time zone. */
export interface Formats {
  readonly formatDateTime: (time: number) => string;
  /** With the day of the week, seconds and time zone. */
  readonly formatExactTime: (time: number) => string;
  readonly formatDate: (time: number) => string;
  /** "2 hours ago", "in 5 minutes"; the date for what is more than a week away. */
  readonly formatRelative: (time: number, now?: number) => string;
  readonly formatNumber: (value: number) => string;
  /** "3 bytes", "1.5 MiB". */
  readonly formatBytes: (bytes: number) => string;
  /** A day of UTC by any time in it: "Nov 27, 2026". */
  readonly formatDayUtc: (time: number) => string;
  /** The same without its year. */
  readonly formatShortDayUtc: (time: number) => string;
  /** The name of a country or region, by its code (ISO 3166-1 alpha-2); the code itself if it has no name. */
  readonly formatRegion: (code: string) => string;
  /** The alphabetical order of the language. */
  readonly compareNames: (one: string, other: string) => number;
  /** "1", "1 and 2", "1, 2, and 3". */
  readonly formatList: (items: readonly (string | number)[]) => string;
}

/** The words that no `Intl` has. */
export interface FormatWords {
  readonly justNow: string;
  readonly countBytes: (bytes: number) => string;
  /** 1024 bytes and its powers (IEC 80000-13). */
  readonly byteUnits: readonly [kibi: string, mebi: string, gibi: string, tebi: string];
}

const steps = [
  [60_000, 1_000, "second"],
  [3_600_000, 60_000, "minute"],
  [86_400_000, 3_600_000, "hour"],
  [7 * 86_400_000, 86_400_000, "day"],
] as const;

export function createFormats(tag: string, { justNow, countBytes, byteUnits }: FormatWords): Formats {
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" });
  const exact = new Intl.DateTimeFormat(tag, { dateStyle: "full", timeStyle: "long" });
  const date = new Intl.DateTimeFormat(tag, { dateStyle: "medium" });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: "auto" });
  const whole = new Intl.NumberFormat(tag);
  const tenths = new Intl.NumberFormat(tag, { maximumFractionDigits: 1 });
  const dayUtc = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" });
  const shortDayUtc = new Intl.DateTimeFormat(tag, { month: "short", day: "numeric", timeZone: "UTC" });
  let regions: Intl.DisplayNames | undefined;
  const list = new Intl.ListFormat(tag);
  return {
    formatDateTime: (time) => dateTime.format(time),
    formatExactTime: (time) => exact.format(time),
    formatDate: (time) => date.format(time),
    formatRelative(time, now = Date.now()) {
      const difference = time - now;
      if (Math.abs(difference) < 5_000) return justNow;
      for (const [below, unit, name] of steps)
        if (Math.abs(difference) < below) return relative.format(Math.trunc(difference / unit), name);
      return date.format(time);
    },
    formatNumber: (value) => whole.format(value),
    formatBytes(bytes) {
      if (bytes < 1024) return countBytes(bytes);
      const power = Math.min(Math.floor(Math.log2(bytes) / 10), byteUnits.length);
      return `${tenths.format(bytes / 1024 ** power)} ${byteUnits[power - 1]}`;
    },
    formatDayUtc: (time) => dayUtc.format(time),
    formatShortDayUtc: (time) => shortDayUtc.format(time),
    formatRegion(code) {
      regions ??= new Intl.DisplayNames(tag, { type: "region" });
      return regions.of(code) ?? code;
    },
    compareNames: (one, other) => one.localeCompare(other, tag),
    formatList: (items) => list.format(items.map(String)),
  };
}
