import { parseDay } from "../browser/day.ts";

/** The filters of the audit log, as the page's address has them. */
export interface AuditFilters {
  /** Whose sessions. */
  readonly person?: string | undefined;
  /** The subject of actions: the part before the dot. */
  readonly kind?: string | undefined;
  readonly form?: string | undefined;
  /** Days of the reader's own time zone, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const shapes = {
  person: /^acc_[0-9a-z]{26}$/,
  kind: /^[a-z_]{1,30}$/,
  form: /^form_[0-9a-z]{26}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
} as const satisfies Record<keyof AuditFilters, RegExp>;

/** Each name is there, or the router keeps what was in the address. */
export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  const entries = Object.entries(shapes).map(([name, shape]) => {
    const value = search[name];
    return [name, typeof value === "string" && shape.test(value) ? value : undefined] as const;
  });
  return Object.fromEntries(entries);
}

export function isFiltered(filters: AuditFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** The filters as the API takes them. */
export function toAuditQuery({ person, kind, form, from, to }: AuditFilters) {
  const [start, end] = [readDay(from), readDay(to, 1)];
  return {
    ...(person !== undefined && { person }),
    ...(kind !== undefined && { kind }),
    ...(form !== undefined && { target: form }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: Math.max(0, end - 1) }),
  };
}

/** The first moment of a day, or of one some days later. Not before the epoch: a year is typed digit by digit. */
function readDay(day: string | undefined, later = 0): number | undefined {
  const time = day === undefined ? null : parseDay(day, later);
  return time === null ? undefined : Math.max(0, time);
}
