/** Caller that waits for a file that is being made of rows. */
export interface Making {
  /** Ends the making: it rejects with the signal's reason at its next turn. */
  readonly signal?: AbortSignal | undefined;
  /** Called from turn to turn with the number of rows that are written. */
  readonly onRows?: ((count: number) => void) | undefined;
}

/** Reports how many rows are written and gives the page a turn; rejects once the file is no longer wanted. */
export async function takeTurn({ signal, onRows }: Making, rows: number): Promise<void> {
  onRows?.(rows);
  await new Promise((next) => setTimeout(next));
  signal?.throwIfAborted();
}
