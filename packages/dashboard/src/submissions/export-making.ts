/** Whoever waits for a file that is being made of rows. */
export interface Making {
  /** Ends the making: it rejects with the signal's reason at its next turn. */
  readonly signal?: AbortSignal | undefined;
  /** Called from turn to turn with the number of rows that are written. */
  readonly onRows?: ((count: number) => void) | undefined;
}

/** Gives the page a turn, with what came of the file by now, and goes on unless nobody wants it any more. */
export async function takeTurn({ signal, onRows }: Making, rows: number): Promise<void> {
  onRows?.(rows);
  await new Promise((next) => setTimeout(next));
  signal?.throwIfAborted();
}
