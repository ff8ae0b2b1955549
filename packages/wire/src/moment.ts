/**
 * Milliseconds since the Unix epoch of a moment by ISO 8601, to the minute or finer, with its zone; `undefined` for anything else. A day or
 * time that does not exist is refused: a `Date` of JavaScript takes 30 February for 2 March.
 */
export function parseMoment(text: string): number | undefined {
  const [, local = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const [inZone, moment] = [Date.parse(`${local}Z`), Date.parse(text)];
  if (zone === undefined || Number.isNaN(inZone) || Number.isNaN(moment)) return undefined;
  return new Date(inZone).toISOString().startsWith(local.slice(0, 16)) ? moment : undefined;
}
