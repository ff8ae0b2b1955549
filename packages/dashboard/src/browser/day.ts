/** The day of a moment (milliseconds since the Unix epoch) in the reader's time zone, as a field of the type `date` has it. */
export function toDay(time: number): string {
  const date = new Date(time);
  const pad = (value: number, length: number) => String(value).padStart(length, "0");
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
}

/** The beginning of such a day, or of one some days later, in milliseconds since the Unix epoch; null for an empty field, and for a day that does not exist. */
export function parseDay(text: string, later = 0): number | null {
  const [year, month, day] = text.split("-").map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  // A `Date` takes 30 February for 2 March.
  if (new Date(year, month - 1, day).getDate() !== day) return null;
  return new Date(year, month - 1, day + later).getTime();
}
