/** The places of rows, newest first. A row that leaves the list keeps its place, and has it again when it comes back by Undo or from elsewhere. */
export interface RowOrder {
  /** Places rows that have no place yet before all others, newest first. */
  addNewest(ids: readonly string[]): void;
  /** Gives a place in the stream, which is oldest first, and comes after all that is newer. */
  addStreamed(id: string): void;
  /** The last of the stream that has a place. */
  lastStreamed(): string | undefined;
  ids(): readonly string[];
}

export function createRowOrder(): RowOrder {
  const placed = new Set<string>();
  let newest: readonly string[] = [];
  const streamed: string[] = [];
  const place = (id: string) => !placed.has(id) && placed.add(id) !== undefined;
  return {
    addNewest(ids) {
      newest = [...ids.filter(place), ...newest];
    },
    addStreamed(id) {
      if (place(id)) streamed.push(id);
    },
    lastStreamed: () => streamed.at(-1),
    ids: () => [...newest, ...streamed.toReversed()],
  };
}
