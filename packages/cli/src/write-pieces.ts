import type { Writable } from "node:stream";

/** An ordinary file or pipe takes a piece in less. A reader that takes none must not keep the program from ending. */
const graceMilliseconds = 250;

/**
 * Writes piece after piece, each only when the one before has left this process: the maker of the pieces then knows that
 * what came before the one asked for is written. (A pipeline reads ahead into its buffers, and an interruption drops those.)
 * An interruption lets the piece that is being written be finished, and the maker know it, before this rejects with the reason.
 */
export async function writePieces(
  output: Writable,
  pieces: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    const written = Promise.withResolvers<void>();
    let grace: ReturnType<typeof setTimeout> | undefined;
    const abort = () => {
      grace = setTimeout(() => written.reject(signal.reason), graceMilliseconds);
    };
    signal.addEventListener("abort", abort, { once: true });
    output.write(piece, (error) => (error ? written.reject(error) : written.resolve()));
    try {
      await written.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(grace);
    }
  }
}
