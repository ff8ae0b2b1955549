const dateTime = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const whole = new Intl.NumberFormat("en");
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Times are milliseconds since the Unix epoch, shown in the reader's own time zone. */
export const formatDateTime = (time: number): string => dateTime.format(time);
export const formatExactTime = (time: number): string => exact.format(time);
export const formatDate = (time: number): string => date.format(time);
export const formatNumber = (value: number): string => whole.format(value);

const steps = [
  [60_000, 1_000, "second"],
  [3_600_000, 60_000, "minute"],
  [86_400_000, 3_600_000, "hour"],
  [7 * 86_400_000, 86_400_000, "day"],
] as const;

/** "2 hours ago", "in 5 minutes"; the date for what is more than a week away. */
export function formatRelative(time: number, now: number = Date.now()): string {
  const difference = time - now;
  if (Math.abs(difference) < 5_000) return "just now";
  for (const [below, unit, name] of steps)
    if (Math.abs(difference) < below) return relative.format(Math.trunc(difference / unit), name);
  return formatDate(time);
}

const list = new Intl.ListFormat("en");

/** "1", "1 and 2", "1, 2, and 3". */
export const formatList = (items: readonly (string | number)[]): string => list.format(items.map(String));

export function plural(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const byteUnits = ["KiB", "MiB", "GiB", "TiB"] as const;

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "byte", "bytes");
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), byteUnits.length);
  return `${new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(bytes / 1024 ** power)} ${byteUnits[power - 1]}`;
}
