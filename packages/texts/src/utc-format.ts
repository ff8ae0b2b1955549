/**
 * Date and minute in UTC as the language writes them, on the 24-hour clock. `nameZone` adds the name of the time zone, which
 * `Intl` leaves in Latin letters everywhere.
 */
export function createUtcFormat(tag: string, nameZone: (time: string) => string): (time: number) => string {
  const format = new Intl.DateTimeFormat(tag, {
    dateStyle: "long",
    timeStyle: "short",
    hourCycle: "h23",
    timeZone: "UTC",
  });
  return (time) => nameZone(format.format(time));
}
