import { ApiError } from "@sealpost/sdk";

/** After how long it is tried again, and again. */
const pausesMilliseconds = [1_000, 10_000, 60_000];

/**
 * Does what nobody waits for and nobody has to know of: over after the first try. Where that failed it is tried again later, unless the
 * server has refused it.
 */
export async function retryQuietly(
  work: () => Promise<unknown>,
  pauses: readonly number[] = pausesMilliseconds,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const [pause, ...others] = pauses;
    if (pause === undefined || (error instanceof ApiError && error.status < 500 && error.status !== 429)) return;
    setTimeout(() => void retryQuietly(work, others), pause);
  }
}
