/** A mistake that somebody could make in an implementation of a format, as a change of ours. */
export interface Mutant {
  readonly name: string;
  /** In the folder of the sources. */
  readonly file: string;
  /** A text that occurs once in the file, and its replacement. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  /** A vector that such an implementation gets wrong. */
  readonly caughtBy: string;
  /** It gets good vectors wrong as well. Any other gets the simplest one right. */
  readonly isBroken: boolean;
}

/** A mistake: its name, the vector that catches it, and pairs of what is replaced and what replaces it. */
export type Row = readonly [name: string, caughtBy: string, ...changes: string[]];

export function mutantsOf(file: string, rows: readonly Row[], isBroken = false): readonly Mutant[] {
  return rows.map(([name, caughtBy, ...texts]) => ({
    name,
    file,
    changes: texts.flatMap((from, index) => (index % 2 === 0 ? [[from, texts[index + 1] ?? ""] as const] : [])),
    caughtBy,
    isBroken,
  }));
}
