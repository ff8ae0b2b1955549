/** A legal hold: while a form has one, nothing of it is deleted. It never ends on its own. */
export interface FormHold {
  readonly since: number;
  /** The person who set it; `undefined` when it was done without one. */
  readonly setBy: string | undefined;
  readonly reason: string | undefined;
  /** When owners are to be asked whether it is still needed. */
  readonly until: number | undefined;
  /** Whether they were. */
  readonly isReminded: boolean;
}

export const holdReasonLengthMax = 500;

/** The hold with another reason and another date; a later date is announced again. */
export function changeHold(hold: FormHold, { reason, until }: Pick<FormHold, "reason" | "until">): FormHold {
  return { ...hold, reason, until, isReminded: until === hold.until && hold.isReminded };
}

/** The column `form_count.hold`. */
export function parseHold(column: string | null): FormHold | undefined {
  if (column === null) return undefined;
  const { since, setBy, reason, until, isReminded } = JSON.parse(column) as StoredHold; // `writeHold` wrote it
  return {
    since,
    setBy: setBy ?? undefined,
    reason: reason ?? undefined,
    until: until ?? undefined,
    isReminded: isReminded === true,
  };
}

interface StoredHold {
  readonly since: number;
  readonly setBy?: string;
  readonly reason?: string;
  readonly until?: number;
  readonly isReminded?: boolean;
}

export function writeHold(hold: FormHold): string {
  return JSON.stringify(hold satisfies StoredHold | FormHold);
}
