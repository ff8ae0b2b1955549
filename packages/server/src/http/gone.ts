/** The answer that somebody waits for, as far as it says whether they still do: Node's `ServerResponse`. */
export interface AwaitedAnswer {
  readonly destroyed: boolean;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** Does `work` with a signal that is aborted when the client leaves before it is done. */
export async function untilGone<Result>(
  answer: AwaitedAnswer | undefined,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const leave = () => controller.abort();
  answer?.once("close", leave);
  // The client may have left before.
  if (answer?.destroyed) leave();
  try {
    return await work(controller.signal);
  } finally {
    answer?.off("close", leave);
  }
}
