/** One of each class of characters that some rule treats as its own: digits of three kinds, letters, and every mark. */
const classes = ["0", "1", "4", "１", "٣", "a", "A", "é", "語", " ", "-", ".", ":", "/", "@", "(", ")", "+", "%40", "_", "#", ",", "\n", "\u200b"];

/** Every row of one, two or three classes, and of four every row whose first three are digits or spaces: what a text is repeated from. */
export function hostilePieces(): string[] {
  const pieces = new Set<string>();
  const ofDigits = classes.slice(0, 5);
  for (const first of classes)
    for (const second of ["", ...classes])
      for (const third of second === "" ? [""] : ["", ...classes]) {
        pieces.add(first + second + third);
        const isFigure = [first, second, third].every((part) => part === " " || ofDigits.includes(part));
        if (isFigure) for (const fourth of classes) pieces.add(first + second + third + fourth);
      }
  return [...pieces];
}

/** A piece again and again, of so many UTF-16 units. */
export function repeatTo(piece: string, units: number): string {
  return piece.repeat(Math.ceil(units / piece.length)).slice(0, units);
}
