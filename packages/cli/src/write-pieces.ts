import type { Writable } from "node:stream";

/**
 * Writes piece after piece, each only when the one before has left this process: the maker of the pieces then knows that
 * what came before the one asked for is written. (A pipeline reads ahead into its buffers, and an interruption drops those.)
 */
export async function writePieces(
  output: Writable,
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    const written = Promise.withResolvers<void>();
    const abort = () => written.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    output.write(piece, (error) => (error ? written.reject(error) : written.resolve()));
    try {
      await written.promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}
