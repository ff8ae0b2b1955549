/** Keeps turns of a queue taken until the function is called that this returns. `run` asks the queue for a turn. */
export function holdTurns(turns: number, run: (work: () => Promise<void>) => Promise<void>): () => void {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  for (let turn = 0; turn < turns; turn++) void run(() => promise);
  return free;
}
