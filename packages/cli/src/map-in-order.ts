/**
 * Maps with up to `concurrency` calls at once and yields the results in the order of the source. Opening runs on the
 * platform's own threads (WebCrypto), so this alone uses all processors (main.ts makes their number fit): worker threads
 * were no quicker (bench/open.ts). Reads no further ahead than it works.
 */
export async function* mapInOrder<Item, Result>(
  source: AsyncIterable<Item>,
  concurrency: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running: Promise<Result>[] = [];
  for await (const item of source) {
    const result = map(item);
    // Its consumer gets the rejection; until then it must not count as unhandled.
    result.catch(() => undefined);
    running.push(result);
    const first = running.length >= concurrency ? running.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const result of running) yield await result;
}
