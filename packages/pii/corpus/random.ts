/** A fixed sequence (mulberry32), so that the generator writes the same corpus each time. */
let state = 20261121;

export function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("Nothing to pick from");
  return item;
}

/** `#` becomes a digit, `*` 1–9, `^` a capital letter, `~` a hex digit. */
export function fill(pattern: string): string {
  return pattern.replace(/[#*^~]/g, (mark) => {
    if (mark === "#") return String(Math.floor(random() * 10));
    if (mark === "*") return String(1 + Math.floor(random() * 9));
    if (mark === "^") return pick([..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]);
    return pick([..."0123456789abcdef"]);
  });
}
